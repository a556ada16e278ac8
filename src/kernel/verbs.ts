// The methods of a session that change a file, each a few lines over `session.change`.
import { LINK_MODE, type Version } from "../core/backend.ts";
import { Refusal } from "../core/failure.ts";
import { only } from "../core/options.ts";
import { versionOf } from "../core/version.ts";
import { misplaced, type Splice, sortSplices } from "../edit/text/splice.ts";
import { refuse } from "../words/index.ts";
import type { Proof } from "./change/gate.ts";
import { CALL_OPTIONS, CHANGE_OPTIONS } from "./options.ts";
import type { CallOptions, Changed, ChangeOptions, Session } from "./session.ts";
import type { Text } from "./text/text.ts";

/** How the caller knows the file. Nothing given: the session must have been shown it as it is now. */
export type Knows =
  | {
      /** Of the whole file, as a read gave it. */
      readonly expectedSha256?: string;
    }
  | {
      /** Another kind of proof. */
      readonly proof: Proof;
    };

/** How a file is made. */
export interface CreateOptions extends ChangeOptions {
  /** Missing directories are made. */
  readonly createParents?: boolean;
  /** Permission bits; those that new files usually have, unless given. */
  readonly mode?: number;
}

export async function createFile(
  session: Session,
  path: string,
  content: string | Uint8Array,
  options: CreateOptions = {},
): Promise<Changed> {
  requireContent(content);
  const { createParents = false, mode } = options;
  const next =
    typeof content === "string"
      ? { body: content, ...(mode !== undefined && { mode }) }
      : { version: versionOf([Buffer.from(content)], mode) };
  return session.change(
    [{ path, proof: { by: "absence" }, action: "create", createParents }],
    () => [next],
    changing(options),
  );
}

/** Replaces a file as a whole. Text keeps the file's encoding, byte order mark and line endings. */
export async function writeFile(
  session: Session,
  path: string,
  content: string | Uint8Array,
  options: ChangeOptions & Knows = {},
): Promise<Changed> {
  requireContent(content);
  // A copy: it is written, and remembered, when the caller may have other use for its bytes.
  const given = typeof content === "string" ? content : Buffer.from(content);
  return session.change(
    [{ path, proof: proofOf(options), action: "write" }],
    ([file]) => {
      if (file!.version === null) throw refuse("file_missing", { path, action: "write" });
      if (typeof given !== "string") return [{ version: versionOf([given], file!.version.mode) }];
      return [{ body: given }];
    },
    changing(options),
  );
}

/** From the text of a file to what shall be replaced in it. May take its time, within that of the call; where it fails, the call does. */
export type SpliceText = (text: Text) => readonly Splice[] | Promise<readonly Splice[]>;

export async function editFile(
  session: Session,
  path: string,
  edit: SpliceText,
  options: ChangeOptions & Knows = {},
): Promise<Changed> {
  if (typeof edit !== "function") throw refuse("invalid_argument", { path, argument: "edit" });
  return session.change(
    [{ path, proof: proofOf(options), action: "edit" }],
    async ([file]) => {
      const splices = await edit(file!.text);
      return [{ splices: placedIn(file!.text, splices) }];
    },
    changing(options),
  );
}

/** The bytes stay in the store and can be restored. A symbolic link is deleted itself, never what it points to. */
export function deleteFile(session: Session, path: string, options: ChangeOptions & Knows = {}): Promise<Changed> {
  return session.change(
    [{ path, proof: proofOf(options), action: "delete", link: true }],
    ([file]) => {
      if (file!.version === null) throw refuse("file_missing", { path, action: "delete" });
      return [null];
    },
    changing(options),
  );
}

/** How a file is moved. */
export interface MoveOptions extends ChangeOptions {
  /** The file at the destination goes to the trash. */
  readonly overwrite?: boolean;
  /** Missing directories are made. */
  readonly createParents?: boolean;
}

export async function moveFile(
  session: Session,
  from: string,
  to: string,
  options: MoveOptions & Knows = {},
): Promise<Changed> {
  await checkMove(session, from, to, options).catch(async (error: unknown) => {
    const paths = [from, to].map((path) => ({ path, action: "move" }) as const);
    if (error instanceof Refusal) await session.recordRefusal(error, paths, options);
    throw error;
  });
  const arrival: Proof = options.overwrite ? { by: "waived" } : { by: "absence" };
  return session.change(
    [
      { path: from, proof: proofOf(options), action: "move", link: true },
      { path: to, proof: arrival, action: "move", createParents: options.createParents ?? false },
    ],
    ([file, place]) => {
      if (file!.version === null) throw refuse("file_missing", { path: from, action: "move" });
      return [null, { version: movable(file!.version, place!.version), movedFrom: file!.path }];
    },
    changing(options),
  );
}

/** What can be said about the two paths before anything is read. */
async function checkMove(session: Session, from: string, to: string, options: CallOptions): Promise<void> {
  const call = only(options, CALL_OPTIONS);
  const source = await session.resolve(from, "move", call);
  const target = await session.resolve(to, "move", call);
  if (source.path === "") throw refuse("root_moved", { path: from });
  if (target.path === source.path) throw refuse("moved_onto_itself", { path: to, from });
  if (target.path.startsWith(`${source.path}/`)) throw refuse("moved_into_itself", { path: to, from });
  if (target.kind === "directory") throw refuse("directory_there", { path: to });
}

function movable(version: Version, replaced: Version | null): Version {
  if (version.mode === LINK_MODE && replaced !== null) throw refuse("link_moved_over_file", {});
  return version;
}

/** Without what only the verb knows. */
function changing(options: ChangeOptions): ChangeOptions {
  return only(options, CHANGE_OPTIONS);
}

/** Before the session is asked: a caller without types may hand over anything. */
function requireContent(content: unknown): void {
  if (typeof content !== "string" && !(content instanceof Uint8Array))
    throw refuse("invalid_argument", { argument: "content" });
}

/** Those of an engine always have their place; those of a caller may not. */
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

function proofOf(knows: Knows): Proof {
  if ("proof" in knows && "expectedSha256" in knows && knows.expectedSha256 !== undefined)
    throw refuse("invalid_argument", { argument: "proof" });
  if ("proof" in knows) return knows.proof;
  const { expectedSha256 } = knows as { expectedSha256?: string };
  return expectedSha256 === undefined ? { by: "session" } : { by: "sha256", sha256: expectedSha256 };
}
