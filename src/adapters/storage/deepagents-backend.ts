// stet as the storage of deepagents: its tools get gate, journal and undo without knowing it.
import { Refusal } from "../../core/failure.ts";
import { bytesOf } from "../../core/version.ts";
import type { RefusedTarget } from "../../kernel/change/refused.ts";
import type { CallOptions, Session } from "../../kernel/session.ts";
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
  /** A refused change is written down. */
  const changing = <T>(
    refused: string,
    path: string,
    { tool, action }: Change,
    work: (call: CallOptions) => Promise<T>,
  ) =>
    unlessRefused(refused, async () => {
      const call: CallOptions = { tool };
      try {
        return await work(call);
      } catch (error) {
        if (error instanceof Refusal) await session.recordRefusal(error, [{ path: at(path), action }], call);
        throw error;
      }
    });
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
      changing("Nothing was written.", path, { tool: "write_file", action: "write" }, async (call) => {
        if (typeof content !== "string") throw noText(path);
        const written = { content, proof: { by: "session" }, strict: true, createParents: true } as const;
        await writeTo(session, at(path), written, call);
        return { path, filesUpdate: null };
      }),
    edit: (path, oldText, newText, replaceAll = false) =>
      changing("Edit rejected, file unchanged.", path, { tool: "edit_file", action: "edit" }, async (call) => {
        if (typeof oldText !== "string" || typeof newText !== "string") throw noText(path);
        const occurrences = await replaceIn(session, at(path), { oldText, newText, replaceAll }, call);
        return { path, filesUpdate: null, occurrences };
      }),
    delete: (path) =>
      changing("Nothing was deleted.", path, { tool: "delete", action: "delete" }, async (call) => {
        await deleteTree(session, at(path), call);
        return { path, filesUpdate: null };
      }),
    grep: (pattern, path, glob, maxCount) =>
      unlessRefused("Nothing was searched.", () => lines(session, at(path), { pattern, glob, maxCount })),
    ...wholeFiles(session),
    glob: (pattern, path) => unlessRefused("Nothing was searched.", () => fitting(session, at(path), pattern)),
  };
}

interface Change {
  readonly tool: string;
  readonly action: NonNullable<RefusedTarget["action"]>;
}

function noText(path: string): Refusal {
  return new Refusal("invalid_input", "What was given to write is no text.", { path, next: "Give text." });
}

async function unlessRefused<T>(refused: string, work: () => Promise<T>): Promise<T | Failed> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Refusal) return { error: refusalText(error, refused) };
    throw error;
  }
}
