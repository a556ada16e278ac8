// stet as the storage of deepagents: its tools get gate, journal and undo without knowing it.
import { Refusal } from "../../core/failure.ts";
import { bytesOf } from "../../core/version.ts";
import type { Session } from "../../kernel/session.ts";
import { deleteTree } from "../parts/directories.ts";
import { relativeIn } from "../parts/framework-paths.ts";
import { mediaTypeOf } from "../parts/media-types.ts";
import { refusalText } from "../parts/words.ts";
import { replaceIn, writeTo } from "./changes.ts";
import { wholeFiles } from "./deepagents-files.ts";
import { page } from "./deepagents-pages.ts";
import { entries, fitting, lines } from "./deepagents-search.ts";
import type { DeepagentsBackend, Failed } from "./deepagents-types.ts";

/** The files of the session's workspace; "/" is its root. One for each agent keeps apart what they have seen. */
export function deepagentsBackend(session: Session): DeepagentsBackend {
  const at = (path: string | null | undefined): string => relativeIn(session, path ?? "/");
  return {
    ls: (path) => unlessRefused("Nothing was listed.", () => entries(session, at(path))),
    read: (path, offset = 0, limit = 500) =>
      unlessRefused("Nothing was read.", () => page(session, at(path), offset, limit)),
    readRaw: (path) =>
      unlessRefused("Nothing was read.", async () => {
        const { at: found, version } = await session.readBytes(at(path), { tool: "read_file" });
        const bytes = bytesOf(version);
        const mimeType = mediaTypeOf(path) ?? "text/plain";
        const content = mimeType === "text/plain" ? Buffer.from(bytes).toString() : bytes;
        const modified_at = new Date(found.mtimeMs).toISOString();
        return { data: { content, mimeType, created_at: modified_at, modified_at } };
      }),
    write: (path, content) =>
      unlessRefused("Nothing was written.", async () => {
        const written = { content, proof: { by: "session" }, strict: true, createParents: true } as const;
        await writeTo(session, at(path), written, { tool: "write_file" });
        return { path, filesUpdate: null };
      }),
    edit: (path, oldText, newText, replaceAll = false) =>
      unlessRefused("Edit rejected, file unchanged.", async () => {
        const edit = { oldText, newText, replaceAll };
        const occurrences = await replaceIn(session, at(path), edit, { tool: "edit_file" });
        return { path, filesUpdate: null, occurrences };
      }),
    delete: (path) =>
      unlessRefused("Nothing was deleted.", async () => {
        await deleteTree(session, at(path), { tool: "delete" });
        return { path, filesUpdate: null };
      }),
    grep: (pattern, path, glob, maxCount) =>
      unlessRefused("Nothing was searched.", () => lines(session, at(path), { pattern, glob, maxCount })),
    ...wholeFiles(session),
    glob: (pattern, path) => unlessRefused("Nothing was searched.", () => fitting(session, at(path), pattern)),
  };
}

async function unlessRefused<T>(refused: string, work: () => Promise<T>): Promise<T | Failed> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Refusal) return { error: refusalText(error, refused) };
    throw error;
  }
}
