// The one search by name and the one search in files of all dialects, and how their results are printed.
import * as z from "zod";
import type { Resolved } from "../../core/backend.ts";
import { printable } from "../../core/printable.ts";
import { type FindRequest, findFiles, type GrepHit, type GrepRequest, grep } from "../../search/index.ts";
import { isAbsolute } from "../input/named-paths.ts";
import type { ToolContext } from "../tool.ts";
import { foundLine } from "./legible.ts";

/** Names below a path, which is as the caller wrote it. */
export async function find({ session, call, warn }: ToolContext, path: string, request: Omit<FindRequest, "root">) {
  const root = await session.resolve(path, "search", call);
  const found = await findFiles(session, { ...request, root }, call);
  warn(...found.notes.map(printable));
  return { ...found, root: root.path === "" ? "." : root.path };
}

/** Lines of files below a path, which is as the caller wrote it. */
export async function search(
  { session, call, warn }: ToolContext,
  path: string,
  request: (root: Resolved) => Omit<GrepRequest, "root">,
) {
  const root = await session.resolve(path, "search", call);
  const found = await grep(session, { ...request(root), root }, call);
  warn(...found.notes.map(printable));
  return { ...found, root: root.path === "" ? "." : root.path };
}

/** The flags of ripgrep that models know from other Grep tools, and the parameters that they are other names for. */
const lines = z.int().min(0).max(20);

export const grepFlags = {
  context: lines.default(0).describe("Lines shown before and after a match"),
  before: lines.optional().describe("Lines shown before a match; default `context`"),
  after: lines.optional().describe("Lines shown after a match; default `context`"),
  case_insensitive: z.boolean().default(false).describe("Upper and lower case are one"),
};

/** As a request has them. */
export function linesAround({ context, before = context, after = context }: z.output<z.ZodObject<typeof grepFlags>>) {
  return { before, after };
}

/** What a result is of. */
export const MODES = { content: "lines", files_with_matches: "files", count: "count" } as const;

export const GREP_FLAGS = {
  "-A": "after",
  "-B": "before",
  "-C": "context",
  "-i": "case_insensitive",
} as const;

/** Lines are always numbered. */
export function withoutNumbers({ "-n": _numbers, ...given }: Readonly<Record<string, unknown>>) {
  return given;
}

/** Hits of a search, unless the caller asks for more. */
export const USUAL_HITS = 250;
const USUAL_BYTES = 64 * 1024;
const MAX_BYTES = 1024 * 1024;

/** Bytes of a search with this limit: only a caller that asks for more than the usual gets more. */
export function searchBytes(limit: number, usual: number = USUAL_HITS): number {
  return limit > usual ? MAX_BYTES : USUAL_BYTES;
}

/** " of 12", to stand behind how many are shown, where that is known. */
export function ofAll(total: number | undefined): string {
  return total === undefined ? "" : ` of ${total}`;
}

/** What to try when a glob finds nothing. */
export function lookDeeper(glob: string): string[] {
  if (glob.includes("**") || isAbsolute(glob)) return [];
  return [`Try ${printable(JSON.stringify(`**/${glob.replace(/^(?:\.\/)+/, "")}`))} to look in all directories below.`];
}

export interface HitLine {
  readonly path: string;
  readonly line: number;
  readonly text: string;
  readonly context?: true | undefined;
}

/** The lines of each hit; a line of two matches that span several stands with the first. */
export function hitLines(hits: readonly GrepHit[]): HitLine[][] {
  let last = 0;
  return hits.map(({ path, line, text, before, after }, n) => {
    if (hits[n - 1]?.path !== path) last = 0;
    const found = text.split("\n").map((each, at) => ({ line: line + at, text: each }));
    const end = line + found.length;
    const lines = [...before, ...found, ...after].filter((each) => each.line > last);
    last = lines.at(-1)?.line ?? last;
    return lines.map((each) => {
      const shown = { path, line: each.line, text: foundLine(each.text) };
      return each.line >= line && each.line < end ? shown : { ...shown, context: true as const };
    });
  });
}

/** `path:line:text`, and where there is context a line of dashes between places. */
export function asGrepPrints(lines: readonly HitLine[]): string {
  const isApart = lines.some(({ context }) => context);
  const printed = lines.map(({ path, line, text, context }, n) => {
    const sign = context ? "-" : ":";
    const before = lines[n - 1];
    const goesOn = n === 0 || (before?.path === path && before.line === line - 1);
    return `${isApart && !goesOn ? "--\n" : ""}${printable(path)}${sign}${line}${sign}${text}`;
  });
  return printed.join("\n");
}

/** Names at any depth, with everything below them. */
const DEFAULTS = ["node_modules", ".git", "dist", "build", ".next", ".turbo", "coverage"];

/** What a list of the caller does, in its schema. */
export const REPLACED = `Replaces the defaults: .gitignore, ${DEFAULTS.join(", ")}`;

/** A list of the caller replaces all defaults, .gitignore among them. */
export function leavingOut(excludeGlobs: readonly string[] | undefined): {
  readonly exclude: readonly string[];
  readonly gitignore: boolean;
  readonly hidden: true;
} {
  return {
    exclude: excludeGlobs ?? DEFAULTS,
    gitignore: excludeGlobs === undefined,
    hidden: true,
  };
}
