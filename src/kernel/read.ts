// Reading: a version, or the text of some of its lines.
import type { Backend, Resolved, Version } from "../backends/backend.ts";
import { splitLines } from "../edit/lines.ts";
import { Refusal } from "./failure.ts";
import { clamp, type ReadRequest, type ReadResult, tooLarge } from "./page.ts";
import { readPage } from "./read-page.ts";
import { decode } from "./text.ts";

export async function readText(backend: Backend, at: Resolved, request: ReadRequest): Promise<ReadResult> {
  const { raw, range } = request;
  if (range !== undefined && at.kind === "file" && at.size > request.maxBytes) {
    return readPage(backend, at, { ...request, range });
  }
  const version = await readVersion(backend, at, raw, request.maxBytes);
  const text = decode(version.parts, {
    path: raw,
    ...(request.encoding !== undefined && { encoding: request.encoding }),
  });
  const lines = splitLines(text.body);
  const shown = clamp(range, lines.length);
  const first = lines[shown.from - 1];
  const after = lines[shown.to];
  const body = first === undefined || shown.to < shown.from ? "" : text.body.slice(first.start, after?.start);
  return {
    path: at.path,
    sha: version.sha,
    size: version.size,
    mtimeMs: at.mtimeMs,
    lines: lines.length,
    shown,
    body,
    encoding: text.encoding,
    bom: text.bom,
    eol: text.eol,
    finalNewline: text.finalNewline,
    notes: text.notes,
    whole: { version, text },
  };
}

export async function readVersion(backend: Backend, at: Resolved, raw: string, maxBytes: number): Promise<Version> {
  if (at.kind === "directory") {
    throw new Refusal("not_a_file", `${raw} is a directory.`, {
      path: raw,
      next: "List it instead, or name a file in it.",
    });
  }
  if (at.kind === "file" && at.size > maxBytes) throw tooLarge(raw, at.size, maxBytes);
  const version = at.kind === "absent" ? null : await backend.read(at.path, { maxBytes });
  if (version === null) {
    throw new Refusal("not_found", `${raw} does not exist.`, {
      path: raw,
      next: "Check the path; list the directory to see what is there.",
    });
  }
  return version;
}
