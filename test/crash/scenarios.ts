// What is recorded: each step is reported as done before the next one begins.
import { linkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { collectGarbage, restore, type Session } from "stet";

type Work = (session: Session, root: string) => Promise<unknown>;

export interface Scenario {
  readonly name: string;
  /** Files that are there before stet is. */
  readonly files: Readonly<Record<string, string>>;
  /** Before the recording begins: done, and safe. Absent: stet was never here. */
  readonly before?: Work;
  readonly steps: readonly Work[];
  /** Files that each step changes by commits of their own at the same time: until all are reported, any of them may be there. */
  readonly apart?: readonly string[];
  readonly segmentBytes?: number;
  /** In an ordinary run, of the states at each moment; where what counts is not among the first few. */
  readonly perMoment?: number;
  readonly heavy?: boolean;
  /** Old versions may be dropped on purpose. */
  readonly drops?: boolean;
}

const write =
  (path: string, text: string): Work =>
  async (session) => {
    await session.read(path);
    return session.write(path, text);
  };

const together =
  (texts: Readonly<Record<string, string>>): Work =>
  (session) => {
    const paths = Object.keys(texts);
    return session.change(
      paths.map((path) => ({ path, proof: { by: "waived" }, action: "write", createParents: true })),
      () => paths.map((path) => ({ body: texts[path]! })),
    );
  };

const five = (word: string): Work =>
  together(Object.fromEntries(["a", "b", "dir/c", "dir/d", "e"].map((path) => [path, `${word} ${path}\n`])));

const FIVE = { a: "old a\n", b: "old b\n", "dir/c": "old c\n", "dir/d": "old d\n", e: "old e\n" };
const THREE = ["a", "b", "dir/c"];
const opened: Work = (session) => session.create("earlier", "before the recording\n");

export const SCENARIOS: readonly Scenario[] = [
  {
    name: "the first change in a directory",
    files: { a: "one\n" },
    steps: [write("a", "two\n")],
  },
  {
    name: "one file, twice",
    files: { a: "one\n" },
    before: opened,
    steps: [write("a", "two\n"), write("a", "three\n")],
  },
  {
    name: "a file of several blocks, twice",
    files: { a: "one\n" },
    before: opened,
    steps: [write("a", "two two two\n".repeat(1500)), write("a", "three three\n".repeat(1200))],
  },
  {
    name: "three sessions at the same time",
    files: { a: "old a\n", b: "old b\n", "dir/c": "old c\n" },
    before: opened,
    steps: [({ workspace }) => Promise.all(THREE.map((path) => write(path, `new ${path}\n`)(workspace.session(), "")))],
    apart: THREE,
    perMoment: 16,
  },
  { name: "five files", files: FIVE, before: opened, steps: [five("new")] },
  { name: "five files, then again", files: FIVE, before: opened, steps: [five("new"), five("newer")], heavy: true },
  {
    name: "a new file in new directories",
    files: {},
    before: opened,
    steps: [(session) => session.create("x/y/z", "new\n", { createParents: true })],
    perMoment: 8,
  },
  {
    name: "a deletion",
    files: { a: "one\n", b: "other\n" },
    before: opened,
    steps: [(session) => session.read("a").then(() => session.delete("a"))],
  },
  {
    name: "a move to another directory",
    files: { "from/a": "one\n", "to/b": "other\n" },
    before: opened,
    steps: [(session) => session.read("from/a").then(() => session.move("from/a", "to/a"))],
  },
  {
    name: "a restoration",
    heavy: true,
    files: { a: "one\n" },
    before: async (session) => {
      await session.read("a");
      await session.delete("a");
    },
    steps: [(session) => restore(session, "a")],
  },
  {
    name: "an undo of five files",
    files: FIVE,
    before: five("new"),
    steps: [(session) => session.undo({ entry: 1 })],
  },
  {
    name: "a file with another name by hard link",
    files: { a: "one\n" },
    before: async (session, root) => {
      await opened(session, root);
      linkSync(join(root, "a"), join(root, "../other"));
    },
    steps: [write("a", "two\n")],
  },
  {
    name: "a change made by somebody else, then by stet",
    files: { a: "one\n" },
    before: async (session, root) => {
      await write("a", "two\n")(session, root);
      writeFileSync(join(root, "a"), "by hand\n");
    },
    steps: [write("a", "three\n")],
    perMoment: 8,
  },
  {
    name: "a file made, then deleted",
    heavy: true,
    files: {},
    before: opened,
    steps: [(session) => session.create("a", "one\n"), (session) => session.read("a").then(() => session.delete("a"))],
  },
  {
    name: "a collection of old versions",
    files: { a: "one\n" },
    before: async (session, root) => {
      for (const text of ["two\n", "three\n", "four\n"]) await write("a", text)(session, root);
    },
    steps: [(session) => collectGarbage(session.workspace, { maxVersionsPerPath: 1 }), write("a", "five\n")],
    drops: true,
  },
  {
    name: "a new segment of the journal with every entry",
    files: { a: "one\n" },
    before: opened,
    steps: [write("a", "two\n"), write("a", "three\n")],
    segmentBytes: 1,
  },
];
