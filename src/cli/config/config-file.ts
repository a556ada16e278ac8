// Reads stet.config.json: JSON with comments, validated strictly; every problem has its file, line and column.
import { isUtf8 } from "node:buffer";
import { lstatSync } from "node:fs";
import { dirname } from "node:path";
import {
  findNodeAtLocation,
  getNodeValue,
  type JSONPath,
  type Node,
  type ParseError,
  parseTree,
  printParseErrorCode,
} from "jsonc-parser";
import type { z } from "zod";
import { contains, realPlace } from "../../backends/disk/paths/owner-path.ts";
import { Refusal } from "../../core/failure.ts";
import { readRegularFile, Unfit } from "../../serve/regular-file.ts";
import { nearest } from "../options/given.ts";
import { type Config, configSchema, knownKeys, projectSchema } from "./schema.ts";

export interface ConfigFile {
  /** Absolute. */
  readonly path: string;
  readonly config: Config;
  /** The refusal of a value that the schema cannot judge, such as a glob, at its place in the file. */
  refuse(at: JSONPath, what: string): Refusal;
}

/** Each rule takes the parser, the schema and the policy time; an owner writes fewer. */
const MAX_BYTES = 256 * 1024;
const MAX_PROBLEMS = 100;

/** `named`: the owner named it. A file that lay in a project may have come with it, and may say only what narrows. */
export function readConfigFile(path: string, { named }: { readonly named: boolean }): ConfigFile {
  if (!named) refuseLinkOutside(path);
  const text = textOf(path);
  const refuse = (problems: readonly Problem[]): Refusal => refusal(path, text, problems);
  const errors: ParseError[] = [];
  try {
    const tree = parseTree(text, errors, { allowTrailingComma: true });
    if (tree === undefined || errors.length > 0) throw refuse([syntaxProblem(errors[0])]);
    const twice = repeatedKeys(tree);
    if (twice.length > 0) throw refuse(twice);
    const value: unknown = getNodeValue(tree);
    const at: Locate = (where, what, isKey = false) => ({ offset: offsetOf(tree, where, isKey), what });
    const check = (schema: z.ZodType, words: (key: string, issue: Issue) => string): void => {
      const { error } = schema.safeParse(value);
      if (error !== undefined) throw refuse(error.issues.flatMap((issue) => problemsOf(issue, [], at, words)));
    };
    check(configSchema, whatIsWrong);
    if (!named) check(projectSchema, (key, issue) => notOfProject(path, key, issue));
    return { path, config: configSchema.parse(value), refuse: (where, what) => refuse([at(where, what)]) };
  } catch (error) {
    if (error instanceof RangeError) throw refuse([{ offset: 0, what: "nested too deeply" }]);
    throw error;
  }
}

interface Problem {
  readonly offset: number;
  readonly what: string;
}

type Locate = (path: JSONPath, what: string, isKey?: boolean) => Problem;
type Issue = z.core.$ZodIssue;

function problemsOf(
  issue: Issue,
  above: JSONPath,
  at: Locate,
  words: (key: string, issue: Issue) => string,
): Problem[] {
  const path = [...above, ...(issue.path as JSONPath)];
  if (issue.code === "unrecognized_keys")
    return issue.keys.map((key) => at([...path, key], words(keyOf([...path, key]), issue), true));
  // The branch whose own kind of value was given: the problem lies inside it, or is a key too many.
  const closest = (issue.code === "invalid_union" ? issue.errors : []).find((issues) =>
    issues.every(({ path: inner, code }) => inner.length > 0 || code === "unrecognized_keys"),
  );
  if (closest !== undefined) return closest.flatMap((inner) => problemsOf(inner, path, at, words));
  return [at(path, words(keyOf(path), issue))];
}

function whatIsWrong(key: string, { code, message }: Issue): string {
  if (code !== "unrecognized_keys") return `${key}: ${message.replace(/^Invalid (?:input|option): /, "")}`;
  const [name = "", above = ""] = key
    .replaceAll(/\[\d+\]/g, "")
    .split(".")
    .reverse();
  const near = nearest(name, knownKeys(above));
  return `${key} is no known key${near === undefined ? "" : `; did you mean ${near}?`}`;
}

/** Where it may stand, in one sentence. */
function notOfProject(file: string, key: string, { code, message }: Issue): string {
  const why = code === "unrecognized_keys" ? "" : ` (${message})`;
  return `${key}${why} may stand only in a file that you name, as with --config ${file}, in a flag or in the environment`;
}

/** ["roots", 0, "path"] → "roots[0].path". */
function keyOf(at: JSONPath): string {
  const parts = at.map((part, n) => (typeof part === "number" ? `[${part}]` : `${n === 0 ? "" : "."}${part}`));
  return parts.join("") || "the file";
}

function syntaxProblem(error: ParseError | undefined): Problem {
  if (error === undefined) return { offset: 0, what: "expected an object" };
  const words = printParseErrorCode(error.error).replaceAll(/([a-z])([A-Z])/g, "$1 $2");
  return { offset: error.offset, what: `not valid JSON: ${words.toLowerCase()}` };
}

/** The last of two equal keys would win unnoticed, and a "__proto__" is never meant well. */
function repeatedKeys(node: Node): Problem[] {
  const children = node.children ?? [];
  if (node.type !== "object") return children.flatMap(repeatedKeys);
  const seen = new Set<string>();
  return children.flatMap(({ children: [key, value] = [] }) => {
    const name = key!.value as string;
    const below = value === undefined ? [] : repeatedKeys(value);
    const isRepeated = seen.has(name);
    seen.add(name);
    if (name === "__proto__") return [{ offset: key!.offset, what: `${name} is no key here` }, ...below];
    return isRepeated ? [{ offset: key!.offset, what: `${name} is there twice` }, ...below] : below;
  });
}

/** Of the deepest part of the path that is there. */
function offsetOf(tree: Node, at: JSONPath, isKey: boolean): number {
  for (let length = at.length; length > 0; length--) {
    const node = findNodeAtLocation(tree, at.slice(0, length));
    if (node === undefined) continue;
    const property = node.parent?.type === "property" ? node.parent : undefined;
    return isKey && length === at.length && property !== undefined ? property.offset : node.offset;
  }
  return tree.offset;
}

function refusal(file: string, text: string, all: readonly Problem[]): Refusal {
  const problems = all
    .toSorted((a, b) => a.offset - b.offset)
    .slice(0, MAX_PROBLEMS)
    .map(({ offset, what }) => {
      const before = text.slice(0, offset).split(/\r\n|\r|\n/);
      return { line: before.length, column: before.at(-1)!.length + 1, what };
    });
  const lines = problems.map(({ line, column, what }) => `${file}:${line}:${column}: ${what}`);
  const more = all.length - problems.length;
  if (more > 0) lines.push(`${file}: and ${more} more like these`);
  return new Refusal("invalid_input", lines.join("\n"), {
    path: file,
    next: "Correct the file; until then stet does not start.",
    details: { problems },
  });
}

function textOf(path: string): string {
  try {
    const bytes = readRegularFile(path, MAX_BYTES);
    if (isUtf8(bytes)) return new TextDecoder("utf-8").decode(bytes);
    throw unreadable(path, "it is not UTF-8 text");
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
    throw unreadable(path, code === "ENOENT" ? "it is a link that leads nowhere" : String(code ?? error));
  }
}

/** Complaints about a file quote it, so a project must not choose one that lies elsewhere. */
function refuseLinkOutside(path: string): void {
  if (!lstatSync(path).isSymbolicLink() || contains(realPlace(dirname(path)), realPlace(path))) return;
  throw unreadable(path, `it is a link that leads out of its directory; one that you name may: --config ${path}`);
}

function unreadable(path: string, why: string): Refusal {
  return new Refusal("invalid_input", `The configuration file ${path} cannot be read: ${why}.`, {
    path,
    next: "Correct it; until then stet does not start.",
  });
}
