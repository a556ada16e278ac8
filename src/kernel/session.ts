// A session: who acts, and what they have seen. `read` shows; every change goes through `change`.
import { randomUUID } from "node:crypto";
import { validate } from "../api/options.ts";
import {
  type Author,
  type Ledger,
  LINK_MODE,
  type LineRange,
  type Path,
  type Resolved,
  type Sha,
  type Version,
} from "../core/backend.ts";
import { type FailureKind, Refusal } from "../core/failure.ts";
import { KeyedQueue } from "../core/queue.ts";
import { versionOf } from "../core/version.ts";
import { misplaced, type Splice, sortSplices } from "../edit/text/splice.ts";
import { refuse } from "../words/index.ts";
import { applyChange } from "./change/change.ts";
import { isInTime, noteOthers } from "./change/external.ts";
import type { Proof } from "./change/gate.ts";
import { asRefused, type RefusedTarget } from "./change/refused.ts";
import { remembering } from "./change/remember.ts";
import { type Undone, type UndoOptions, type UndoWhat, undo } from "./history/undo.ts";
import type {
  CallOptions,
  Changed,
  ChangeOptions,
  CreateOptions,
  Edit,
  Knows,
  MoveOptions,
  Progress,
  ReadOptions,
  SpliceText,
  Target,
  Who,
} from "./options.ts";
import {
  CALL_OPTIONS,
  CHANGE_OPTIONS,
  CREATE_OPTIONS,
  MOVE_OPTIONS,
  RANGE,
  READ_OPTIONS,
  WHO,
  WRITE_OPTIONS,
} from "./options.ts";
import type { Action } from "./policy/policy.ts";
import { deadlineOf } from "./progress.ts";
import { withNearNames } from "./read/near-names.ts";
import { type ReadResult, wholeLines } from "./read/page.ts";
import { readText, readVersion } from "./read/read.ts";
import { type LinesShown, memoryLedger, wholeSeen, withShown } from "./read/seen.ts";
import type { Text } from "./text/text.ts";
import type { Workspace } from "./workspace.ts";

export type { CallOptions, Changed, ChangeOptions, Edit, Progress, ReadOptions, Target, Who };

/** A call that waited in vain must not wait again for its record. */
const WAITED: ReadonlySet<FailureKind> = new Set<FailureKind>(["cancelled", "timeout", "busy"]);

/** A user who may not use the journal can change nothing either; a user who may notices what others did. */
function unlessDenied(error: unknown): null {
  if (error instanceof Refusal && error.kind === "permission_denied") return null;
  throw error;
}

function isForbidden({ kind }: Refusal): boolean {
  return kind === "permission_denied" || kind === "outside_workspace";
}

/** There are too many entries a second: the record would take the place of a change. */
function isForPace({ kind, failure }: Refusal): boolean {
  return kind === "busy" && failure.details?.perSecond !== undefined;
}

interface Showing {
  readonly lines: LinesShown | undefined;
  readonly warn: CallOptions["warn"];
  /** Resolved in this same call. */
  readonly at?: Resolved | undefined;
}

const NO_RANGE = "A range of lines is given as { from, to }, numbered from 1.";
const recorded = new WeakSet<Refusal>();

function isRecorded(refusal: unknown): boolean {
  if (!(refusal instanceof Refusal)) return false;
  return recorded.has(refusal) || isRecorded(refusal.cause);
}

/**
 * One agent's sitting in a workspace, with the memory of what it was shown. Opened by `workspace.session()`; each agent
 * has one of its own. A method that says no throws a `Refusal`, and then nothing was changed.
 */
export class Session {
  /** As the journal names it. */
  readonly id: string;
  /** Who acts, as the journal names them. */
  readonly agent: string | undefined;
  /** The owner at the command line. */
  readonly owner: boolean;
  /** Where it was opened. */
  readonly workspace: Workspace;
  /** What it has seen. */
  readonly ledger: Ledger;
  /** Places that this session resolved to read them; a caller cannot forge one. */
  readonly #readable = new WeakSet<Resolved>();
  readonly #showing = new KeyedQueue<Path>();

  constructor(workspace: Workspace, who: Who = {}) {
    validate(who, WHO, { noObject: "A session is opened with an object: its id, its agent, or neither." });
    this.workspace = workspace;
    this.id = who.id ?? randomUUID();
    this.agent = who.agent;
    this.owner = who.owner ?? false;
    this.ledger = workspace.backend.ledger?.(this.id) ?? memoryLedger(workspace.limits.seenFiles);
  }

  /** The file as text, whole or the lines asked for; the sha256 is always that of the whole file. Counts as seen from then on. */
  async read(path: string, range?: LineRange, options: ReadOptions = {}): Promise<ReadResult> {
    validate(options, READ_OPTIONS);
    const { backend, limits, policy, recent } = this.workspace;
    const deadline = deadlineOf(this, options);
    if (range !== undefined) validate(range, RANGE, { noObject: NO_RANGE, noun: "field" });
    const known = options.at !== undefined && this.#readable.has(options.at) ? options.at : undefined;
    const at = known ?? (await this.#permitOrRecord({ path, action: "read" }, options));
    const { encoding, pageBytes, mark = true, warn } = options;
    const isNew = known === undefined;
    const how = { encoding, pageBytes, limits, maxBytes: policy.maxFileBytes, isNew };
    const result = await readText(backend, at, { raw: path, range, ...how }).catch(this.#refuse);
    deadline.settle();
    if (result.whole !== undefined) recent.add(result.whole.version);
    const nothingShown = result.shown.to < result.shown.from && result.lines > 0;
    const lines = { total: result.lines, shown: [wholeLines(result)] };
    if (mark && !nothingShown) await this.#show(at.path, result.sha, { lines, warn, at: isNew ? at : undefined });
    await this.#noticeOthers(at.path, result, options);
    return result;
  }

  /** Makes a file that is not there yet, from text or exact bytes. */
  async create(path: string, content: string | Uint8Array, options: CreateOptions = {}): Promise<Changed> {
    validate(options, CREATE_OPTIONS);
    const bytes = exactBytes(content);
    const { createParents, mode, ...rest } = options;
    const next = bytes === undefined ? { body: content as string, mode } : { version: versionOf([bytes], mode) };
    return this.change([{ path, proof: { by: "absence" }, action: "create", createParents }], () => [next], rest);
  }

  /** Replaces a file as a whole. Text keeps the file's encoding, byte order mark and line endings. */
  async write(path: string, content: string | Uint8Array, options: ChangeOptions & Knows = {}): Promise<Changed> {
    validate(options, WRITE_OPTIONS);
    const bytes = exactBytes(content);
    const { proof, rest } = withProof(options);
    const edit: Edit = ([file]) => {
      if (file!.version === null) throw refuse("file_missing", { path, action: "write" });
      if (bytes === undefined) return [{ body: content as string }];
      return [{ version: versionOf([bytes], file!.version.mode) }];
    };
    return this.change([{ path, proof, action: "write" }], edit, rest);
  }

  /** Replaces parts of a text file: `edit` is given its text and gives back splices. All other bytes stay as they are. */
  async edit(path: string, edit: SpliceText, options: ChangeOptions & Knows = {}): Promise<Changed> {
    validate(options, WRITE_OPTIONS);
    if (typeof edit !== "function") throw refuse("invalid_argument", { path, argument: "edit" });
    const { proof, rest } = withProof(options);
    const spliced: Edit = async ([file]) => [{ splices: placedIn(file!.text, await edit(file!.text)) }];
    return this.change([{ path, proof, action: "edit" }], spliced, rest);
  }

  /** Deletes a file; its bytes are kept and can be restored. A symbolic link is deleted itself, never what it points to. */
  async delete(path: string, options: ChangeOptions & Knows = {}): Promise<Changed> {
    validate(options, WRITE_OPTIONS);
    const { proof, rest } = withProof(options);
    const gone: Edit = ([file]) => {
      if (file!.version === null) throw refuse("file_missing", { path, action: "delete" });
      return [null];
    };
    return this.change([{ path, proof, action: "delete", link: true }], gone, rest);
  }

  /** Moves a file to a free name, or with `overwrite` to one that is taken: what was there goes to the trash. */
  async move(from: string, to: string, options: MoveOptions & Knows = {}): Promise<Changed> {
    validate(options, MOVE_OPTIONS);
    const { overwrite, createParents, ...changing } = options;
    const { proof, rest } = withProof(changing);
    const arrival: Proof = overwrite ? { by: "waived" } : { by: "absence" };
    const moved: Edit = ([file, place]) => {
      if (file!.version === null) throw refuse("file_missing", { path: from, action: "move" });
      if (file!.version.mode === LINK_MODE && place!.version !== null) throw refuse("link_moved_over_file", {});
      return [null, { version: file!.version, movedFrom: file!.path }];
    };
    const targets: readonly Target[] = [
      { path: from, proof, action: "move", link: true },
      { path: to, proof: arrival, action: "move", createParents },
    ];
    return this.change(targets, moved, rest);
  }

  /** Takes back an entry of the journal, or all that fit, as one new change, which can itself be undone. */
  undo(what: UndoWhat, options?: UndoOptions): Promise<Undone> {
    return undo(this, what, options);
  }

  /** The bytes of a file of any kind. Code that shows them to the caller says so with `showed`. */
  async readBytes(
    path: string,
    options: CallOptions = {},
  ): Promise<{ readonly at: Resolved; readonly version: Version }> {
    validate(options, CALL_OPTIONS);
    const deadline = deadlineOf(this, options);
    const at = await this.#permitOrRecord({ path, action: "read" }, options);
    const { backend, policy } = this.workspace;
    const version = await readVersion(backend, at, path, { maxBytes: policy.maxFileBytes, isNew: true }).catch(
      this.#refuse,
    );
    deadline.check();
    await this.#noticeOthers(at.path, version, options);
    return { at, version };
  }

  /** Marks all of this version, or these lines of it, as seen. Where the ledger cannot be written, warns through `warn`, or refuses. */
  async showed(
    path: Path,
    { sha }: Pick<Version, "sha">,
    lines?: LinesShown,
    options: CallOptions = {},
  ): Promise<void> {
    validate(options, CALL_OPTIONS);
    options.deadline?.settle();
    await this.#show(path, sha, { lines, warn: options.warn });
  }

  async #show(path: Path, sha: Sha, { lines, warn, at }: Showing): Promise<void> {
    if (lines?.shown.length === 0) return;
    const write = async (): Promise<void> => {
      const seen = lines === undefined ? wholeSeen(sha) : withShown(await this.ledger.get(path, at), sha, lines);
      await this.ledger.set(path, seen);
    };
    const written = (): Promise<void> => this.#showing.run([path], write);
    if (warn === undefined) return written();
    for (const warning of await remembering(written)) warn(warning);
  }

  /** Where a path leads, if this session may do `action` there. */
  async resolve(path: string, action: Action, options: CallOptions = {}): Promise<Resolved> {
    validate(options, CALL_OPTIONS);
    const at = await this.#permitOrRecord({ path, action }, options);
    if (action === "read") this.#readable.add(at);
    return at;
  }

  /**
   * Changes all targets or none: proofs are checked against the current versions, `edit` runs on exactly these, and
   * the backend swaps them in only if no other was faster. A lost race starts again; a proof that no longer holds refuses.
   */
  async change(targets: readonly Target[], edit: Edit, options: ChangeOptions = {}): Promise<Changed> {
    validate(options, CHANGE_OPTIONS);
    if (!Array.isArray(targets) || typeof edit !== "function")
      throw refuse("invalid_argument", { argument: "targets" });
    try {
      return await applyChange({ session: this, edit, options, deadline: deadlineOf(this, options) }, targets);
    } catch (error) {
      if (error instanceof Refusal) await this.recordRefusal(error, targets, options);
      return this.#refuse(error);
    }
  }

  /** A missing name is refused with the names near it. */
  readonly #refuse = async (error: unknown): Promise<never> => {
    throw error instanceof Refusal ? await withNearNames(this.workspace, error) : error;
  };

  /** For the kernel. Rules hold for the file itself and for every name that led to it. */
  async permit(target: Pick<Target, "path" | "action" | "link" | "existed">): Promise<Resolved> {
    if (typeof target.path !== "string") throw refuse("invalid_argument", { argument: "path" });
    const { path: raw, link = false, existed = false } = target;
    const at = await this.workspace.backend.resolve(raw, { link, existed, session: this.id });
    for (const path of [at.path, ...at.via]) this.workspace.policy.check(path, target.action);
    return at;
  }

  /** Forbidden attempts are recorded, even those to read. */
  async #permitOrRecord(target: Pick<Target, "path" | "action" | "link">, options: CallOptions): Promise<Resolved> {
    try {
      return await this.permit(target);
    } catch (error) {
      if (error instanceof Refusal && isForbidden(error)) await this.recordRefusal(error, [target], options);
      return this.#refuse(error);
    }
  }

  /** Records a refusal in the journal, unless it, or the one that caused it, is there. Never throws. */
  async recordRefusal(
    refusal: Refusal,
    targets: readonly RefusedTarget[],
    options: CallOptions & Pick<ChangeOptions, "dryRun"> = {},
  ): Promise<void> {
    const { backend, journalling } = this.workspace;
    // A read-only workspace makes no journal; one in a database has it already.
    if (!journalling && !backend.changedByCommitsOnly) return;
    // A change with an unknown outcome may have been made.
    if (isRecorded(refusal) || refusal.kind === "outcome_unknown") return;
    if (isForPace(refusal)) return;
    // The owner's mistakes are no attempts, and a preview asks for no change.
    if (this.owner && (options.dryRun === true || !isForbidden(refusal))) return;
    recorded.add(refusal);
    const entry = asRefused(refusal, targets, backend);
    try {
      const recording = backend.record({ ...this.author(options), outcome: "refused", changes: [], ...entry });
      await isInTime(recording, WAITED.has(refusal.kind) ? "this turn" : "a moment");
    } catch {
      // The caller must hear the refusal; the next change finds a journal that cannot be written.
    }
  }

  async #noticeOthers(path: Path, seen: { readonly sha: string }, options: CallOptions): Promise<void> {
    const { journalling, backend } = this.workspace;
    if (!journalling || backend.changedByCommitsOnly) return;
    const head = await backend.head(path, "lately").catch(unlessDenied);
    if (head === null || head.sha === seen.sha) return;
    await noteOthers(this.workspace, path, this.author(options), "this turn");
  }

  /** How the journal names what this session does in one call. */
  author({ tool, call }: CallOptions): Author {
    return {
      session: this.id,
      tool: tool ?? "library",
      ...(this.agent !== undefined && { agent: this.agent }),
      ...(call !== undefined && { call }),
    };
  }
}

/** A copy, since the caller may reuse its bytes before they are written. Undefined for a text. */
function exactBytes(content: unknown): Buffer | undefined {
  if (content instanceof Uint8Array) return Buffer.from(content);
  if (typeof content !== "string") throw refuse("invalid_argument", { argument: "content" });
  return undefined;
}

function withProof(options: ChangeOptions & Knows): { readonly proof: Proof; readonly rest: ChangeOptions } {
  const { proof, expectedSha256, ...rest } = options as ChangeOptions & { proof?: Proof; expectedSha256?: string };
  if (proof !== undefined && expectedSha256 !== undefined) throw refuse("invalid_argument", { argument: "proof" });
  if (proof !== undefined) return { proof, rest };
  return { proof: expectedSha256 === undefined ? { by: "session" } : { by: "sha256", sha256: expectedSha256 }, rest };
}

/** Refuses splices of a caller that overlap or leave the text. */
function placedIn({ body, path }: Text, splices: readonly Splice[]): readonly Splice[] {
  let at = 0;
  for (const splice of sortSplices(splices)) {
    const { start, end } = splice;
    const problem = typeof splice.text === "string" ? misplaced(splice, at, body.length) : "has no text";
    if (problem !== undefined) throw refuse("splice_misplaced", { path, start, end, problem });
    at = end;
  }
  return splices;
}
