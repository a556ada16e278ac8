// Reading: a version, or the text of some of its lines.
import type { Backend, LineRange, Resolved, Version } from "../../core/backend.ts";
import { Refusal } from "../../core/failure.ts";
import { countLines, skipLines } from "../../edit/text/lines.ts";
import { decode } from "../text/text.ts";
import { readPage } from "./large-file.ts";
import { clamp, partOf, type ReadRequest, type ReadResult, tooLarge } from "./page.ts";

export async function readText(backend: Backend, at: Resolved, request: ReadRequest): Promise<ReadResult> {
  const read = await readPart(backend, at, request);
  return at.hardLinks === 0 ? read : { ...read, notes: [...read.notes, noteOnLinks(at.hardLinks)] };
}

/** The policy goes by the name that was asked for, and says nothing of the others. */
function noteOnLinks(count: number): string {
  const [names, them] = count === 1 ? ["1 other name", "it"] : [`${count} other names`, "them"];
  return `The file has ${names} by hard link, here or outside the workspace: what is written through ${them} shows here, and a change made here does not reach ${them}.`;
}

async function readPart(backend: Backend, at: Resolved, request: ReadRequest): Promise<ReadResult> {
  const { raw, range } = request;
  if (range !== undefined && at.kind === "file" && at.size > request.maxBytes) {
    return readPage(backend, at, { ...request, range });
  }
  const version = await readVersion(backend, at, raw, request);
  const text = decode(version.parts, {
    path: raw,
    ...(request.encoding !== undefined && { encoding: request.encoding }),
  });
  const lines = countLines(text.body);
  const asked = clamp(range, lines);
  return {
    path: at.path,
    sha: version.sha,
    size: version.size,
    mtimeMs: at.mtimeMs,
    lines,
    ...partOf(linesOf(text.body, asked, lines), asked, request),
    encoding: text.encoding,
    bom: text.bom,
    eol: text.eol,
    finalNewline: text.finalNewline,
    notes: text.notes,
    whole: { version, text },
  };
}

function linesOf(body: string, { from, to }: LineRange, total: number): string {
  if (to < from) return "";
  const start = skipLines(body, 0, from - 1);
  return body.slice(start, to === total ? undefined : skipLines(body, start, to - from + 1));
}

/** With `isNew` the path was resolved in this same call. */
export async function readVersion(
  backend: Backend,
  at: Resolved,
  raw: string,
  { maxBytes, isNew }: { readonly maxBytes: number; readonly isNew: boolean },
): Promise<Version> {
  if (at.kind === "directory") {
    throw new Refusal("not_a_file", `${raw} is a directory.`, {
      path: raw,
      next: "List it instead, or name a file in it.",
    });
  }
  if (at.kind === "file" && at.size > maxBytes) throw tooLarge(raw, at.size, maxBytes);
  const version = at.kind === "absent" ? null : await backend.read(at.path, { maxBytes, ...(isNew && { at }) });
  if (version === null) {
    const why = at.throughLink ? "is a symbolic link, and nothing is where it leads" : "does not exist";
    throw new Refusal("not_found", `${raw} ${why}.`, {
      path: raw,
      next: "Check the path; list the directory to see what is there.",
    });
  }
  return version;
}
