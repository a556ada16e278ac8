// A workspace: one root, one policy, one backend. Sessions are opened here.
import type { Backend, Entry, LogFilter, Verification, VerifyOptions } from "../core/backend.ts";
import { Refusal } from "../core/failure.ts";
import { LIMITS, type Limits } from "../core/limits.ts";
import { refuseUnknownOptions } from "../core/options/option-names.ts";
import { createPathLock, type PathLock } from "./change/path-lock.ts";
import { pathInHistory } from "./history/journal/path-in-history.ts";
import { LOG_FILTER, OPENED_WITH, VERIFY_OPTIONS, WORKSPACE_OPTIONS } from "./option-names.ts";
import { bothPolicies, definePolicy, type Policy, type PolicyInput } from "./policy/policy.ts";
import { CHANGING } from "./policy/protected.ts";
import { createRecent, type Recent } from "./read/recent.ts";
import { Session, type Who } from "./session.ts";

/** What an owner decides about a workspace. */
export interface WorkspaceOptions {
  /** What agents may do where. Without one, files that usually hold secrets or run code are closed. */
  readonly policy?: PolicyInput;
  /** Those that are left out are as in `LIMITS`. */
  readonly limits?: Partial<Limits>;
  /** What to do with a change whose proof names an older version: refuse it, or merge it into the newer version. */
  readonly onStale?: "reject" | "rebase";
  /** Refuses what is otherwise allowed with a warning: unseen overwrites, waived proofs, edits of changed files. */
  readonly strict?: boolean;
  /** Keep what a refused call was told, which may quote files. */
  readonly journalDiff?: boolean;
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
  /** As the owner gave it, for another workspace that shall have the same rules. */
  readonly policyInput: PolicyInput | undefined;
  /** All of them, with their defaults. */
  readonly limits: Limits;
  /** For changes that do not say it themselves. */
  readonly onStale: "reject" | "rebase";
  /** For changes that do not say it themselves. */
  readonly strict: boolean;
  /** For changes that do not say it themselves. */
  readonly journalDiff: boolean;
  /** For the kernel: changes of one file wait for one another. */
  readonly pathLock: PathLock = createPathLock();
  /** For the kernel: versions read lately, to explain what has changed since. */
  readonly recent: Recent;
  /** One for each directory outside the root that the policy lists; closed with this one. */
  readonly further: readonly Workspace[];
  /** What the policy lists and stays closed, in words for the owner. */
  readonly notOpened: readonly string[];

  constructor(backend: Backend, options: WorkspaceOptions = {}, elsewhere?: Elsewhere) {
    refuseUnknownOptions(options, WORKSPACE_OPTIONS, { noObject: OPENED_WITH });
    this.backend = backend;
    this.further = elsewhere?.further ?? [];
    this.notOpened = elsewhere?.notOpened ?? [];
    this.limits = limitsOf(options.limits);
    this.policyInput = withLimit(options.policy, options.limits?.maxFileBytes);
    this.policy = policyOn(backend, this.policyInput);
    backend.guard?.((path) => CHANGING.some((action) => this.policy.allows(path, action)));
    this.onStale = oneOf("onStale", options.onStale ?? "reject", ["reject", "rebase"]);
    this.strict = trueOrFalse("strict", options.strict ?? false);
    this.journalDiff = trueOrFalse("journalDiff", options.journalDiff ?? true);
    this.recent = createRecent(this.limits.recentBytes);
  }

  /** A read-only workspace needs no state on disk and keeps none. */
  get journalling(): boolean {
    return !this.policy.readOnly;
  }

  /** Opens a session. One for each agent keeps apart what they have seen. */
  session(who?: Who): Session {
    return new Session(this, who);
  }

  /** Entries of the journal, the oldest first unless asked otherwise. */
  log(filter: LogOf = {}): AsyncIterable<Entry> {
    refuseUnknownOptions(filter, LOG_FILTER, { noun: "filter" });
    const { path, ...rest } = filter;
    const { limit = 0 } = rest;
    if (limit !== Number.POSITIVE_INFINITY && !(Number.isSafeInteger(limit) && limit >= 0)) {
      throw new Refusal("invalid_input", `limit must be a whole number from 0 on, not ${JSON.stringify(limit)}.`);
    }
    return path === undefined ? this.backend.log(rest) : entriesAt(this.backend, path, rest);
  }

  /** Checks the whole journal. Problems are told, not thrown. */
  async verify(options: VerifyOptions = {}): Promise<Verification> {
    refuseUnknownOptions(options, VERIFY_OPTIONS);
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

/** The same workspace, for callers that may only do what this policy allows, too. */
export function narrowed(workspace: Workspace, policy: PolicyInput): Workspace {
  const own = policyOn(workspace.backend, withLimit(policy, workspace.policy.maxFileBytes));
  return Object.assign(Object.create(Workspace.prototype), workspace, { policy: bothPolicies(workspace.policy, own) });
}

function policyOn({ directory, statePaths }: Backend, input: PolicyInput | undefined): Policy {
  return definePolicy(input, {
    ...(directory !== undefined && { root: directory }),
    ...(statePaths !== undefined && { statePaths }),
  });
}

function limitsOf(given: Partial<Limits> | undefined = {}): Limits {
  if (typeof given !== "object" || given === null || Array.isArray(given))
    throw new Refusal("invalid_input", "limits must be an object of numbers.");
  for (const [name, value] of Object.entries(given)) {
    if (!Object.hasOwn(LIMITS, name)) {
      throw new Refusal("invalid_input", `limits.${name} does not exist.`, {
        next: `The limits are ${Object.keys(LIMITS).join(", ")}.`,
      });
    }
    if (Number.isFinite(value) && value > 0) continue;
    const found = typeof value === "number" ? String(value) : JSON.stringify(value);
    throw new Refusal("invalid_input", `limits.${name} must be a positive number, not ${found}.`);
  }
  return { ...LIMITS, ...given };
}

/** The size limit may be given with the other limits; a policy that names one wins. */
function withLimit(policy: PolicyInput | undefined, maxFileBytes: number | undefined): PolicyInput | undefined {
  if (maxFileBytes === undefined || policy?.maxFileBytes !== undefined || policy?.max_file_size !== undefined)
    return policy;
  return { ...policy, maxFileBytes };
}

function trueOrFalse(name: string, value: unknown): boolean {
  if (typeof value === "boolean") return value;
  throw new Refusal("invalid_input", `${name} must be true or false, not ${JSON.stringify(value)}.`);
}

function oneOf<T extends string>(name: string, value: T, allowed: readonly T[]): T {
  if (allowed.includes(value)) return value;
  throw new Refusal("invalid_input", `${name} must be one of ${allowed.join(", ")}, not ${JSON.stringify(value)}.`);
}
