// The methods of a session that change a file, each a few lines over `session.change`.
import { LINK_MODE, type Version } from "../core/backend.ts";
import { Refusal, reworded } from "../core/failure.ts";
import { only } from "../core/options.ts";
import { versionOf } from "../core/version.ts";
import { misplaced, type Splice, sortSplices } from "../edit/text/splice.ts";
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
      if (file!.version === null)
        throw new Refusal("not_found", `${path} does not exist.`, { path, next: "Create it instead." });
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
  if (typeof edit !== "function") throw new Refusal("invalid_input", NO_EDIT, { path });
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
      if (file!.version !== null) return [null];
      throw new Refusal("not_found", `${path} does not exist.`, { path, next: CHECK });
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
      if (file!.version === null)
        throw new Refusal("not_found", `${from} does not exist.`, { path: from, next: CHECK });
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
  if (source.path === "") {
    throw new Refusal("permission_denied", "The workspace root cannot be moved.", { path: from, next: "Name a file." });
  }
  if (target.path === source.path) {
    throw new Refusal("command_failed", `${from} and ${to} are the same file, so there is nothing to move.`, {
      path: to,
      next: "Leave it where it is, or give another destination.",
    });
  }
  if (target.path.startsWith(`${source.path}/`)) {
    throw new Refusal("invalid_path", `${to} lies inside ${from}.`, {
      path: to,
      next: "Give a destination outside of what is moved.",
    });
  }
  if (target.kind === "directory") {
    throw new Refusal("already_exists", `${to} is a directory.`, {
      path: to,
      next: "Name the file it shall have there.",
    });
  }
}

function movable(version: Version, replaced: Version | null): Version {
  if (version.mode !== LINK_MODE || replaced === null) return version;
  throw new Refusal("unsupported", "A symbolic link cannot be moved over a file.", { next: "Move it to a free name." });
}

/** Without what only the verb knows. */
function changing(options: ChangeOptions): ChangeOptions {
  return only(options, CHANGE_OPTIONS);
}

const NO_EDIT = "An edit is a function from the text of the file to a list of { start, end, text }.";
const CHECK = "Check the path; list the directory to see what is there.";

/** Before the session is asked: a caller without types may hand over anything. */
function requireContent(content: unknown): void {
  if (typeof content === "string" || content instanceof Uint8Array) return;
  throw new Refusal("invalid_input", "The content of a file must be a string or bytes.");
}

/** Those of an engine always have their place; those of a caller may not. */
function placedIn({ body, path }: Text, splices: readonly Splice[]): readonly Splice[] {
  let at = 0;
  for (const splice of sortSplices(splices)) {
    const why = typeof splice.text === "string" ? misplaced(splice, at, body.length) : "has no text";
    if (why !== undefined)
      throw new Refusal("invalid_input", `The splice ${splice.start}-${splice.end} ${why}.`, {
        ...(path !== undefined && { path }),
        next: "Count from 0 in the text that the function is given, and let no two splices overlap.",
      });
    at = splice.end;
  }
  return splices;
}

function proofOf(knows: Knows): Proof {
  if ("proof" in knows && "expectedSha256" in knows && knows.expectedSha256 !== undefined)
    throw new Refusal("invalid_input", "proof and expectedSha256 cannot both be given.", { next: "Leave one out." });
  if ("proof" in knows) return knows.proof;
  const { expectedSha256 } = knows as { expectedSha256?: string };
  return expectedSha256 === undefined ? { by: "session" } : { by: "sha256", sha256: expectedSha256 };
}

const IN_THE_WAY = {
  create: "Read it, then use write or edit; or choose another path.",
  move: "Set overwrite: true to put that file into the trash, or choose another path.",
};
const NO_PARENT = "Set createParents: true to have it made, or correct the path.";

/** Says what to do about a refusal in the names of methods and options. `path` is where the file shall be: what is in the way there, or missing on the way. `from`: where it is. */
export function inMethodWords(
  method: keyof typeof IN_THE_WAY,
  path: string,
  { createParents }: Pick<CreateOptions | MoveOptions, "createParents">,
  from?: string,
): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof Refusal) || error.failure.path === from) throw error;
    const { failure } = error;
    if (failure.kind === "already_exists" && failure.details?.file) throw reworded(error, { next: IN_THE_WAY[method] });
    const parent = failure.kind === "not_found" && failure.details?.missing !== undefined;
    throw parent && createParents !== true && !NOT_TO_BE_MADE.test(path) ? reworded(error, { next: NO_PARENT }) : error;
  };
}

/** A path that names a directory, or leads back out of one that is missing. */
const NOT_TO_BE_MADE = /(?:^|[\\/])\.{0,2}$|(?:^|[\\/])\.\.[\\/]/;
