// Files by glob: the same table in memory, on disk with ripgrep, and on disk without it.
import { mkdirSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Path } from "stet";
import type { FindRequest } from "stet/search";
import { describe, expect, it } from "vitest";
import { directoryWith } from "../support/workspace.ts";
import { diskSession, type Files, PLACES, placeOf } from "./places.ts";

const FILES: Files = {
  "readme.md": "",
  "src/a.ts": "",
  "src/a.test.ts": "",
  "src/deep/b.tsx": "",
  "src/deep/[x].ts": "",
  "lib/c.js": "",
  ".github/ci.yml": "",
  ".editorconfig": "",
  "dist/out.js": "",
  "pkg/dist/out.js": "",
};

const IGNORING: Files = {
  ".gitignore": "*.log\n/dist\nbuild/\n# comment\n!keep.log\n!.shown\n",
  "a.log": "",
  "keep.log": "",
  "A.LOG": "",
  ".shown/x": "",
  "dist/x": "",
  "sub/dist/x": "",
  "sub/build/x": "",
  "sub/.gitignore": "local\n!deep.log\n",
  "sub/local": "",
  "sub/deep.log": "",
  "sub/more/local": "",
  "sub/more/x.log": "",
  local: "",
};

interface Row {
  readonly name: string;
  readonly files?: Files;
  readonly ask: Partial<FindRequest>;
  readonly found: readonly string[];
}

const ROWS: readonly Row[] = [
  {
    name: "everything that is not hidden",
    ask: {},
    found: [
      "dist/out.js",
      "lib/c.js",
      "pkg/dist/out.js",
      "readme.md",
      "src/a.test.ts",
      "src/a.ts",
      "src/deep/[x].ts",
      "src/deep/b.tsx",
    ],
  },
  { name: "below any directory", ask: { pattern: "**/*.ts" }, found: ["src/a.test.ts", "src/a.ts", "src/deep/[x].ts"] },
  { name: "in one directory", ask: { pattern: "src/*.ts" }, found: ["src/a.test.ts", "src/a.ts"] },
  { name: "a name without a slash is at the top", ask: { pattern: "*.ts" }, found: [] },
  {
    name: "or at any depth",
    ask: { pattern: "*.ts", anyDepth: true },
    found: ["src/a.test.ts", "src/a.ts", "src/deep/[x].ts"],
  },
  { name: "braces", ask: { pattern: "**/*.{tsx,js}", exclude: ["dist"] }, found: ["lib/c.js", "src/deep/b.tsx"] },
  {
    name: "braces of directories",
    ask: { pattern: "{lib,src/deep}/*" },
    found: ["lib/c.js", "src/deep/[x].ts", "src/deep/b.tsx"],
  },
  { name: "a choice of characters", ask: { pattern: "src/[a-c]*.ts" }, found: ["src/a.test.ts", "src/a.ts"] },
  { name: "one character", ask: { pattern: "src/?.ts" }, found: ["src/a.ts"] },
  { name: "extended patterns", ask: { pattern: "src/!(a.test).ts" }, found: ["src/a.ts"] },
  { name: "escaped characters", ask: { pattern: "src/deep/\\[x\\].ts" }, found: ["src/deep/[x].ts"] },
  { name: "several patterns", ask: { pattern: ["*.md", "lib/**"] }, found: ["lib/c.js", "readme.md"] },
  {
    name: "relative to the root",
    ask: { pattern: "deep/*", root: "src" as Path },
    found: ["src/deep/[x].ts", "src/deep/b.tsx"],
  },
  { name: "a root that is a file", ask: { pattern: "*.ts", root: "src/a.ts" as Path }, found: ["src/a.ts"] },
  { name: "that does not match", ask: { pattern: "*.js", root: "src/a.ts" as Path }, found: [] },
  { name: "exclude a name", ask: { pattern: "**/*.js", exclude: ["dist"] }, found: ["lib/c.js"] },
  {
    name: "exclude a path",
    ask: { pattern: "**/*.js", exclude: ["dist/**", "lib/"] },
    found: ["pkg/dist/out.js"],
  },
  { name: "exclude by glob", ask: { pattern: "**/*.ts", exclude: ["**/*.test.ts", "src/d*p"] }, found: ["src/a.ts"] },
  {
    name: "hidden, when asked",
    ask: { pattern: "**", hidden: true, exclude: ["src", "lib", "dist"] },
    found: [".editorconfig", ".github/ci.yml", "readme.md"],
  },
  { name: "hidden, when named", ask: { pattern: ".github/*" }, found: [".github/ci.yml"] },
  { name: "a hidden name at any depth", ask: { pattern: ".editor*", anyDepth: true }, found: [".editorconfig"] },
  { name: "to a depth", ask: { maxDepth: 1 }, found: ["readme.md"] },
  { name: "directories", ask: { kind: "directory", pattern: "**/d*" }, found: ["dist", "pkg/dist", "src/deep"] },
  {
    name: "files and directories",
    ask: { kind: "any", pattern: "src/*" },
    found: ["src/a.test.ts", "src/a.ts", "src/deep"],
  },
  { name: "nothing", ask: { pattern: "none/**" }, found: [] },
  {
    name: ".gitignore, without git",
    files: IGNORING,
    ask: {},
    found: [".shown/x", "A.LOG", "keep.log", "local", "sub/deep.log", "sub/dist/x"],
  },
  {
    name: ".gitignore of directories",
    files: IGNORING,
    ask: { kind: "directory" },
    found: [".shown", "sub", "sub/dist", "sub/more"],
  },
  {
    name: "a glob does not bring back what is ignored",
    files: IGNORING,
    ask: { pattern: "**/*.log" },
    found: ["keep.log", "sub/deep.log"],
  },
  { name: ".gitignore files above the root", files: IGNORING, ask: { root: "sub/more" as Path }, found: [] },
  { name: "a root that is ignored itself", files: IGNORING, ask: { root: "dist" as Path }, found: ["dist/x"] },
  {
    name: "no .gitignore, when asked",
    files: IGNORING,
    ask: { gitignore: false, exclude: ["sub"] },
    found: ["A.LOG", "a.log", "dist/x", "keep.log", "local"],
  },
  {
    name: "only .gitignore ignores",
    files: { ".ignore": "x\n", ".rgignore": "x\n", ".git/info/exclude": "x\n", x: "" },
    ask: {},
    found: ["x"],
  },
];

describe.each(PLACES)("find, %s", (_, open) => {
  const place = open(FILES);

  it.each(ROWS)("$name", async ({ ask, files, found }) => {
    const result = await (files === undefined ? place : open(files)).find(ask);
    expect(result.files.map(({ path }) => path)).toEqual(found);
    expect(result).toMatchObject({ truncated: false, total: found.length });
  });

  it("cuts after putting in order, and says so", async () => {
    const { files, truncated, total } = await place.find({ pattern: "src/**", limit: 2 });
    expect(files.map(({ path }) => path)).toEqual(["src/a.test.ts", "src/a.ts"]);
    expect([truncated, total]).toEqual([true, 4]);
  });
});

describe.each(PLACES.slice(1))("find on a real disk, %s", (name, _open) => {
  const engine = name === "disk" ? "ripgrep" : "javascript";

  it("puts the newest first, ties by path, and tells size and time", async () => {
    const root = directoryWith({ old: "1", "b/new": "22", "a/new": "22", mid: "333" });
    const at = (path: string, seconds: number) => utimesSync(join(root, path), seconds, seconds);
    at("old", 1000);
    at("mid", 2000);
    at("b/new", 3000);
    at("a/new", 3000);
    const { files } = await placeOf(diskSession(root), engine).find({ order: "newest", limit: 3 });
    expect(files).toEqual([
      { path: "a/new", kind: "file", size: 2, mtimeMs: 3_000_000 },
      { path: "b/new", kind: "file", size: 2, mtimeMs: 3_000_000 },
      { path: "mid", kind: "file", size: 3, mtimeMs: 2_000_000 },
    ]);
  });

  it("finds empty directories", async () => {
    const root = directoryWith({ a: "" });
    mkdirSync(join(root, "empty/deeper"), { recursive: true });
    const { files } = await placeOf(diskSession(root), engine).find({ kind: "directory" });
    expect(files.map(({ path, kind }) => `${path}:${kind}`)).toEqual(["empty:directory", "empty/deeper:directory"]);
  });

  it("finds directories whose files are all ignored, hidden or excluded, to a depth and below a root", async () => {
    const root = directoryWith({
      ".gitignore": "*.log\nout/\n",
      "a/b/x.log": "",
      "a/.c/y": "",
      "a/out/z": "",
      "a/d/e/f.txt": "",
      "g/h": "",
    });
    mkdirSync(join(root, "a/b/i/j"), { recursive: true });
    const place = placeOf(diskSession(root), engine);
    const paths = async (request: Partial<FindRequest>) =>
      (await place.find({ kind: "directory", ...request })).files.map(({ path }) => path);
    expect(await paths({})).toEqual(["a", "a/b", "a/b/i", "a/b/i/j", "a/d", "a/d/e", "g"]);
    expect(await paths({ maxDepth: 2 })).toEqual(["a", "a/b", "a/d", "g"]);
    expect(await paths({ root: "a" as Path, maxDepth: 1 })).toEqual(["a/b", "a/d"]);
    expect(await paths({ root: "a" as Path, exclude: ["b", "**/e"] })).toEqual(["a/d"]);
    expect(await paths({ hidden: true, gitignore: false, root: "a" as Path, exclude: ["d"] })).toEqual([
      "a/.c",
      "a/b",
      "a/b/i",
      "a/b/i/j",
      "a/out",
    ]);
    expect(await paths({ root: "a/b/i" as Path, pattern: "*" })).toEqual(["a/b/i/j"]);
    expect(await paths({ root: "g/h" as Path })).toEqual([]);
  });

  it("follows links only when asked, and only inside", async () => {
    const outside = directoryWith({ "secret.txt": "SECRET" });
    const root = directoryWith({ "real/a.txt": "", "real/private/p.txt": "", "z.txt": "" });
    symlinkSync(outside, join(root, "out"));
    symlinkSync(join(outside, "secret.txt"), join(root, "out.txt"));
    symlinkSync("real", join(root, "link"));
    symlinkSync("..", join(root, "real/up"));
    symlinkSync("z.txt", join(root, "y.txt"));
    symlinkSync("nowhere", join(root, "dangling"));
    const place = placeOf(diskSession(root, { policy: { deniedPaths: ["real/private"] } }), engine);
    const paths = async (request: Partial<FindRequest>) => (await place.find(request)).files.map(({ path }) => path);
    expect(await paths({})).toEqual(["real/a.txt", "z.txt"]);
    expect(await paths({ followLinks: true })).toEqual(["link/a.txt", "real/a.txt", "y.txt", "z.txt"]);
    const followed = (await place.find({ kind: "any", followLinks: true })).files;
    expect(followed.filter(({ kind }) => kind === "link")).toEqual([]);
    const links = ["dangling", "link", "out", "out.txt", "real/up", "y.txt"];
    const all = [...links, "real", "real/a.txt", "z.txt"];
    expect((await paths({ kind: "any" })).toSorted()).toEqual(all.toSorted());
    const found = (await place.find({ kind: "any" })).files.filter(({ kind }) => kind === "link");
    expect(found.map(({ path }) => path).toSorted()).toEqual(links.toSorted());
    expect(await paths({ kind: "directory" })).toEqual(["real"]);
    writeFileSync(join(root, ".gitignore"), "y.*\nlink/\n/out\n");
    expect((await paths({ kind: "any" })).toSorted()).toEqual(
      ["dangling", "link", "out.txt", "real", "real/a.txt", "real/up", "z.txt"].toSorted(),
    );
  });

  it("passes over names that are not valid UTF-8", async () => {
    const root = directoryWith({ "ä.txt": "foo\n" });
    writeFileSync(Buffer.concat([Buffer.from(`${root}/`), Buffer.from([0xff, 0xfe])]), "foo\n");
    const place = placeOf(diskSession(root), engine);
    expect((await place.find({})).files.map(({ path }) => path)).toEqual(["ä.txt"]);
    for (const mode of ["lines", "files", "count"] as const) {
      expect((await place.grep({ pattern: "foo", mode })).files.map(({ path }) => path)).toEqual(["ä.txt"]);
    }
  });

  it("lets no .gitignore above the workspace decide", async () => {
    const above = directoryWith({
      ".gitignore": "*\n",
      "ws/.gitignore": "no\n",
      "ws/a/.gitignore": "nor\n",
      "ws/a/b/yes": "foo\n",
      "ws/a/b/no/x": "foo\n",
      "ws/a/b/nor": "foo\n",
    });
    const place = placeOf(diskSession(join(above, "ws")), engine);
    expect((await place.find({})).files.map(({ path }) => path)).toEqual(["a/b/yes"]);
    expect((await place.find({ root: "a/b" as Path })).files.map(({ path }) => path)).toEqual(["a/b/yes"]);
    for (const root of ["", "a/b"] as Path[])
      expect((await place.grep({ pattern: "foo", root })).hits.map(({ path }) => path)).toEqual(["a/b/yes"]);
  });
});
