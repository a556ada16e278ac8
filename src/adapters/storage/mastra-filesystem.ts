// stet as a file system of Mastra's workspaces: its tools get gate, journal and undo without knowing it.
import type { Resolved } from "../../core/backend.ts";
import { Refusal } from "../../core/failure.ts";
import { bytesOf } from "../../core/version.ts";
import type { Proof } from "../../kernel/change/gate.ts";
import type { CallOptions, Session } from "../../kernel/session.ts";
import { deleteTree } from "../parts/directories.ts";
import { relativeIn, rooted } from "../parts/framework-paths.ts";
import { mediaTypeOf } from "../parts/media-types.ts";
import { appendTo, type Written, writeTo } from "./changes.ts";
import { theirError } from "./mastra-errors.ts";
import { entriesOf, hitsOf, walked } from "./mastra-search.ts";
import type { MastraFilesystem, MastraFilesystemOptions } from "./mastra-types.ts";
import { turns } from "./turns.ts";

const CALL: CallOptions = { tool: "mastra" };
const WAIVED: Proof = { by: "waived" };
const INSTRUCTIONS =
  "Files are kept by stet; / is the root. Read a file before you edit it. A change of a file that has changed since you read it is refused: read it again. What is deleted or replaced is kept and can be brought back.";

/** `new Workspace({ filesystem: mastraFilesystem(session) })`. One for each agent keeps apart what they have seen. */
export function mastraFilesystem(
  session: Session,
  { overwrite: mayOverwrite = false }: MastraFilesystemOptions = {},
): MastraFilesystem {
  const { policy } = session.workspace;
  const turn = turns();
  /** Made, and still empty: only files are kept. */
  const made = new Set<string>();
  /** Whole contents that came from the agent. */
  const own = new Map<string, string>();
  const at = (path: string): string => relativeIn(session, path);
  const kindOf = async (path: string): Promise<Resolved> => session.resolve(at(path), "read", CALL);

  return {
    id: `stet-${session.id}`,
    name: "stet",
    provider: "stet",
    status: "ready",
    ...(policy.readOnly && { readOnly: true }),
    getInstructions: () => INSTRUCTIONS,

    readFile: (path, { encoding } = {}) =>
      asTheirs(path, "Nothing was read.", async () => {
        const toShow = turn.toShow(at(path));
        if (encoding !== "utf-8" && encoding !== "utf8") {
          const { at: found, version } = await session.readBytes(at(path), CALL);
          turn.given(at(path), version.sha, toShow ? () => session.showed(found.path, version) : undefined);
          const bytes = Buffer.from(bytesOf(version));
          return encoding === undefined ? bytes : bytes.toString(encoding);
        }
        const text = await session.read(at(path), undefined, { ...CALL, mark: false });
        turn.given(at(path), text.sha, toShow ? () => session.showed(text.path, text) : undefined);
        return text.body;
      }),

    writeFile: (path, content, { overwrite = true, recursive = true, expectedMtime } = {}) =>
      asTheirs(path, "Nothing was written.", async () => {
        const source = turn.source(at(path));
        await turn.settled();
        const { kind, path: place, mtimeMs } = await kindOf(path);
        if (kind !== "absent" && !overwrite)
          throw new Refusal("already_exists", `${path} exists already.`, { path, next: "Choose another name." });
        const seen = (await session.ledger.get(place))?.sha;
        const isOwn = seen !== undefined && own.get(place) === seen;
        if (kind === "file" && source === undefined && !isOwn && !mayOverwrite) throw unknownLines(path);
        const written = {
          content,
          // What an edit was made of must be what was shown before it, and must still be there.
          proof: source !== undefined && seen === source ? { by: "sha256", sha256: source } : { by: "session" },
          strict: false,
          createParents: recursive,
          check: ({ version }) => {
            if (source !== undefined && version?.sha !== source) throw changedMeanwhile(path);
            if (expectedMtime !== undefined && version !== null) refuseOther(path, expectedMtime, new Date(mtimeMs));
          },
        } as const satisfies Written;
        const sha = await writeTo(session, at(path), written, CALL);
        if (source === undefined) own.set(place, sha);
      }),

    appendFile: (path, content) =>
      asTheirs(path, "Nothing was written.", async () => {
        await appendTo(session, at(path), content, CALL);
      }),

    deleteFile: (path, { force = false } = {}) =>
      asTheirs(path, "Nothing was deleted.", async () => {
        const { kind } = await session.workspace.backend.resolve(at(path), { link: true });
        if (kind === "absent" && force) return;
        if (kind === "directory") throw isDirectory(path);
        await session.delete(at(path), { ...CALL, proof: WAIVED });
      }),

    copyFile: (src, dest, { overwrite = true } = {}) =>
      asTheirs(src, "Nothing was copied.", async () => {
        if ((await kindOf(src)).kind === "directory") throw isDirectory(src);
        const { version } = await session.readBytes(at(src), CALL);
        const proof: Proof = overwrite ? WAIVED : { by: "absence" };
        await writeTo(
          session,
          at(dest),
          { content: bytesOf(version), proof, strict: false, createParents: true },
          CALL,
        );
      }),

    moveFile: (src, dest, { overwrite = true } = {}) =>
      asTheirs(src, "Nothing was moved.", async () => {
        await session.move(at(src), at(dest), { ...CALL, proof: WAIVED, overwrite, createParents: true });
      }),

    mkdir: (path) =>
      asTheirs(path, "Nothing was made.", async () => {
        const { kind, path: place } = await session.resolve(at(path), "create", CALL);
        if (kind === "absent") made.add(place);
        else if (kind !== "directory")
          throw new Refusal("already_exists", `${path} is a file.`, { path, next: "Choose another name." });
      }),

    rmdir: (path, { recursive = false, force = false } = {}) =>
      asTheirs(
        path,
        "Nothing was deleted.",
        async () => {
          const { kind, path: place } = await kindOf(path);
          if (made.delete(place) || (kind === "absent" && force)) return;
          const entries = await entriesOf(session, at(path), CALL);
          if (entries.length > 0 && !recursive) throw notEmpty(path);
          await deleteTree(session, at(path), CALL);
        },
        "directory",
      ),

    readdir: (path, options) =>
      asTheirs(
        path,
        "Nothing was listed.",
        async () => {
          if (made.has((await kindOf(path)).path)) return [];
          return entriesOf(session, at(path), CALL, options);
        },
        "directory",
      ),
    walk: (path, options) =>
      asTheirs(path, "Nothing was listed.", () => walked(session, at(path), CALL, options), "directory"),
    grep: (options) =>
      asTheirs(options.path, "Nothing was searched.", () => hitsOf(session, at(options.path), CALL, options)),

    exists: (path) =>
      asTheirs(path, "Nothing was read.", async () => {
        const { kind, path: place } = await kindOf(path);
        return kind !== "absent" || made.has(place);
      }),

    stat: (path) =>
      asTheirs(path, "Nothing was read.", async () => {
        const found = await kindOf(path);
        const directory = found.kind === "directory" || made.has(found.path);
        if (found.kind === "absent" && !directory)
          throw new Refusal("not_found", `${path} does not exist.`, { path, next: "Check the path." });
        turn.asked(at(path));
        const time = new Date(found.mtimeMs);
        return {
          name: found.path.split("/").at(-1) ?? "",
          path: rooted(found.path),
          type: directory ? "directory" : "file",
          size: directory ? 0 : found.size,
          createdAt: time,
          modifiedAt: time,
          ...(!directory && { mimeType: mediaTypeOf(found.path) ?? "text/plain" }),
        };
      }),
  };
}

async function asTheirs<T>(
  path: string,
  refused: string,
  work: () => Promise<T>,
  of: "file" | "directory" = "file",
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof Refusal ? await theirError(error, path, refused, of) : error;
  }
}

function isDirectory(path: string): Refusal {
  return new Refusal("not_a_file", `${path} is a directory.`, {
    path,
    next: "Name a file.",
    details: { directory: true },
  });
}

function notEmpty(path: string): Refusal {
  const next = "Delete what lies in it first, or all of it with recursive.";
  return new Refusal("command_failed", `${path} is not empty.`, { path, next, details: { notEmpty: true } });
}

function unknownLines(path: string): Refusal {
  const why = `${path} exists, and Mastra does not tell which of its lines were shown to you.`;
  return new Refusal("unsupported", why, { path, next: "Edit it, or delete it first: what is deleted is kept." });
}

/** Mastra says when the file was changed last, as it knows it. */
function refuseOther(path: string, expected: Date, actual: Date): void {
  if (expected.getTime() === actual.getTime()) return;
  const details = { expectedMtime: expected.toISOString(), actualMtime: actual.toISOString() };
  throw new Refusal("stale_file", `${path} has changed since it was read.`, { path, details });
}

function changedMeanwhile(path: string): Refusal {
  return new Refusal("stale_file", `${path} was changed at the same moment.`, { path });
}
