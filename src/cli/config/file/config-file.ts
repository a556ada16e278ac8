// Reads stet.config.json: JSON with comments, checked strictly, every complaint with file, line and column.
import { isUtf8 } from "node:buffer";
import { lstatSync } from "node:fs";
import { dirname } from "node:path";
import {
  findNodeAtLocation,
  type JSONPath,
  type Node,
  type ParseError,
  parseTree,
  printParseErrorCode,
} from "jsonc-parser";
import { contains, realPlace } from "../../../backends/disk/paths/owner-path.ts";
import { Refusal } from "../../../core/failure.ts";
import { readRegularFile, Unfit } from "../../../serve/regular-file.ts";
import { type Complaint, complaintsAbout } from "./complaints.ts";
import { type Config, configSchema } from "./schema.ts";

export interface ConfigFile {
  /** Absolute. */
  readonly path: string;
  readonly config: Config;
  /** The refusal of something that only showed later, such as a glob, at its place in the file. */
  refuse(at: JSONPath, what: string): Refusal;
  refuseAll(complaints: readonly Complaint[]): Refusal;
}

/** Some thousand rules. The parser, the schema and the policy take their time for each, and more are not written by hand. */
const MOST_BYTES = 256 * 1024;

/** `found`: it was not named, so it may have come with a project. */
export function readConfigFile(path: string, { found = false }: { readonly found?: boolean } = {}): ConfigFile {
  if (found) refuseElsewhere(path);
  const text = textOf(path);
  refuseDeepNesting(path, text);
  const errors: ParseError[] = [];
  const tree = parseTree(text, errors, { allowTrailingComma: true });
  if (tree === undefined || errors.length > 0) {
    const { offset, error } = errors[0] ?? { offset: 0, error: undefined };
    const what = error === undefined ? "expected an object" : syntaxWords(printParseErrorCode(error));
    throw refusal(path, [{ ...positionAt(text, offset), what }]);
  }
  const refuse = (complaints: readonly Complaint[]): Refusal =>
    refusal(
      path,
      complaints
        .slice(0, MAX_PROBLEMS)
        .map(({ at, key, what }) => ({ ...positionAt(text, offsetOf(tree, at, key === true)), what })),
      complaints.length,
    );
  const twice = repeatedKeys(tree);
  if (twice.length > 0)
    throw refusal(
      path,
      twice.slice(0, MAX_PROBLEMS).map(({ offset, what }) => ({ ...positionAt(text, offset), what })),
      twice.length,
    );
  const parsed = configSchema.safeParse(dataIn(tree));
  if (!parsed.success) throw refuse(complaintsAbout(parsed.error.issues, dataIn(tree)));
  return { path, config: parsed.data, refuse: (at, what) => refuse([{ at, what }]), refuseAll: refuse };
}

interface Placed {
  readonly line: number;
  readonly column: number;
  readonly what: string;
}

/** To find the place of each takes its time, and a list of thousands would not be read. */
const MAX_PROBLEMS = 100;

/** `count`: with those that are not told. */
function refusal(file: string, problems: readonly Placed[], count: number = problems.length): Refusal {
  const sorted = [...problems].sort((a, b) => a.line - b.line || a.column - b.column);
  const lines = sorted.map(({ line, column, what }) => `${file}:${line}:${column}: ${what}`);
  const more = count > problems.length ? [`${file}: and ${count - problems.length} more like these`] : [];
  return new Refusal("invalid_input", [...lines, ...more].join("\n"), {
    path: file,
    next: "Correct the file; until then stet does not start.",
    details: { problems: sorted.map(({ line, column, what }) => ({ line, column, what })) },
  });
}

function textOf(path: string): string {
  try {
    return decoded(path, readRegularFile(path, MOST_BYTES));
  } catch (error) {
    if (error instanceof Refusal) throw error;
    if (error instanceof Unfit) throw unreadable(path, `it ${error.message}`);
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" && lstatSync(path, { throwIfNoEntry: false }) === undefined) {
      throw new Refusal("not_found", `There is no configuration file ${path}.`, {
        path,
        next: "Write one with stet init, or leave out --config and STET_CONFIG.",
      });
    }
    const why = code === "ENOENT" ? "it is a link that leads nowhere" : String(code ?? error);
    throw unreadable(path, why, error);
  }
}

/** What is wrong with a file is told with words from it, so one that lies elsewhere is not looked into. */
function refuseElsewhere(path: string): void {
  if (lstatSync(path).isSymbolicLink() && !contains(realPlace(dirname(path)), realPlace(path))) {
    throw unreadable(
      path,
      `it is a link that leads out of its directory, and was only found. If you trust it, start with --config ${path}`,
    );
  }
}

function unreadable(path: string, why: string, cause?: unknown): Refusal {
  return new Refusal("invalid_input", `The configuration file ${path} cannot be read: ${why}.`, {
    path,
    next: "Correct it; until then stet does not start.",
    ...(cause !== undefined && { cause }),
  });
}

function decoded(path: string, bytes: Buffer): string {
  if (isUtf8(bytes)) return new TextDecoder("utf-8").decode(bytes);
  // The longest part that is valid ends where the fault is.
  let good = 0;
  for (let step = 2 ** 30; step >= 1; step /= 2) {
    if (good + step <= bytes.length && isStartOfUtf8(bytes.subarray(0, good + step))) good += step;
  }
  const before = new TextDecoder("utf-8").decode(bytes.subarray(0, good), { stream: true });
  throw refusal(path, [{ ...positionAt(before, before.length), what: "not UTF-8 text" }]);
}

/** Perhaps in the middle of a character. */
function isStartOfUtf8(bytes: Buffer): boolean {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: true });
    return true;
  } catch {
    return false;
  }
}

const DEEPEST = 64;

/** The parser goes as deep as the text does, and a configuration never needs to. */
function refuseDeepNesting(path: string, text: string): void {
  let depth = 0;
  for (const { 0: part, index } of text.matchAll(/"(?:[^"\\\r\n]|\\.)*"?|\/\/[^\r\n]*|\/\*[\s\S]*?\*\/|[[\]{}]/g)) {
    if (part === "[" || part === "{") depth++;
    if (part === "]" || part === "}") depth--;
    if (depth > DEEPEST) throw refusal(path, [{ ...positionAt(text, index), what: "nested too deeply" }]);
  }
}

function syntaxWords(code: string): string {
  const words = code.replaceAll(/([a-z])([A-Z])/g, "$1 $2").toLowerCase();
  return `not valid JSON: ${words}`;
}

/** The last of two equal keys would win unnoticed, and a "__proto__" is never meant well. */
function repeatedKeys(node: Node): { readonly offset: number; readonly what: string }[] {
  const children = node.children ?? [];
  if (node.type !== "object") return children.flatMap(repeatedKeys);
  const seen = new Set<string>(["__proto__"]);
  return children.flatMap(({ children: [key, value] = [] }) => {
    const name = key?.value as string;
    const found = value === undefined ? [] : repeatedKeys(value);
    const what = name === "__proto__" ? `${name} is no key here` : `${name} is there twice`;
    const repeated = seen.has(name) ? [{ offset: key!.offset, what }] : [];
    seen.add(name);
    return [...repeated, ...found];
  });
}

function dataIn(node: Node): unknown {
  if (node.type === "array") return (node.children ?? []).map(dataIn);
  if (node.type !== "object") return node.value;
  return Object.fromEntries(
    (node.children ?? []).map(({ children: [key, value] = [] }) => [key!.value, value && dataIn(value)]),
  );
}

/** Of the deepest part of the path that is there. */
function offsetOf(tree: Node, at: JSONPath, key: boolean): number {
  for (let length = at.length; length > 0; length--) {
    const node = findNodeAtLocation(tree, at.slice(0, length));
    if (node === undefined) continue;
    const property = node.parent?.type === "property" ? node.parent : undefined;
    return key && length === at.length && property !== undefined ? property.offset : node.offset;
  }
  return tree.offset;
}

function positionAt(text: string, offset: number): { readonly line: number; readonly column: number } {
  const before = text.slice(0, offset).split(/\r\n|\r|\n/);
  return { line: before.length, column: before.at(-1)!.length + 1 };
}
