// stet as a file system of Mastra's workspaces: its tools get gate, journal and undo without knowing it.
import type { Path, Resolved } from "../../core/backend.ts";
import { Refusal } from "../../core/failure.ts";
import { mediaTypeOf } from "../../core/media-types.ts";
import { validate } from "../../core/options.ts";
import { bytesOf } from "../../core/version.ts";
import type { Proof } from "../../kernel/change/gate.ts";
import type { RefusedTarget } from "../../kernel/change/refused.ts";
import type { ChangedFile } from "../../kernel/change/report.ts";
import type { CallOptions, Session } from "../../kernel/session.ts";
import { displayable } from "../../kernel/text/text.ts";
import { type Asked, answerOf } from "../parts/answers.ts";
import { deleteTree } from "../parts/directories.ts";
import { relativeIn, rooted } from "../parts/framework-paths.ts";
import { appendTo, refuseOtherNames, type Written, writeTo } from "./changes.ts";
import { madeDirectories } from "./made-directories.ts";
import { theirError, theirWords } from "./mastra-errors.ts";
import { entriesOf, hitsOf, walked } from "./mastra-search.ts";
import {
  MASTRA_OPTIONS,
  type MastraFilesystem,
  type MastraFilesystemOptions,
  type MastraStat,
} from "./mastra-types.ts";
import { toolCalls } from "./tool-calls.ts";

const WAIVED: Proof = { by: "waived" };
const INSTRUCTIONS =
  "Files are kept by stet; / is the root. Read a file before you edit it. A change of a file that has changed since you read it is refused: read it again. What is deleted or replaced is kept and can be brought back.";

/** `new Workspace({ filesystem: mastraFilesystem(session) })`. One for each agent keeps apart what they have seen. */
export function mastraFilesystem(session: Session, options: MastraFilesystemOptions = {}): MastraFilesystem {
  validate(options, MASTRA_OPTIONS);
  const { overwrite: mayOverwrite = false } = options;
  const { policy, backend } = session.workspace;
  const calls = toolCalls();
  const made = madeDirectories();
  /** Whole contents that came from the agent. */
  const own = new Map<string, string>();
  const at = (path: string): Promise<string> => relativeIn(session, path, made.has);
  const isMade = ({ kind, path }: Resolved): boolean => kind === "absent" && made.has(path);

  /** What a call is refused for is thrown as Mastra's own error. A refused change is written down. */
  const asTheirs = async <T>(
    { path, tool, refused, action, both, of }: AskedOf,
    work: (call: CallOptions, place: string) => Promise<T>,
  ): Promise<T> => {
    const place = await at(path);
    const asked = { tool, refused, words: (refusal: Refusal) => theirWords(refusal, refused) };
    const targets = both?.(place) ?? (action === undefined ? [] : [{ path: place, action }]);
    const answer = await answerOf(session, { ...asked, targets }, (call) => work(call, place));
    if ("done" in answer) return answer.done;
    throw await theirError(answer.refusal, path, answer.text, of ?? "file");
  };

  /** What is replaced as a whole must be what the agent wrote, or with `overwrite` what it was shown. */
  const refuseUnknown = async (path: string, place: string, found: Resolved): Promise<void> => {
    if (found.kind === "file" && !mayOverwrite && !(await isOwn(found.path))) throw unknownLines(path, place);
  };
  const isOwn = async (place: Path): Promise<boolean> => {
    const seen = (await session.ledger.get(place))?.sha;
    return seen !== undefined && own.get(place) === seen;
  };

  /** Undefined: nothing that may be read can be there. */
  const readable = async (place: string): Promise<Resolved | undefined> => {
    const found = await backend.resolve(place).catch((error: unknown) => {
      if (error instanceof Refusal) return undefined;
      throw error;
    });
    const isKnown = found !== undefined && [found.path, ...found.via].every((each) => policy.allows(each, "read"));
    return isKnown ? found : undefined;
  };

  /** Before a change: what is wrong with the path is said by the change itself, which comes next, in its name. */
  const statBefore = async (path: string) => {
    const place = await at(path);
    const found = await readable(place);
    await calls.asked(place);
    if (found === undefined) return statOf(NOTHING_KNOWN, false);
    if (found.kind !== "absent" || isMade(found)) return statOf(found, isMade(found));
    const refusal = noSuch(path, place);
    throw await theirError(refusal, path, theirWords(refusal, STAT.refused), "file");
  };

  const info = { id: `stet-${session.id}`, name: "stet", provider: "stet", status: "ready" } as const;
  return {
    ...info,
    getInfo() {
      calls.executes();
      return { ...info, readOnly: policy.readOnly };
    },
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

    readFile(path, { encoding } = {}) {
      const edits = calls.edits();
      return asTheirs({ ...(edits ? EDIT : READ), path }, async (call, place) => {
        if (edits) await session.resolve(place, "edit", call);
        if (encoding !== "utf-8" && encoding !== "utf8") {
          const { at: found, version } = await session.readBytes(place, call);
          calls.given(place, version.sha, () => session.showed(found.path, version));
          const bytes = Buffer.from(bytesOf(version));
          return encoding === undefined ? bytes : bytes.toString(encoding);
        }
        const text = await session.read(place, undefined, { ...call, mark: false });
        calls.given(place, text.sha, () => session.showed(text.path, text));
        // An edit is made of the text itself: what stands for a stray byte in it becomes that byte again.
        return calls.toShow(place) ? displayable(text.body) : text.body;
      });
    },

    async writeFile(path, content, { overwrite = true, recursive = true, expectedMtime } = {}) {
      const source = calls.source(await at(path));
      const asked = source === undefined ? WRITE : EDIT;
      return asTheirs({ ...asked, path }, async (call, place) => {
        const found = await session.resolve(place, asked.action, call);
        if (found.kind !== "absent" && !overwrite) throw exists(path, place);
        if (source === undefined) await refuseUnknown(path, place, found);
        const wasOwn = await isOwn(found.path);
        const seen = (await session.ledger.get(found.path))?.sha;
        const written = {
          content,
          // What an edit was made of must be what was shown before it, and must still be there.
          proof: source !== undefined && seen === source ? { by: "sha256", sha256: source } : { by: "session" },
          strict: false,
          createParents: recursive,
          action: asked.action,
          check: ({ version }) => {
            if (source !== undefined && version?.sha !== source) throw changedMeanwhile(path, place);
            if (expectedMtime !== undefined && version !== null)
              refuseOther(path, place, expectedMtime, new Date(found.mtimeMs));
          },
        } as const satisfies Written;
        const sha = await writeTo(session, place, written, call);
        if (source === undefined || wasOwn) own.set(found.path, sha);
      });
    },

    appendFile: (path, content) =>
      asTheirs({ path, tool: "append_file", refused: "Nothing was written.", action: "edit" }, (call, place) =>
        appendTo(session, place, content, call),
      ),

    deleteFile: (path, { force = false } = {}) =>
      asTheirs({ ...DELETE, path }, async (call, place) => {
        const { kind, path: found, via } = await backend.resolve(place, { link: true });
        if (found === "") throw isDirectory(path, place);
        // whether there is something is not told of what may not be deleted
        for (const each of [found, ...via]) policy.check(each, "delete");
        if (kind === "absent" && force) return;
        if (kind === "directory") throw isDirectory(path, place);
        await session.delete(place, { ...call, proof: WAIVED });
      }),

    async copyFile(src, dest, { overwrite = true } = {}) {
      const to = await at(dest);
      // the file that would be changed comes first
      const both: AskedOf["both"] = (from) => [
        { path: to, action: "write" },
        { path: from, action: "read" },
      ];
      return asTheirs({ ...COPY, path: src, both }, async (call, from) => {
        const source = await session.resolve(from, "read", call);
        if (source.kind === "directory") throw isDirectory(src, from);
        const { version } = await session.readBytes(from, call);
        if (overwrite) await refuseUnknown(dest, to, await session.resolve(to, "write", call));
        const proof: Proof = { by: overwrite ? "session" : "absence" };
        const { mode } = version;
        const written = { content: bytesOf(version), proof, strict: false, createParents: true, mode };
        await writeTo(session, to, written, call);
        // A copy shows nothing of the file: of it as much counts as seen as of its source.
        const seen = await session.ledger.get(source.path);
        const { path: copy } = await backend.resolve(to);
        if (seen?.sha === version.sha) await session.ledger.set(copy, seen);
        else await session.ledger.delete(copy);
      });
    },

    async moveFile(src, dest, { overwrite = true } = {}) {
      const to = await at(dest);
      const both: AskedOf["both"] = (from) => [from, to].map((path) => ({ path, action: "move" }));
      return asTheirs({ ...MOVE, path: src, both }, async (call, from) => {
        if (overwrite) {
          await refuseOtherNames(session, to, "move", call);
          await refuseUnknown(dest, to, await session.resolve(to, "move", call));
        }
        const inspect = async (files: readonly ChangedFile[]) => {
          for (const { path, before, movedFrom } of files)
            if (movedFrom !== undefined && before !== null && before !== (await session.ledger.get(path))?.sha)
              throw unread(dest, to);
          return [];
        };
        await session.move(from, to, { ...call, proof: WAIVED, overwrite, createParents: true, inspect });
      });
    },

    mkdir: (path) =>
      asTheirs({ path, tool: "mkdir", refused: "Nothing was made.", action: "create" }, async (call, place) => {
        const { kind, path: directory } = await session.resolve(place, "create", call);
        if (kind === "absent")
          await made.add(directory, async (each) => (await backend.resolve(each)).kind === "absent");
        else if (kind !== "directory")
          throw new Refusal("already_exists", `${path} is a file.`, { path: place, next: "Choose another name." });
      }),

    rmdir: (path, { recursive = false, force = false } = {}) =>
      asTheirs({ ...DELETE, path, of: "directory" }, async (call, place) => {
        const found = await session.resolve(place, "delete", call);
        const isEmpty = isMade(found);
        const entries = isEmpty || found.kind === "absent" ? [] : await entriesOf(session, place, call);
        if ((entries.length > 0 || made.hasBelow(found.path)) && !recursive) throw notEmpty(path, place);
        if (!isEmpty && !(found.kind === "absent" && force)) await deleteTree(session, place, call);
        made.delete(found.path);
      }),

    readdir: (path, options) =>
      asTheirs({ ...LIST, path }, async (call, place) =>
        isMade(await session.resolve(place, "list", call)) ? [] : entriesOf(session, place, call, options),
      ),
    walk: (path, options) =>
      asTheirs({ ...LIST, path }, async (call, place) =>
        isMade(await session.resolve(place, "list", call)) ? [] : walked(session, place, call, options),
      ),
    grep: (options) =>
      asTheirs({ path: options.path, tool: "grep", refused: "Nothing was searched." }, (call, place) =>
        hitsOf(session, place, call, options),
      ),

    exists: (path) =>
      asTheirs({ path, tool: "file_stat", refused: "Nothing was read." }, async (call, place) => {
        const found = await session.resolve(place, "read", call);
        return found.kind !== "absent" || made.has(found.path);
      }),

    stat(path) {
      if (calls.isBefore()) return statBefore(path);
      const deletes = calls.deletes();
      const asked = deletes ? DELETE : calls.reads() ? READ : STAT;
      return asTheirs({ ...asked, path }, async (call, place) => {
        // calls beside each other cannot always be told apart: what may be read is refused by the deletion itself
        const isHidden = deletes && (await readable(place)) === undefined;
        const found = await session.resolve(place, isHidden ? "delete" : "read", call);
        if (found.kind === "absent" && !isMade(found)) throw noSuch(path, place);
        await calls.asked(place);
        return statOf(found, isMade(found));
      });
    },
  };
}

// By the names of Mastra's tools.
const READ = { tool: "read_file", refused: "Nothing was read." };
const WRITE = { tool: "write_file", refused: "Nothing was written.", action: "write" } as const;
const EDIT = { tool: "edit_file", refused: "Nothing was written.", action: "edit" } as const;
const DELETE = { tool: "delete", refused: "Nothing was deleted.", action: "delete" } as const;
const COPY = { tool: "copy_file", refused: "Nothing was copied." };
const MOVE = { tool: "move_file", refused: "Nothing was moved." };
const LIST = { tool: "list_files", refused: "Nothing was listed.", of: "directory" } as const;
const STAT = { tool: "file_stat", refused: "Nothing was read." };

interface AskedOf extends Pick<Asked, "tool" | "refused"> {
  readonly path: string;
  /** Of a change. */
  readonly action?: RefusedTarget["action"];
  /** Of a change of two files: both, in the workspace. */
  readonly both?: (place: string) => readonly RefusedTarget[];
  /** What was asked for at this path; a file, unless given. */
  readonly of?: "directory";
}

/** Mastra only wants to know whether there is something, and of when. */
const NOTHING_KNOWN: Pick<Resolved, "path" | "kind" | "size" | "mtimeMs"> = {
  path: "" as Path,
  kind: "file",
  size: 0,
  mtimeMs: 0,
};

function statOf({ path, kind, size, mtimeMs }: typeof NOTHING_KNOWN, isMade: boolean): MastraStat {
  const directory = kind === "directory" || isMade;
  const time = new Date(mtimeMs);
  return {
    name: path.split("/").at(-1) ?? "",
    path: rooted(path),
    type: directory ? "directory" : "file",
    size: directory ? 0 : size,
    createdAt: time,
    modifiedAt: time,
    ...(!directory && { mimeType: mediaTypeOf(path) ?? "text/plain" }),
  };
}

// `path` as Mastra wrote it, for the words; `place` in the workspace.

function noSuch(path: string, place: string): Refusal {
  return new Refusal("not_found", `${path} does not exist.`, { path: place, next: "Check the path." });
}

function exists(path: string, place: string): Refusal {
  return new Refusal("already_exists", `${path} exists already.`, { path: place, next: "Choose another name." });
}

function unread(path: string, place: string): Refusal {
  return new Refusal("unread_file", `${path} has not been read in this session.`, { path: place });
}

function isDirectory(path: string, place: string): Refusal {
  return new Refusal("not_a_file", `${path} is a directory.`, {
    path: place,
    next: "Name a file.",
    details: { directory: true },
  });
}

function notEmpty(path: string, place: string): Refusal {
  const next = "Delete what lies in it first, or all of it with recursive.";
  return new Refusal("command_failed", `${path} is not empty.`, { path: place, next, details: { notEmpty: true } });
}

function unknownLines(path: string, place: string): Refusal {
  const why = `${path} exists, and Mastra does not tell which of its lines were shown to you.`;
  return new Refusal("unsupported", why, {
    path: place,
    next: "Edit it, or delete it first: what is deleted is kept.",
  });
}

/** Mastra says when the file was changed last, as it knows it. */
function refuseOther(path: string, place: string, expected: Date, actual: Date): void {
  if (expected.getTime() === actual.getTime()) return;
  const details = { expectedMtime: expected.toISOString(), actualMtime: actual.toISOString() };
  throw new Refusal("stale_file", `${path} has changed since it was read.`, { path: place, details });
}

function changedMeanwhile(path: string, place: string): Refusal {
  return new Refusal("stale_file", `${path} was changed at the same moment.`, { path: place });
}
