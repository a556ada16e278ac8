// A workspace: one root, one policy, one backend. Sessions are opened here.
import { validate } from "../api/options.ts";
import type { Backend, Entry, LogFilter, Path, Verification, VerifyOptions, Version } from "../core/backend.ts";
import { createByteCache } from "../core/byte-cache.ts";
import { LIMITS, type Limits } from "../core/limits.ts";
import { KeyedQueue } from "../core/queue.ts";
import type { Note } from "./change/external.ts";
import { pathInHistory } from "./history/journal.ts";
import { LIMIT_OPTIONS, LOG_FILTER, OPENED_WITH, VERIFY_OPTIONS, WORKSPACE_OPTIONS } from "./options.ts";
import { definePolicy, type Policy, type PolicyInput } from "./policy/policy.ts";
import { CHANGING } from "./policy/protected.ts";
import { Session, type Who } from "./session.ts";

/** What an owner decides about a workspace. */
export interface WorkspaceOptions {
  /** What agents may do where. Without one, files that usually hold secrets or run code are closed. */
  readonly policy?: PolicyInput;
  /** Limits that are left out are as in `LIMITS`. */
  readonly limits?: Partial<Limits>;
  /** What to do with a change whose proof names an older version: refuse it, or merge it into the newer version. */
  readonly onStale?: "reject" | "rebase";
  /** Refuses what is otherwise allowed with a warning: unseen overwrites, waived proofs, edits of changed files. */
  readonly strict?: boolean;
}

/** Directories outside the root that its policy lists. */
export interface Elsewhere {
  readonly further: readonly Workspace[];
  readonly notOpened: readonly string[];
}

/** Which entries of the journal are wanted. All conditions that are given must hold. */
interface LogOf extends Omit<LogFilter, "path"> {
  /** That change this file, in any spelling. */
  readonly path?: string;
}

async function* entriesAt(backend: Backend, path: string, filter: LogFilter): AsyncIterable<Entry> {
  yield* backend.log({ ...filter, path: await pathInHistory(backend, path) });
}

/** One root with one policy and one backend. `openWorkspace` makes one; agents act in sessions of it. */
export class Workspace {
  /** Where the files, the journal and the kept versions live. */
  readonly backend: Backend;
  /** What may be done where. */
  readonly policy: Policy;
  /** As the owner gave it, to open another workspace with the same rules. */
  readonly policyInput: PolicyInput | undefined;
  /** All of them, with their defaults. */
  readonly limits: Limits;
  /** The default for changes. */
  readonly onStale: "reject" | "rebase";
  /** The default for changes. */
  readonly strict: boolean;
  /** For the kernel: changes of one file wait for one another. */
  readonly changes = new KeyedQueue<Path>();
  /** For the kernel: versions read lately, to explain what has changed since. */
  readonly recent: ReturnType<typeof createRecent>;
  /** For the kernel: notes of what others changed that have not begun. */
  readonly notes = new Map<Path, Note>();
  /** One for each directory outside the root that the policy lists; closed with this one. */
  readonly further: readonly Workspace[];
  /** Directories that the policy lists and that stay closed, in words for the owner. */
  readonly notOpened: readonly string[];

  constructor(backend: Backend, options: WorkspaceOptions = {}, elsewhere?: Elsewhere) {
    validate(options, WORKSPACE_OPTIONS, { noObject: OPENED_WITH });
    validate(options.limits ?? {}, LIMIT_OPTIONS, { noObject: "limits must be an object of numbers.", noun: "limit" });
    this.backend = backend;
    this.further = elsewhere?.further ?? [];
    this.notOpened = elsewhere?.notOpened ?? [];
    this.limits = { ...LIMITS, ...options.limits };
    this.policyInput = withLimit(options.policy, options.limits?.maxFileBytes);
    this.policy = policyOn(backend, this.policyInput);
    backend.guard?.((path) => CHANGING.some((action) => this.policy.allows(path, action)));
    this.onStale = options.onStale ?? "reject";
    this.strict = options.strict ?? false;
    this.recent = createRecent(this.limits.recentBytes);
  }

  /** A read-only workspace needs no state on disk and keeps none. */
  get journalling(): boolean {
    return !this.policy.readOnly;
  }

  /** Opens a session. Give each agent its own: it remembers what was seen. */
  session(who?: Who): Session {
    return new Session(this, who);
  }

  /** Entries of the journal, the oldest first unless asked otherwise. */
  log(filter: LogOf = {}): AsyncIterable<Entry> {
    validate(filter, LOG_FILTER, { noun: "filter" });
    const { path, ...rest } = filter;
    return path === undefined ? this.backend.log(rest) : entriesAt(this.backend, path, rest);
  }

  /** Checks the whole journal. Problems are returned, not thrown. */
  async verify(options: VerifyOptions = {}): Promise<Verification> {
    validate(options, VERIFY_OPTIONS);
    return this.backend.verify(options);
  }

  /** Finishes what is under way and gives everything back. */
  async close(): Promise<void> {
    await Promise.all([this.backend.close(), ...this.further.map((each) => each.close())]);
  }

  /** Relative to the root of this workspace, or of a further one that an absolute path lies in. */
  relative(path: string): string | undefined {
    const [own] = [this, ...this.further].flatMap(({ backend }) => backend.relative?.(path) ?? []);
    return own;
  }
}

function policyOn({ directory, statePaths }: Backend, input: PolicyInput | undefined): Policy {
  return definePolicy(input, { root: directory, statePaths });
}

/** The size limit may be given with the other limits; a policy that names one wins. */
function withLimit(policy: PolicyInput | undefined, maxFileBytes: number | undefined): PolicyInput | undefined {
  if (maxFileBytes === undefined || policy?.maxFileBytes !== undefined || policy?.max_file_size !== undefined)
    return policy;
  return { ...policy, maxFileBytes };
}

/** Versions that were read lately, to explain a stale proof even when they were not stored. */
function createRecent(maxBytes: number) {
  const versions = createByteCache<Version>(maxBytes);
  return {
    ...versions,
    add(version: Version): void {
      if (version.size > maxBytes / 8) return;
      // Keeps the known version: its memory is in V8's old generation already.
      versions.add(version.sha, versions.get(version.sha) ?? withOwnMemory(version), version.size);
    },
  };
}

/** A copy where a part shares a block of memory: keeping the part would keep the whole block. */
function withOwnMemory(version: Version): Version {
  const parts = version.parts.map((part) => (part.buffer.byteLength > part.byteLength ? new Uint8Array(part) : part));
  return { ...version, parts };
}
