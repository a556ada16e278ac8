// Reads a version, or the text of some of its lines.
import type { Backend, BackendRead, LineRange, Resolved, Version } from "../../core/backend.ts";
import { createByteCache } from "../../core/byte-cache.ts";
import { countLines, skipLines } from "../../edit/text/lines.ts";
import { refuse } from "../../words/index.ts";
import { READ_NOTES } from "../../words/workspace.ts";
import { type DecodeOptions, decode } from "../text/text.ts";
import { readPage } from "./large-file.ts";
import { clamp, partOf, type ReadRequest, type ReadResult } from "./page.ts";

/** Decoding a larger file takes milliseconds: its text is cached for the next page. */
const LARGE = 512 * 1024;

type Decoded = NonNullable<ReadResult["whole"]> & Pick<ReadResult, "lines">;

/** By backend and path, for all workspaces. Two backends may have the same name, since the sha256 decides. */
const decodedLately = createByteCache<Decoded>(96 * 1024 * 1024);

export async function readText(backend: Backend, at: Resolved, request: ReadRequest): Promise<ReadResult> {
  const read = await readPart(backend, at, request);
  return at.hardLinks === 0 ? read : { ...read, notes: [...read.notes, READ_NOTES.hard_links(at.hardLinks)] };
}

async function readPart(backend: Backend, at: Resolved, request: ReadRequest): Promise<ReadResult> {
  const { raw, range } = request;
  if (range !== undefined && at.kind === "file" && at.size > request.maxBytes) {
    return readPage(backend, at, { ...request, range });
  }
  const key = `${backend.name} ${at.path}`;
  const version = await readVersion(backend, at, raw, { ...request, likely: decodedLately.get(key)?.version });
  const { text, lines } = decoded(key, version, { path: raw, encoding: request.encoding });
  const asked = clamp(range, lines);
  const wanted = linesOf(text.body, asked, lines);
  const part = partOf(wanted, asked, request.pageBytes);
  return {
    path: at.path,
    sha: version.sha,
    size: version.size,
    mtimeMs: at.mtimeMs,
    lines,
    ...part,
    encoding: text.encoding,
    bom: text.bom,
    eol: text.eol,
    finalNewline: text.finalNewline,
    notes: part.isCut ? [...text.notes, READ_NOTES.cut_line(asked.from, firstLineBytes(wanted))] : text.notes,
    whole: { version, text },
  };
}

function decoded(key: string, version: Version, how: DecodeOptions): Decoded {
  const known = decodedLately.get(key);
  if (how.encoding === undefined && known?.version.sha === version.sha) return known;
  const text = decode(version.parts, how);
  const made = { version, text, lines: countLines(text.body) };
  const bytesOfText = text.body.length * (text.body.length === text.size ? 1 : 2);
  if (how.encoding === undefined && version.size > LARGE) decodedLately.add(key, made, version.size + bytesOfText);
  return made;
}

function linesOf(body: string, { from, to }: LineRange, total: number): string {
  if (to < from) return "";
  const start = skipLines(body, 0, from - 1);
  return body.slice(start, to === total ? undefined : skipLines(body, start, to - from + 1));
}

function firstLineBytes(text: string): number {
  return Buffer.byteLength(text.slice(0, skipLines(text, 0, 1)));
}

/** `isNew`: the path was resolved in this call, so the backend may answer with the version found then. */
export async function readVersion(
  backend: Backend,
  at: Resolved,
  raw: string,
  { maxBytes, isNew, likely }: Pick<ReadRequest, "maxBytes" | "isNew"> & Pick<BackendRead, "likely">,
): Promise<Version> {
  if (at.kind === "directory") throw refuse("directory_read", { path: raw });
  if (at.kind === "file" && at.size > maxBytes) throw refuse("too_large", { path: raw, size: at.size, maxBytes });
  const how = { maxBytes, likely, at: isNew ? at : undefined };
  const version = at.kind === "absent" ? null : await backend.read(at.path, how);
  if (version === null) throw refuse("file_missing", { path: raw, action: "read", isLink: at.throughLink });
  return version;
}
