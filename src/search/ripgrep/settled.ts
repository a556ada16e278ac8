// What ripgrep found in directories that were touched while it ran counts only once it was found there with them at rest.
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { Path } from "../../core/backend.ts";
import { listed } from "../../core/counted.ts";
import { startDeadline } from "../../core/deadline.ts";
import { Refusal } from "../../core/failure.ts";
import { parentOf } from "../../core/paths.ts";
import { grepByJavascript } from "../fallback/grep.ts";
import { comparePaths } from "../order.ts";
import type { FileHits, Found, SearchCall, Wanted } from "../results.ts";
import type { Scope } from "../scope.ts";
import { searchByRipgrep } from "./grep.ts";
import type { Ripgrep } from "./process.ts";
import { LAG_MS, look, momentBefore, movedSince } from "./unmoved.ts";

/** A file that was written a moment ago touches its directory, too; that is over after the first pause. */
const TRIES = 3;
/** Of one command line, well below the shortest limit of any system. */
const MOST_CHARACTERS = 20_000;
/** Patterns that are slow only in JavaScript shall not use up the whole call. */
const MOST_CONFINED_MS = 2000;

export async function grepByRipgrep(ripgrep: Ripgrep, scope: Scope, wanted: Wanted, call: SearchCall): Promise<Found> {
  const named = scope.at.kind === "file" ? scope.at.path : undefined;
  if (named !== undefined && !scope.accepts(named)) return { files: [], cut: false };
  const start = momentBefore();
  const replaced = named !== undefined && !isFile(ripgrep, named);
  const found = replaced ? { files: [], cut: false } : await searchByRipgrep(ripgrep, scope, wanted, call);
  const paths = found.files.map(({ path }) => path);
  let touched = replaced ? new Set([named]) : await movedSince(ripgrep, paths, start);
  if (touched.size === 0) return found;

  const files = found.files.filter(({ path }) => !touched.has(path));
  for (let n = 0; n < TRIES && touched.size > 0; n++) {
    await pause(LAG_MS + 2);
    const restart = momentBefore();
    const again = await searchIn(ripgrep, scope, wanted, call, [...touched].sort(comparePaths));
    const moving = await movedSince(ripgrep, [...touched], restart);
    files.push(...again.filter(({ path }) => !moving.has(path)));
    touched = moving;
  }
  const confined = touched.size === 0 ? undefined : await searchConfined(scope, wanted, call, touched);
  files.push(...(confined?.files ?? []));
  files.sort((a, b) => comparePaths(a.path, b.path));
  const notes = [...(found.notes ?? []), ...(confined?.notes ?? [])];
  return { ...found, files, ...(notes.length > 0 && { notes }) };
}

async function searchIn(
  ripgrep: Ripgrep,
  scope: Scope,
  wanted: Wanted,
  call: SearchCall,
  paths: readonly Path[],
): Promise<FileHits[]> {
  const files: FileHits[] = [];
  for (const part of commandLines(paths.filter((path) => isFile(ripgrep, path)))) {
    for (const file of (await searchByRipgrep(ripgrep, scope, { ...wanted, paths: part }, call)).files)
      files.push(file);
  }
  return files;
}

function* commandLines(paths: readonly Path[]): Generator<Path[]> {
  let part: Path[] = [];
  let characters = 0;
  for (const path of paths) {
    if (part.length > 0 && characters + path.length > MOST_CHARACTERS) {
      yield part;
      part = [];
      characters = 0;
    }
    part.push(path);
    characters += path.length + 3;
  }
  if (part.length > 0) yield part;
}

/** What is named is opened whatever it is, and a pipe would be waited for. */
function isFile({ directory }: Ripgrep, path: Path): boolean {
  return look(join(directory, path))?.isFile() === true;
}

/** In directories that never rest, only the backend knows the way and stays inside. What it cannot search is said. */
async function searchConfined(
  scope: Scope,
  wanted: Wanted,
  call: SearchCall,
  paths: ReadonlySet<Path>,
): Promise<Pick<Found, "files" | "notes">> {
  const deadline = startDeadline(Math.min(MOST_CONFINED_MS, call.deadline.remainingMs() / 2), call.signal);
  try {
    return await grepByJavascript(scope, wanted, { ...call, deadline }, [...paths].sort(comparePaths));
  } catch (error) {
    if (!(error instanceof Refusal) || error.kind === "cancelled") throw error;
    call.deadline.check();
    return { files: [], notes: [notChecked(paths, error)] };
  }
}

function notChecked(paths: ReadonlySet<Path>, { failure }: Refusal): string {
  const directories = [...new Set(Array.from(paths, (path) => parentOf(path) || "."))];
  return `Matches in ${listed(directories)} are left out: entries there were moved all through the search, and it could not be done in another way (${failure.message}) Search there again when they are at rest.`;
}
