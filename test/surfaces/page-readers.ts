// What a model sees of a file on each surface: the numbered lines of an answer, and where its words say that it goes on.
import type { Session } from "stet";
import { anchors, call, compact, files, type Surface, tracked, workspace } from "stet/surfaces";

export interface Page {
  /** Each with its number. */
  readonly lines: readonly (readonly [line: number, text: string])[];
  /** Lines to go on at, in the order in which they are told. */
  readonly next: readonly number[];
  readonly text: string;
}

export interface Reader {
  readonly name: string;
  /** Largest file of which it shows anything. */
  readonly largest: number;
  page(session: Session, path: string, line: number): Promise<Page>;
}

const MIB = 1024 * 1024;
const sandbox = files({ env: {}, mode: "sandbox" });
const NUMBERED = /^ *(\d+)\t(.*)$/s;
const ANCHORED = /^(\d+)#[0-9a-f]+ \[\w+\][^|]*\|(.*)$/s;

export const READERS: readonly Reader[] = [
  reader("workspace", workspace, "read_file", {
    input: (path, line) => ({ path, startLine: line }),
    shown: sliced,
    next: [/read on with startLine=(\d+)/, 0],
  }),
  reader("tracked", tracked, "Read", {
    input: (file_path, line) => ({ file_path, offset: line }),
    shown: matching(NUMBERED),
    next: [/go on with offset (\d+)/, 0],
  }),
  reader("compact", compact, "Read", {
    input: (file_path, line) => ({ file_path, offset: line - 1, limit: 2000 }),
    shown: matching(NUMBERED),
    next: [/continue with offset (\d+)/, 1],
  }),
  reader("anchors", anchors, "read_file", {
    largest: 2 * MIB,
    input: (path, line) => ({ path, offset: line - 1 }),
    shown: matching(NUMBERED),
    next: [/continue with offset (\d+)/, 1],
  }),
  reader("anchors with hashes", anchors, "read_file", {
    largest: process.env.STET_HEAVY ? 2 * MIB : MIB,
    input: (path, line) => ({ path, offset: line - 1, limit: 100_000, hashes: true }),
    shown: matching(ANCHORED),
    next: [/continue with offset (\d+)/, 1],
  }),
  reader("files", sandbox, "files", {
    largest: 5_000_000,
    input: (file_path, line) => ({ params: { command: "read", file_path, offset: line - 1 } }),
    shown: matching(NUMBERED),
    next: [/go on with offset (\d+)/, 1],
  }),
];

interface Dialect {
  readonly largest?: number;
  input(path: string, line: number): object;
  shown(text: string): [number, string][];
  /** And by how much its line numbers are smaller. */
  readonly next: readonly [RegExp, number];
}

function reader(name: string, surface: Surface, tool: string, dialect: Dialect): Reader {
  return {
    name,
    largest: dialect.largest ?? Number.POSITIVE_INFINITY,
    async page(session, path, line) {
      const { ok, text } = await call(session, surface, tool, dialect.input(path, line));
      if (!ok) return { lines: [], next: [], text };
      const [pattern, by] = dialect.next;
      const told = [...text.matchAll(new RegExp(pattern, "g"))];
      const next = told.map(([, from]) => Number(from) + by);
      return { lines: dialect.shown(text), next, text };
    },
  };
}

function matching(pattern: RegExp) {
  return (text: string): [number, string][] =>
    text.split("\n").flatMap((line): [number, string][] => {
      const found = pattern.exec(line);
      return found === null ? [] : [[Number(found[1]), found[2]!]];
    });
}

/** The lines of read_file have no numbers; its first line says which they are. */
function sliced(text: string): [number, string][] {
  const [head = "", ...rest] = text.split("\n");
  const [, from, to] = /lines (\d+)-(\d+) of/.exec(head) ?? [];
  if (from === undefined) return [];
  return rest.slice(0, Number(to) - Number(from) + 1).map((line, n) => [Number(from) + n, line]);
}
