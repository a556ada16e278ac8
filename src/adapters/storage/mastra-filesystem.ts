// stet as a file system of Mastra's workspaces: its tools get gate, journal and undo without knowing it.
import type { Resolved } from "../../core/backend.ts";
import { Refusal } from "../../core/failure.ts";
import { bytesOf } from "../../core/version.ts";
import type { Proof } from "../../kernel/change/gate.ts";
import type { RefusedTarget } from "../../kernel/change/refused.ts";
import type { CallOptions, Session } from "../../kernel/session.ts";
import { displayable } from "../../kernel/text/text.ts";
import { deleteTree } from "../parts/directories.ts";
import { relativeIn, rooted } from "../parts/framework-paths.ts";
import { mediaTypeOf } from "../parts/media-types.ts";
import { appendTo, type Written, writeTo } from "./changes.ts";
import { madeDirectories } from "./made-directories.ts";
import { theirError } from "./mastra-errors.ts";
import { entriesOf, hitsOf, walked } from "./mastra-search.ts";
import type { MastraFilesystem, MastraFilesystemOptions } from "./mastra-types.ts";
import { toolCalls } from "./tool-calls.ts";

const WAIVED: Proof = { by: "waived" };
const INSTRUCTIONS =
  "Files are kept by stet; / is the root. Read a file before you edit it. A change of a file that has changed since you read it is refused: read it again. What is deleted or replaced is kept and can be brought back.";

/** `new Workspace({ filesystem: mastraFilesystem(session) })`. One for each agent keeps apart what they have seen. */
export function mastraFilesystem(
  session: Session,
  { overwrite: mayOverwrite = false }: MastraFilesystemOptions = {},
): MastraFilesystem {
  const { policy } = session.workspace;
  const calls = toolCalls();
  const made = madeDirectories();
  /** Whole contents that came from the agent. */
  const own = new Map<string, string>();
  const at = (path: string): string => relativeIn(session, path);
  const kindOf = async (path: string, call: CallOptions): Promise<Resolved> => session.resolve(at(path), "read", call);
  const isMade = ({ kind, path }: Resolved): boolean => kind === "absent" && made.has(path);

  /** What a call is refused for is thrown as Mastra's own error. A refused change is written down. */
  const asTheirs = async <T>(
    { path, tool, refused, action, of }: Asked,
    work: (call: CallOptions) => Promise<T>,
  ): Promise<T> => {
    const call: CallOptions = { tool };
    try {
      return await work(call);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      if (action !== undefined) await session.recordRefusal(error, [{ path: at(path), action }], call);
      throw await theirError(error, path, refused, of ?? "file");
    }
  };

  const info = { id: `stet-${session.id}`, name: "stet", provider: "stet", status: "ready" } as const;
  return {
    ...info,
    getInfo: () => ({ ...info, readOnly: policy.readOnly }),
    /** None. Mastra asks for it when one of its tools begins. */
    get basePath() {
      calls.begins();
      return undefined as never;
    },
    get readOnly() {
      calls.writes();
      return policy.readOnly;
    },
    getInstructions: () => INSTRUCTIONS,

    readFile: (path, { encoding } = {}) =>
      asTheirs({ path, tool: "read_file", refused: "Nothing was read." }, async (call) => {
        if (encoding !== "utf-8" && encoding !== "utf8") {
          const { at: found, version } = await session.readBytes(at(path), call);
          calls.given(at(path), version.sha, () => session.showed(found.path, version));
          const bytes = Buffer.from(bytesOf(version));
          return encoding === undefined ? bytes : bytes.toString(encoding);
        }
        const text = await session.read(at(path), undefined, { ...call, mark: false });
        calls.given(at(path), text.sha, () => session.showed(text.path, text));
        // An edit is made of the text itself: what stands for a stray byte in it becomes that byte again.
        return calls.toShow(at(path)) ? displayable(text.body) : text.body;
      }),

    writeFile: (path, content, { overwrite = true, recursive = true, expectedMtime } = {}) => {
      const source = calls.source(at(path));
      const tool = source === undefined ? "write_file" : "edit_file";
      return asTheirs({ path, tool, refused: "Nothing was written.", action: "write" }, async (call) => {
        const { kind, path: place, mtimeMs } = await kindOf(path, call);
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
        const sha = await writeTo(session, at(path), written, call);
        if (source === undefined || isOwn) own.set(place, sha);
      });
    },

    appendFile: (path, content) =>
      asTheirs({ path, tool: "append_file", refused: "Nothing was written.", action: "edit" }, async (call) => {
        await appendTo(session, at(path), content, call);
      }),

    deleteFile: (path, { force = false } = {}) =>
      asTheirs({ path, tool: "delete", refused: "Nothing was deleted.", action: "delete" }, async (call) => {
        const { kind } = await session.workspace.backend.resolve(at(path), { link: true });
        if (kind === "absent" && force) return;
        if (kind === "directory") throw isDirectory(path);
        await session.delete(at(path), { ...call, proof: WAIVED });
      }),

    copyFile: (src, dest, { overwrite = true } = {}) =>
      asTheirs({ path: src, tool: "copy_file", refused: "Nothing was copied.", action: "create" }, async (call) => {
        if ((await kindOf(src, call)).kind === "directory") throw isDirectory(src);
        const { version } = await session.readBytes(at(src), call);
        const proof: Proof = overwrite ? WAIVED : { by: "absence" };
        const written = { content: bytesOf(version), proof, strict: false, createParents: true };
        await writeTo(session, at(dest), written, call);
      }),

    moveFile: (src, dest, { overwrite = true } = {}) =>
      asTheirs({ path: src, tool: "move_file", refused: "Nothing was moved.", action: "move" }, async (call) => {
        await session.move(at(src), at(dest), { ...call, proof: WAIVED, overwrite, createParents: true });
      }),

    mkdir: (path) =>
      asTheirs({ path, tool: "mkdir", refused: "Nothing was made.", action: "create" }, async (call) => {
        const { kind, path: place } = await session.resolve(at(path), "create", call);
        if (kind === "absent") made.add(place);
        else if (kind !== "directory")
          throw new Refusal("already_exists", `${path} is a file.`, { path, next: "Choose another name." });
      }),

    rmdir: (path, { recursive = false, force = false } = {}) => {
      const asked = {
        path,
        tool: "delete",
        refused: "Nothing was deleted.",
        action: "delete",
        of: "directory",
      } as const;
      return asTheirs(asked, async (call) => {
        const found = await kindOf(path, call);
        const isEmpty = isMade(found);
        const entries = isEmpty || found.kind === "absent" ? [] : await entriesOf(session, at(path), call);
        if ((entries.length > 0 || made.hasBelow(found.path)) && !recursive) throw notEmpty(path);
        if (!isEmpty && !(found.kind === "absent" && force)) await deleteTree(session, at(path), call);
        made.delete(found.path);
      });
    },

    readdir: (path, options) =>
      asTheirs({ path, tool: "list_files", refused: "Nothing was listed.", of: "directory" }, async (call) =>
        isMade(await kindOf(path, call)) ? [] : entriesOf(session, at(path), call, options),
      ),
    walk: (path, options) =>
      asTheirs({ path, tool: "list_files", refused: "Nothing was listed.", of: "directory" }, async (call) =>
        isMade(await kindOf(path, call)) ? [] : walked(session, at(path), call, options),
      ),
    grep: (options) =>
      asTheirs({ path: options.path, tool: "grep", refused: "Nothing was searched." }, (call) =>
        hitsOf(session, at(options.path), call, options),
      ),

    exists: (path) =>
      asTheirs({ path, tool: "file_stat", refused: "Nothing was read." }, async (call) => {
        const found = await kindOf(path, call);
        return found.kind !== "absent" || made.has(found.path);
      }),

    // Before a change too: what is said of a path must fit both.
    stat: (path) =>
      asTheirs({ path, tool: "file_stat", refused: "Nothing was done." }, async (call) => {
        const found = await kindOf(path, call);
        const directory = found.kind === "directory" || isMade(found);
        if (found.kind === "absent" && !directory)
          throw new Refusal("not_found", `${path} does not exist.`, { path, next: "Check the path." });
        await calls.asked(at(path));
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

interface Asked {
  readonly path: string;
  /** For the journal: Mastra's name of the tool that does it. */
  readonly tool: string;
  /** What did not happen, when it is refused. */
  readonly refused: string;
  /** Of a change. */
  readonly action?: RefusedTarget["action"];
  /** What was asked for at this path; a file, unless given. */
  readonly of?: "directory";
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
