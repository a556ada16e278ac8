// Listings and searches as Mastra's file systems give them: paths relative to where they began.
import { CALL_LIMITS } from "../../core/limits.ts";
import type { CallOptions, Session } from "../../kernel/session.ts";
import { displayable } from "../../kernel/text/text.ts";
import { grep, type ListedEntry, listDirectory } from "../../search/index.ts";
import type {
  MastraEntry,
  MastraGrep,
  MastraGrepResult,
  MastraListOptions,
  MastraWalkEntry,
  MastraWalkOptions,
} from "./mastra-types.ts";

/** Deeper than any tree that people make. */
const DEEPEST = 128;
const MOST_ENTRIES = 100_000;

export async function entriesOf(
  session: Session,
  path: string,
  call: CallOptions,
  { recursive = false, extension, maxDepth = DEEPEST }: MastraListOptions = {},
): Promise<MastraEntry[]> {
  const found = await walked(session, path, call, { maxDepth: recursive ? maxDepth + 1 : 1, includeHidden: true });
  const endings = extension === undefined ? [] : [extension].flat().map((ending) => `.${ending.replace(/^\./, "")}`);
  const fits = ({ type, name }: MastraEntry) => type === "directory" || endings.some((ending) => name.endsWith(ending));
  const named = found.map(({ path: name, ...entry }) => ({ ...entry, name }));
  return endings.length === 0 ? named : named.filter(fits);
}

export async function walked(
  session: Session,
  path: string,
  call: CallOptions,
  { maxDepth = DEEPEST, includeHidden = false }: MastraWalkOptions = {},
): Promise<MastraWalkEntry[]> {
  const request = { depth: Math.min(maxDepth, DEEPEST), hidden: includeHidden, limit: MOST_ENTRIES };
  const { entries, path: root } = await listDirectory(session, path, request, call);
  const start = root === "" ? 0 : root.length + 1;
  return entries.map((entry) => ({ ...entryOf(entry), path: entry.path.slice(start) }));
}

function entryOf({ name, type, size }: ListedEntry): MastraEntry {
  if (type === "directory") return { name, type };
  return type === "symlink" ? { name, type: "file", isSymlink: true } : { name, type, size };
}

export async function hitsOf(
  session: Session,
  path: string,
  call: CallOptions,
  wanted: MastraGrep,
): Promise<MastraGrepResult[]> {
  const { path: root } = await session.resolve(path, "search", call);
  const around = wanted.contextLines ?? 0;
  const { hits } = await grep(
    session,
    {
      root,
      pattern: wanted.pattern,
      caseSensitive: wanted.caseSensitive,
      hidden: wanted.includeHidden,
      gitignore: false,
      before: around,
      after: around,
      limit: Math.min(wanted.maxTotalMatches ?? CALL_LIMITS.results, CALL_LIMITS.results),
    },
    call,
  );
  const start = root === "" ? 0 : root.length + 1;
  const byFile = new Map<string, MastraGrepResult>();
  for (const { path: file, line, column, text, before, after } of hits) {
    const result = byFile.get(file) ?? { path: file.slice(start), matches: [] };
    byFile.set(file, result);
    if (result.matches.length >= (wanted.maxCountPerFile ?? Number.POSITIVE_INFINITY)) continue;
    const context = around > 0 && { before: before.map(shown), after: after.map(shown) };
    result.matches.push({ line, column: unitsBefore(text, column), text: shown({ text }), ...context });
  }
  return [...byFile.values()];
}

function shown({ text }: { readonly text: string }): string {
  return displayable(text.replace(/\r$/, ""));
}

/** From a column in characters, counted from 1, to one in units of JavaScript, counted from 0. */
function unitsBefore(text: string, column: number): number {
  return [...text].slice(0, column - 1).join("").length;
}
