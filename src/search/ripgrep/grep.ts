// Searches with ripgrep: all threads until there is enough, and only if there is, once more in order for the first of them.
import type { Path } from "../../core/backend.ts";
import { Refusal } from "../../core/failure.ts";
import { tooComplex } from "../globs/braces.ts";
import { comparePaths, inOrder } from "../order.ts";
import { badPattern, dependsOnLineEnds, misplacesHits } from "../pattern.ts";
import type { FileHits, Found, SearchCall, Wanted } from "../results.ts";
import type { Scope } from "../scope.ts";
import { isBinary } from "./output/binary.ts";
import { countsFromText } from "./output/counts.ts";
import { hitsFromJson } from "./output/json.ts";
import { hitsFromLines, isPlain, LINE_ARGUMENTS } from "./output/lines.ts";
import { type Ended, type Ripgrep, RipgrepUnable, run, scopeArguments } from "./process.ts";

/** Takes ripgrep's output as it comes. */
export interface Collector {
  /** "stop" when there is enough. */
  take(chunk: Buffer): "stop" | undefined;
  /** Of hits, or of files in the other modes, up to now. */
  number(): number;
  found(): Found;
}

export type Accepts = (path: string) => path is Path;

export async function searchByRipgrep(
  ripgrep: Ripgrep,
  scope: Scope,
  wanted: Wanted,
  call: SearchCall,
): Promise<Found> {
  if (!dependsOnLineEnds(wanted.pattern)) return search(ripgrep, scope, wanted, call);
  if (misplacesHits(wanted.pattern)) throw new RipgrepUnable("it looks back into the line before");
  // With --crlf the pattern is shown the "\n" of a line, and without it the "\r": each is right about one kind of line.
  const lf = await search(ripgrep, scope, { ...wanted, ends: "lf" }, call);
  const until = lf.cut ? lf.files.at(-1)?.path : undefined;
  const crlf = await search(ripgrep, scope, { ...wanted, ends: "crlf", ...(until !== undefined && { until }) }, call);
  return both(lf, crlf, wanted);
}

async function search(ripgrep: Ripgrep, scope: Scope, wanted: Wanted, call: SearchCall): Promise<Found> {
  const binary = new Set<string>();
  const accepts: Accepts = (path): path is Path => scope.accepts(path) && !binary.has(path);
  const form = formFor(scope, wanted);
  const pass = async (...order: string[]): Promise<Found> => {
    const collector = form.collector(wanted, accepts);
    const which = scopeArguments(scope, ripgrep, wanted.paths);
    const onOutput = (chunk: Buffer) => {
      const verdict = collector.take(chunk);
      call.tally.matches = Math.max(call.tally.matches, collector.number());
      return verdict;
    };
    const ended = await run(ripgrep, [...order, ...form.arguments(wanted), ...which], {
      ...call,
      weighed: true,
      onOutput,
    });
    if (!ended.stopped) refuseIfFailed(ended, wanted.pattern.text);
    const found = collector.found();
    return { ...found, cut: ended.stopped || collector.number() >= wanted.enough };
  };
  /** False when there are binary files among them, which are now known and left out the next time. */
  const areText = async (files: readonly FileHits[]): Promise<boolean> => {
    const known = binary.size;
    for (const { path } of files) if (await isBinary(scope, path, call.deadline)) binary.add(path);
    return binary.size === known;
  };

  const unordered = wanted.until === undefined ? await pass() : undefined;
  if (unordered?.cut === false) {
    await areText(leftEarly(unordered, wanted));
    const files = unordered.files.filter(({ path }) => !binary.has(path));
    return { ...unordered, files: inOrder(files, ({ path }) => path) };
  }
  // Which hits come first from several threads is chance, and a next page has to go on where this one ends. Sorting
  // costs the threads, but there is enough to be found soon.
  let found = await pass("--sort", "path");
  while (!(await areText(leftEarly(found, wanted)))) found = await pass("--sort", "path");
  return found;
}

/** In which form ripgrep answers: the shortest that says what is asked for. */
interface Form {
  collector(wanted: Wanted, accepts: Accepts): Collector;
  arguments(wanted: Wanted): string[];
}

function formFor(scope: Scope, wanted: Wanted): Form {
  if (isPlain(scope, wanted)) return LINES;
  return needsJson(scope, wanted) ? JSON_LINES : COUNTS;
}

/** Without --crlf, which adds a CR to a last line that has no end; where a plain word is makes no difference. */
const LINES: Form = {
  collector: hitsFromLines,
  arguments: (wanted) => [
    ...LINE_ARGUMENTS,
    ...atMost(wanted),
    ...patternArguments({ ...wanted, pattern: { ...wanted.pattern, literal: true }, ends: "lf" }),
  ],
};

const JSON_LINES: Form = {
  collector: hitsFromJson,
  arguments: (wanted) => [...jsonArguments(wanted), ...patternArguments(wanted)],
};

const COUNTS: Form = {
  collector: countsFromText,
  arguments: (wanted) => [...COUNT_ARGUMENTS, ...patternArguments(wanted)],
};

/** Only in JSON does ripgrep say that a file which is named itself is binary, and where in its line a hit is. */
function needsJson({ at }: Scope, { mode, firstPerLine, ends, paths, pattern }: Wanted): boolean {
  if (mode === "lines" || at.kind === "file" || ends !== undefined || paths !== undefined) return true;
  if (mode === "count" && (!firstPerLine || pattern.multiline)) return true;
  return /\\B|-half/.test(pattern.text);
}

/** ripgrep notices a NUL as it reads, which it does not do beyond --max-count, nor of all that it holds at once. */
function leftEarly({ files }: Found, { mode, enough, pattern }: Wanted): readonly FileHits[] {
  if (pattern.multiline) return files;
  return mode === "lines" ? files.filter(({ count }) => count >= enough) : [];
}

/** The first of both together are among the first of each. */
export function both(one: Found, other: Found, { mode, enough }: Wanted): Found {
  const byPath = new Map<Path, FileHits>();
  for (const { path, count, hits } of [...one.files, ...other.files]) {
    const before = byPath.get(path);
    const merged = [...(before?.hits ?? []), ...hits].sort((a, b) => a.line - b.line || a.column - b.column);
    byPath.set(path, { path, count: count + (before?.count ?? 0), hits: merged });
  }
  const files = [...byPath.values()].sort((a, b) => comparePaths(a.path, b.path));
  const number = mode === "lines" ? files.reduce((sum, { count }) => sum + count, 0) : files.length;
  const cut = one.cut || other.cut || number >= enough;
  const notes = [...new Set([...(one.notes ?? []), ...(other.notes ?? [])])];
  return { files, cut, ...(notes.length > 0 && { notes }) };
}

function jsonArguments(wanted: Wanted): string[] {
  const { before, after } = wanted;
  return ["--json", "--before-context", String(before), "--after-context", String(after), ...atMost(wanted)];
}

function atMost({ mode, enough, ends }: Wanted): string[] {
  return mode === "lines" && Number.isSafeInteger(enough) && ends === undefined ? ["--max-count", String(enough)] : [];
}

/** Where only the names are wanted, too: --files-with-matches leaves a file before it can turn out to be binary. */
const COUNT_ARGUMENTS = ["--null", "--with-filename", "--count"];

/** Files with a line that is not UTF-8 throughout: a pattern of any characters does not match it. */
export async function notUtf8(ripgrep: Ripgrep, scope: Scope, call: SearchCall): Promise<Path[]> {
  const accepts: Accepts = (path): path is Path => scope.accepts(path);
  const { take, found } = countsFromText({ enough: Number.POSITIVE_INFINITY }, accepts);
  const inverted = [...COUNT_ARGUMENTS, "--invert-match", "--no-mmap", "--regexp", "^.*$"];
  await run(ripgrep, [...inverted, ...scopeArguments(scope, ripgrep)], { ...call, onOutput: take });
  return found().files.map(({ path }) => path);
}

function patternArguments({ pattern, maxFileBytes, ends }: Wanted): string[] {
  return [
    pattern.literal ? "--fixed-strings" : "--engine=auto",
    pattern.caseSensitive ? "--case-sensitive" : "--ignore-case",
    ...(pattern.multiline ? ["--multiline", ...ACROSS_LINES] : []),
    ...(maxFileBytes === undefined ? [] : ["--max-filesize", String(maxFileBytes)]),
    ...(ends === "lf" ? [] : ["--crlf"]),
    "--no-mmap",
    "--regexp",
    pattern.text,
  ];
}

/** Matches nothing, but could match the end of a line: otherwise ripgrep quietly goes back to searching line by line. */
const ACROSS_LINES = ["--regexp", "\\n\\b\\B"];

/** Files that cannot be opened are passed over; a pattern that cannot be used is not. */
function refuseIfFailed({ code, stderr }: Ended, pattern: string): void {
  if (code === 0 || code === 1) return;
  if (/^thread .* panicked at /m.test(stderr)) throw new RipgrepUnable(stderr.slice(0, 500));
  if (/PCRE2: error matching|size limit/.test(stderr)) throw tooComplex(pattern, "the engine gave up on it");
  const message = stderr.split(/^rg: /m).find((text) => text.trim() !== "" && !text.startsWith("./"));
  if (message === undefined) return;
  if (/regex|PCRE2/.test(message)) throw badPattern(inWords(message));
  throw new Refusal("io_error", `The search program failed: ${message.trim().slice(0, 500)}`, {
    next: "Look at the disk, then retry.",
  });
}

/** Both engines complain when neither takes the pattern; the first one's word counts unless it only lacks a feature. */
function inWords(message: string): string {
  const first = /^error: (.+)/m.exec(message)?.[1];
  const second = /PCRE2: error compiling pattern at offset \d+: (.+)/.exec(message)?.[1];
  return (
    (/is not supported|are not supported/.test(first ?? "") ? second : first) ?? second ?? message.trim().slice(0, 500)
  );
}
