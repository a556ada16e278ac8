// stet as the storage of deepagents: its tools get gate, journal and undo without knowing it.
import { validate } from "../../api/options.ts";
import { Refusal } from "../../core/failure.ts";
import { CALL_LIMITS } from "../../core/limits.ts";
import { bytesOf } from "../../core/version.ts";
import { splitLines, withoutCr } from "../../edit/text/lines.ts";
import type { CallOptions, Session } from "../../kernel/session.ts";
import { displayable } from "../../kernel/text/text.ts";
import { findFiles, grep, listDirectory } from "../../search/index.ts";
import { mediaTypeOf } from "../../surfaces/media-types.ts";
import { deleteTree } from "../../surfaces/shared/directories.ts";
import { leavingOut } from "../../surfaces/shared/search.ts";
import { plural } from "../../words/plural.ts";
import { type Asked, answerOf } from "../parts/answers.ts";
import { onlyBelowRoot, refuseSecondSpelling, rooted } from "../parts/framework-paths.ts";
import { replaceIn, writeTo } from "./deepagents-changes.ts";
import {
  DEEPAGENTS_OPTIONS,
  type DeepagentsBackend,
  type DeepagentsOptions,
  type Failed,
  type FileInfo,
  type FileOperationError,
  type Page,
} from "./deepagents-types.ts";

/** The files of the session's workspace; "/" is its root. Give each agent one: what it has seen is its own. */
export function deepagentsBackend(session: Session, options: DeepagentsOptions = {}): DeepagentsBackend {
  validate(options, DEEPAGENTS_OPTIONS);
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
      answer(path, { ...READ }, async (at, call) => {
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
        const given = mediaTypeOf(path) === undefined ? content : fromBase64(at, content);
        await writeTo(session, at, { content: given, proof: { by: "session" }, strict: true }, call);
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
    grep: (...sought) => answer(sought[1], GREP, (at, call) => lines(session, at, sought, call)),
    ...wholeFiles(session),
    glob: (pattern, path) => answer(path, GLOB, (at, call) => fitting(session, at, pattern, call)),
  };
}

// As its tools hand on what was refused.
const LS = { tool: "ls", refused: "Nothing was listed." };
const READ = { tool: "read_file", refused: "Nothing was read." };
const WRITE = { tool: "write_file", refused: "Nothing was written.", change: "write" } as const;
const EDIT = { tool: "edit_file", refused: "Edit rejected, file unchanged.", change: "edit" } as const;
const DELETE = { tool: "delete", refused: "Nothing was deleted.", change: "delete" } as const;
const GREP = { tool: "grep", refused: "Nothing was searched." };
const GLOB = { tool: "glob", refused: "Nothing was searched." };

/** As deepagents' own storages take bytes: in base64, also as a `data:` URL. */
function fromBase64(path: string, content: string): Uint8Array {
  const given = content.replace(/^\s*data:[^,]*,|\s/g, "").replace(/={1,2}$/, "");
  const bytes = Buffer.from(given, "base64");
  if (bytes.toString("base64").replace(/={1,2}$/, "") === given) return bytes;
  const why = `${path} holds bytes, and what was given is not base64.`;
  throw new Refusal("invalid_input", why, { path, next: "Give its bytes in base64." });
}

function noText(path: string): Refusal {
  return new Refusal("invalid_input", "What was given to write is no text.", { path, next: "Give text." });
}

/** A page that deepagents hands on to the model as it is, unless its options cut earlier. */
const PAGE_BYTES = 60_000;
/** Of more bytes it hands on nothing. It counts them by their base64, which stands for three at a time. */
const HANDED_ON_BYTES = 10_485_760;
/** What deepagents says of an empty file. */
const EMPTY = "System reminder: File exists but has empty contents";

async function page(
  session: Session,
  path: string,
  { offset, limit, pageBytes }: { readonly offset: number; readonly limit: number; readonly pageBytes: number },
  call: CallOptions,
): Promise<Page> {
  if (limit <= 0)
    throw new Refusal("invalid_input", `limit is ${limit}, so there is nothing to show.`, {
      path,
      next: "Ask for one line or more.",
    });
  const from = offset + 1;
  const range = { from, to: from + limit - 1 };
  const read = await session.read(path, range, { ...call, pageBytes }).catch((error: unknown) => {
    if (error instanceof Refusal && (error.kind === "binary_file" || error.kind === "not_text")) return undefined;
    throw error;
  });
  if (read === undefined) return whole(session, path, call);
  // A line that does not fit is given as a whole: there would be no way to ask for its rest. deepagents cuts it, so only
  // what surely arrives counts as shown.
  const {
    body,
    lines: totalLines,
    shown,
  } = !read.isCut ? read : await session.read(path, { from, to: from }, { ...call, mark: false });
  if (totalLines === 0) return { content: EMPTY, mimeType: "text/plain" };
  if (shown.to < shown.from)
    throw new Refusal("line_out_of_range", `The file has ${plural(totalLines, "line")}.`, {
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
  const handedOn = Math.ceil(version.size / 3) * 3 <= HANDED_ON_BYTES;
  if (handedOn) await session.showed(at.path, version);
  return { content: bytesOf(version), mimeType: mediaTypeOf(path) ?? "application/octet-stream" };
}

async function entries(session: Session, path: string, call: CallOptions) {
  const request = { depth: 1, hidden: true, limit: CALL_LIMITS.results };
  const { entries } = await listDirectory(session, path, request, call);
  return { files: entries.map((entry) => infoOf({ ...entry, kind: entry.type })) };
}

async function fitting(session: Session, path: string, pattern: string, call: CallOptions) {
  const { path: root } = await session.resolve(path, "search", call);
  const request = { root, pattern: pattern.replace(/^\/+/, ""), limit: CALL_LIMITS.results, ...leavingOut(undefined) };
  const { files, truncated } = await findFiles(session, request, call);
  return { files: files.map(infoOf), truncated };
}

async function lines(
  session: Session,
  path: string,
  [pattern, , glob, maxCount]: Parameters<DeepagentsBackend["grep"]>,
  call: CallOptions,
) {
  const { path: root } = await session.resolve(path, "search", call);
  const limit = Math.min(maxCount ?? CALL_LIMITS.results, CALL_LIMITS.results);
  const { hits, truncated } = await grep(
    session,
    {
      root,
      pattern,
      literal: true,
      caseSensitive: true,
      limit,
      ...(glob != null && { include: [glob] }),
      ...leavingOut(undefined),
    },
    call,
  );
  return {
    matches: hits.map((hit) => ({ path: rooted(hit.path), line: hit.line, text: displayable(withoutCr(hit.text)) })),
    truncated,
  };
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

/** What is uploaded is made of what was downloaded, or uploaded; where nothing was, the gate is that of the session. */
function wholeFiles(session: Session): Pick<DeepagentsBackend, "downloadFiles" | "uploadFiles"> {
  const given = new Map<string, string>();
  return {
    downloadFiles: (paths) =>
      eachOf(paths, async (path) => {
        const at = onlyBelowRoot(path);
        const asked = { ...NO_WORDS, tool: "download_files" };
        const read = await answerOf(session, asked, async (call) => (await session.readBytes(at, call)).version);
        if (!("done" in read)) return { path, content: null, error: codeOf(read.refusal) };
        given.set(at, read.done.sha);
        return { path, content: bytesOf(read.done), error: null };
      }),
    uploadFiles: (files) =>
      eachOf(files, async ([path, content]) => {
        const at = onlyBelowRoot(path);
        const sha256 = given.get(at);
        const proof = sha256 === undefined ? ({ by: "session" } as const) : ({ by: "sha256", sha256 } as const);
        const written = { content, proof, strict: sha256 === undefined };
        const asked = { ...NO_WORDS, tool: "upload_files", targets: [{ path: at, action: "write" }] } as const;
        const done = await answerOf(session, asked, async (call) => {
          const { path: place } = await session.resolve(at, "write", call);
          const seen = await session.ledger.get(place);
          const sha = await writeTo(session, at, written, call);
          // The agent was shown nothing of it.
          await (seen === undefined ? session.ledger.delete(place) : session.ledger.set(place, seen));
          return sha;
        });
        given.delete(at);
        if ("done" in done) given.set(at, done.done);
        return { path, error: "done" in done ? null : codeOf(done.refusal) };
      }),
  };
}

/** One after the other: the same path may come twice. */
async function eachOf<From, To>(all: readonly From[], work: (one: From) => Promise<To>): Promise<To[]> {
  const done: To[] = [];
  for (const one of all) done.push(await work(one));
  return done;
}

/** deepagents takes a code, and no words. */
const NO_WORDS = { refused: "", words: codeOf };

function codeOf({ kind }: Refusal): FileOperationError {
  if (kind === "not_found") return "file_not_found";
  if (kind === "not_a_file") return "is_directory";
  return kind === "outside_workspace" || kind === "invalid_path" ? "invalid_path" : "permission_denied";
}
