// stet as the storage of deepagents: `createDeepAgent({ backend: deepagentsBackend(session) })`. Nothing of theirs is imported.
import { Refusal } from "../core/failure.ts";
import { CALL_LIMITS } from "../core/limits.ts";
import { bytesOf } from "../core/version.ts";
import { splitLines } from "../edit/text/lines.ts";
import type { CallOptions, Session } from "../kernel/session.ts";
import { displayable } from "../kernel/text/text.ts";
import { findFiles, grep, listDirectory } from "../search/index.ts";
import { leavingOut } from "../surfaces/workspace/excludes.ts";
import { deleteTree } from "./parts/directories.ts";
import { relativeIn, rooted } from "./parts/framework-paths.ts";
import { mediaTypeOf } from "./parts/media-types.ts";
import { refusalText } from "./parts/words.ts";
import { replaceIn, writeTo } from "./storage/changes.ts";

/** What was refused, in words for the model. */
interface Failed {
  error: string;
}

interface FileInfo {
  path: string;
  is_dir: boolean;
  size: number;
  modified_at: string;
}

interface FileData {
  content: string | Uint8Array;
  mimeType: string;
  created_at: string;
  modified_at: string;
}

interface Page {
  content: string | Uint8Array;
  mimeType: string;
  totalLines?: number;
  startLine?: number;
  endLine?: number;
  nextOffset?: number;
}

interface Done {
  path: string;
  filesUpdate: null;
}

/** As `BackendProtocolV2` of deepagents has it. Nothing is thrown for what a model asked: refusals are in `error`. */
export interface DeepagentsBackend {
  /** What lies directly in a directory. */
  ls(path: string): Promise<Failed | { files: FileInfo[] }>;
  /** Lines of a text, which count as shown from then on; all bytes of anything else. */
  read(path: string, offset?: number, limit?: number): Promise<Failed | Page>;
  /** All of a file, for programs: it does not count as shown. */
  readRaw(path: string): Promise<Failed | { data: FileData }>;
  /** A new file, or a whole new text for one that was shown as a whole. */
  write(path: string, content: string): Promise<Failed | Done>;
  /** Replaces text in a file that was shown, and has not changed since. */
  edit(
    path: string,
    oldText: string,
    newText: string,
    replaceAll?: boolean,
  ): Promise<Failed | (Done & { occurrences: number })>;
  /** Into the trash, a directory with all that lies below it. */
  delete(path: string): Promise<Failed | Done>;
  /** Lines that hold a text. */
  grep(
    pattern: string,
    path?: string | null,
    glob?: string | null,
    maxCount?: number | null,
  ): Promise<Failed | { matches: { path: string; line: number; text: string }[]; truncated: boolean }>;
  /** Files whose names fit. */
  glob(pattern: string, path?: string): Promise<Failed | { files: FileInfo[]; truncated: boolean }>;
}

/** A page that deepagents hands on to the model as it is: it cuts more than so much. */
const PAGE_BYTES = 60_000;
/** What deepagents says of an empty file. */
const EMPTY = "System reminder: File exists but has empty contents";

/** The files of the session's workspace; "/" is its root. One for each agent keeps apart what they have seen. */
export function deepagentsBackend(session: Session): DeepagentsBackend {
  const at = (path: string | null | undefined): string => relativeIn(session, path ?? "/");
  return {
    ls: (path) =>
      unlessRefused("Nothing was listed.", async () => {
        const request = { depth: 1, hidden: true, limit: CALL_LIMITS.results };
        const { entries } = await listDirectory(session, at(path), request, { tool: "ls" });
        return { files: entries.map((entry) => infoOf({ ...entry, kind: entry.type })) };
      }),
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
    glob: (pattern, path) =>
      unlessRefused("Nothing was searched.", async () => {
        const call: CallOptions = { tool: "glob" };
        const { path: root } = await session.resolve(at(path), "search", call);
        const request = {
          root,
          pattern: pattern.replace(/^\/+/, ""),
          limit: CALL_LIMITS.results,
          ...leavingOut(undefined),
        };
        const { files, truncated } = await findFiles(session, request, call);
        return { files: files.map(infoOf), truncated };
      }),
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

function infoOf(file: {
  readonly path: string;
  readonly kind: string;
  readonly size: number;
  readonly mtimeMs: number;
}): FileInfo {
  const is_dir = file.kind === "directory";
  const path = rooted(file.path) + (is_dir ? "/" : "");
  return { path, is_dir, size: is_dir ? 0 : file.size, modified_at: new Date(file.mtimeMs).toISOString() };
}

async function page(session: Session, path: string, offset: number, limit: number): Promise<Page> {
  const call: CallOptions = { tool: "read_file" };
  const from = offset + 1;
  const range = { from, to: from + Math.max(1, limit) - 1 };
  const read = await session.read(path, range, { ...call, pageBytes: PAGE_BYTES }).catch((error: unknown) => {
    if (error instanceof Refusal && (error.kind === "binary_file" || error.kind === "not_text")) return undefined;
    throw error;
  });
  if (read === undefined) return whole(session, path, call);
  // A line that does not fit is given as a whole: there would be no way to ask for its rest.
  const {
    body,
    lines: totalLines,
    shown,
  } = read.nextColumn === undefined ? read : await session.read(path, { from, to: from }, call);
  if (totalLines === 0) return { content: EMPTY, mimeType: "text/plain" };
  if (shown.to < shown.from)
    throw new Refusal("line_out_of_range", `The file has ${totalLines} lines.`, {
      path,
      next: "Use a smaller offset.",
    });
  return {
    content: splitLines(body)
      .map(({ text }) => displayable(text))
      .join("\n"),
    mimeType: "text/plain",
    totalLines,
    startLine: shown.from,
    endLine: shown.to,
    ...(shown.to < totalLines && { nextOffset: shown.to }),
  };
}

async function whole(session: Session, path: string, call: CallOptions): Promise<Page> {
  const { at, version } = await session.readBytes(path, call);
  await session.showed(at.path, version);
  return { content: bytesOf(version), mimeType: mediaTypeOf(path) ?? "application/octet-stream" };
}

async function lines(
  session: Session,
  path: string,
  {
    pattern,
    glob,
    maxCount,
  }: { pattern: string; glob?: string | null | undefined; maxCount?: number | null | undefined },
) {
  const call: CallOptions = { tool: "grep" };
  const { path: root } = await session.resolve(path, "search", call);
  const limit = Math.min(maxCount ?? CALL_LIMITS.results, CALL_LIMITS.results);
  const { hits, truncated } = await grep(
    session,
    {
      root,
      pattern,
      literal: true,
      caseSensitive: true,
      firstPerLine: true,
      limit,
      ...(glob != null && { include: [glob] }),
      ...leavingOut(undefined),
    },
    call,
  );
  return {
    matches: hits.map((hit) => ({ path: rooted(hit.path), line: hit.line, text: displayable(hit.text) })),
    truncated,
  };
}
