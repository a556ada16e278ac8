// stet as the storage of deepagents: its tools get gate, journal and undo without knowing it.
import { Refusal } from "../../core/failure.ts";
import { refuseUnknownOptions } from "../../core/options/option-names.ts";
import { bytesOf } from "../../core/version.ts";
import type { CallOptions, Session } from "../../kernel/session.ts";
import { type Asked, answerOf } from "../parts/answers.ts";
import { deleteTree } from "../parts/directories.ts";
import { onlyBelowRoot, refuseSecondSpelling } from "../parts/framework-paths.ts";
import { replaceIn, writeTo } from "./changes.ts";
import { wholeFiles } from "./deepagents-files.ts";
import { PAGE_BYTES, page } from "./deepagents-pages.ts";
import { entries, fitting, lines } from "./deepagents-search.ts";
import { DEEPAGENTS_OPTIONS, type DeepagentsBackend, type DeepagentsOptions, type Failed } from "./deepagents-types.ts";
import { mediaTypeOf } from "./media-types.ts";

/** The files of the session's workspace; "/" is its root. One for each agent keeps apart what they have seen. */
export function deepagentsBackend(session: Session, options: DeepagentsOptions = {}): DeepagentsBackend {
  refuseUnknownOptions(options, DEEPAGENTS_OPTIONS);
  const { pageBytes = PAGE_BYTES } = options;
  /** `change`: of a tool that changes something. */
  const answer = async <T>(
    path: string | null | undefined,
    { change, ...asked }: Omit<Asked, "targets"> & { readonly change?: "write" | "edit" | "delete" },
    work: (at: string, call: CallOptions) => Promise<T>,
  ): Promise<T | Failed> => {
    const at = onlyBelowRoot(path ?? "/");
    const targets = change === undefined ? [] : [{ path: at, action: change }];
    const answered = await answerOf(session, { ...asked, targets }, async (call) => {
      refuseSecondSpelling(path ?? "/");
      return work(at, call);
    });
    return "done" in answered ? answered.done : { error: answered.text };
  };
  return {
    ls: (path) => answer(path, LS, (at, call) => entries(session, at, call)),
    read: (path, offset = 0, limit = 500) =>
      answer(path, READ, (at, call) => page(session, at, { offset, limit, pageBytes }, call)),
    readRaw: (path) =>
      answer(path, { ...READ, before: "" }, async (at, call) => {
        const { at: found, version } = await session.readBytes(at, call);
        const bytes = bytesOf(version);
        const mimeType = mediaTypeOf(path) ?? "text/plain";
        const content = mimeType === "text/plain" ? Buffer.from(bytes).toString() : bytes;
        const modified_at = new Date(found.mtimeMs).toISOString();
        return { data: { content, mimeType, created_at: modified_at, modified_at } };
      }),
    write: (path, content) =>
      answer(path, WRITE, async (at, call) => {
        if (typeof content !== "string") throw noText(at);
        const written = { content, proof: { by: "session" }, strict: true, createParents: true } as const;
        await writeTo(session, at, written, call);
        return { path, filesUpdate: null };
      }),
    edit: (path, oldText, newText, replaceAll = false) =>
      answer(path, EDIT, async (at, call) => {
        if (typeof oldText !== "string" || typeof newText !== "string") throw noText(at);
        const occurrences = await replaceIn(session, at, { oldText, newText, replaceAll }, call);
        return { path, filesUpdate: null, occurrences };
      }),
    delete: (path) =>
      answer(path, DELETE, async (at, call) => {
        await deleteTree(session, at, call);
        return { path, filesUpdate: null };
      }),
    grep: (pattern, path, glob, maxCount) =>
      answer(path, GREP, (at, call) => lines(session, at, { pattern, glob, maxCount }, call)),
    ...wholeFiles(session),
    glob: (pattern, path) => answer(path, GLOB, (at, call) => fitting(session, at, pattern, call)),
  };
}

// As its tools hand on what was refused.
const LS = { tool: "ls", refused: "Nothing was listed.", before: "Error listing files: " };
const READ = { tool: "read_file", refused: "Nothing was read.", before: "Error: " };
const WRITE = { tool: "write_file", refused: "Nothing was written.", change: "write" } as const;
const EDIT = { tool: "edit_file", refused: "Edit rejected, file unchanged.", change: "edit" } as const;
const DELETE = { tool: "delete", refused: "Nothing was deleted.", change: "delete" } as const;
const GREP = { tool: "grep", refused: "Nothing was searched." };
const GLOB = { tool: "glob", refused: "Nothing was searched.", before: "Error finding files: " };

function noText(path: string): Refusal {
  return new Refusal("invalid_input", "What was given to write is no text.", { path, next: "Give text." });
}
