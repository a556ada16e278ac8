// Searches with ripgrep: all threads until there is enough, and only if there is, once more in order for the first of them.
import type { Path } from "../backends/backend.ts";
import type { Deadline } from "../kernel/deadline.ts";
import { Refusal } from "../kernel/failure.ts";
import { tooComplex } from "./braces.ts";
import type { Found, Wanted } from "./found.ts";
import { comparePaths } from "./order.ts";
import { badPattern } from "./pattern.ts";
import { type Ended, type Ripgrep, run, scopeArguments } from "./ripgrep.ts";
import { countsFromText } from "./ripgrep-counts.ts";
import { hitsFromJson } from "./ripgrep-json.ts";
import type { Scope } from "./scope.ts";

/** Takes ripgrep's output as it comes. */
export interface Collector {
  /** "stop" when there is enough. */
  take(chunk: Buffer): "stop" | undefined;
  found(): Found;
}

export type Accepts = (path: string) => path is Path;

export async function grepByRipgrep(
  ripgrep: Ripgrep,
  scope: Scope,
  wanted: Wanted,
  deadline: Deadline,
  signal: AbortSignal | undefined,
): Promise<Found> {
  if (scope.at.kind === "file" && !scope.accepts(scope.at.path)) return { files: [], cut: false, filesScanned: 0 };
  const accepts: Accepts = (path): path is Path => scope.accepts(path) && !ripgrep.ignores(path);
  // A file that is named itself is searched even if it is binary; only in JSON does ripgrep say that it is.
  const json = wanted.mode === "lines" || scope.at.kind === "file";
  const hits = wanted.mode === "lines" ? wanted : { ...wanted, enough: Number.POSITIVE_INFINITY };
  const pass = async (...order: string[]): Promise<Found> => {
    const collector = json ? hitsFromJson(hits, accepts) : countsFromText(wanted, accepts);
    const format = json ? jsonArguments(hits) : countArguments(wanted);
    const args = [...order, ...format, ...patternArguments(wanted), ...scopeArguments(scope, ripgrep)];
    const ended = await run(ripgrep, args, { deadline, signal, onOutput: (chunk) => collector.take(chunk) });
    if (!ended.stopped) refuseIfFailed(ended, wanted.pattern.text);
    return { ...collector.found(), cut: ended.stopped };
  };
  const found = await pass();
  if (!found.cut) return { ...found, files: found.files.toSorted((a, b) => comparePaths(a.path, b.path)) };
  // Which hits come first from several threads is chance, and a next page has to go on where this one ends. Sorting
  // costs the threads, but there is enough to be found soon.
  return pass("--sort", "path");
}

function jsonArguments({ before, after, enough }: Wanted): string[] {
  const most = Number.isSafeInteger(enough) ? ["--max-count", String(enough)] : [];
  return ["--json", "--before-context", String(before), "--after-context", String(after), ...most];
}

function countArguments({ mode, firstPerLine }: Wanted): string[] {
  if (mode === "files") return ["--null", "--files-with-matches"];
  return ["--null", "--with-filename", firstPerLine ? "--count" : "--count-matches"];
}

function patternArguments({ pattern, maxFileBytes }: Wanted): string[] {
  return [
    pattern.literal ? "--fixed-strings" : "--engine=auto",
    pattern.caseSensitive ? "--case-sensitive" : "--ignore-case",
    ...(pattern.multiline ? ["--multiline"] : []),
    ...(maxFileBytes === undefined ? [] : ["--max-filesize", String(maxFileBytes)]),
    "--crlf",
    "--regexp",
    pattern.text,
  ];
}

/** Files that cannot be opened are passed over; a pattern that cannot be used is not. */
function refuseIfFailed({ code, stderr }: Ended, pattern: string): void {
  if (code === 0 || code === 1) return;
  if (/PCRE2: error matching|size limit/.test(stderr)) throw tooComplex(pattern, "the engine gave up on it");
  const message = stderr.split(/^rg: /m).find((text) => text.trim() !== "" && !text.startsWith("./"));
  if (message === undefined) return;
  if (/regex|PCRE2/.test(message)) throw badPattern(inWords(message));
  throw new Refusal("io_error", `The search program failed: ${message.trim().slice(0, 500)}`);
}

/** Both engines complain when neither takes the pattern; the first one's word counts unless it only lacks a feature. */
function inWords(message: string): string {
  const first = /^error: (.+)/m.exec(message)?.[1];
  const second = /PCRE2: error compiling pattern at offset \d+: (.+)/.exec(message)?.[1];
  return (
    (/is not supported|are not supported/.test(first ?? "") ? second : first) ?? second ?? message.trim().slice(0, 500)
  );
}
