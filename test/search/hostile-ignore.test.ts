// Ignore files as a hostile project may have them: links, pipes, devices, endless files and endless rules, wherever they lie.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Path } from "../../src/core/backend.ts";
import { Refusal } from "../../src/core/failure.ts";
import { diskSession, type Place, placeOf, settled } from "./places.ts";

let home: string;
let root: string;
const ends: (() => void)[] = [];

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "stet-hostile-"));
  root = join(home, "project");
  for (const [name, text] of [
    ["a.txt", "needle one\n"],
    ["sub/b.txt", "needle two\n"],
    ["sub/deep/c.txt", "needle three\n"],
  ] as const)
    put(name, text);
});

afterEach(() => {
  for (const end of ends.splice(0)) end();
  rmSync(home, { recursive: true, force: true });
});

function put(name: string, text: string): void {
  mkdirSync(dirname(join(root, name)), { recursive: true });
  writeFileSync(join(root, name), text);
}

const KINDS: Readonly<Record<string, (place: string) => void | Promise<void>>> = {
  "a link to /dev/zero": (place) => symlinkSync("/dev/zero", place),
  "a link to a terminal": (place) => symlinkSync("/dev/tty", place),
  "a link out of the project": (place) => {
    writeFileSync(join(home, "outside"), "a.txt\nb.txt\nc.txt\n");
    symlinkSync(join(home, "outside"), place);
  },
  "a link to itself": (place) => symlinkSync(".gitignore", place),
  "a pipe": (place) => void execFileSync("mkfifo", [place]),
  "a link to a pipe": (place) => {
    execFileSync("mkfifo", [join(home, "pipe")]);
    symlinkSync(join(home, "pipe"), place);
  },
  "a directory": (place) => void mkdirSync(place),
  "a socket": (place) =>
    new Promise((resolve) => {
      const server = createServer().listen(place, resolve);
      ends.push(() => server.close());
    }),
  "a sparse file of 10 GB": (place) => {
    writeFileSync(place, "a.txt\n");
    truncateSync(place, 10 * 2 ** 30);
  },
};
/** The last ones are opened by no engine, and shall stay so. */
const CASES: readonly (readonly [name: string, kind: string])[] = [
  ...[".gitignore", "sub/.gitignore"].flatMap((name) => Object.keys(KINDS).map((kind) => [name, kind] as const)),
  ...[".ignore", "sub/.rgignore", ".git", ".git/info/exclude", ".git/config", ".git/HEAD", "sub/.git"].flatMap((name) =>
    ["a link to /dev/zero", "a pipe"].map((kind) => [name, kind] as const),
  ),
];

describe.runIf(process.platform === "linux").each(["ripgrep", "javascript"] as const)("%s", (engine) => {
  const place = (): Place => placeOf(diskSession(settled(root)), engine);

  it.each(CASES)("%s as %s holds up nothing and hides nothing", { timeout: 10_000 }, async (name, kind) => {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    await KINDS[kind]!(join(root, name));
    const here = place();
    for (const from of ["", "sub"] as Path[]) {
      const expected = ["a.txt", "sub/b.txt", "sub/deep/c.txt"].filter((path) => path.startsWith(from));
      const found = await here.find({ root: from, pattern: "**/*.txt" });
      expect(found.files.map(({ path }) => path)).toEqual(expected);
      const grepped = await here.grep({ root: from, pattern: "needle" });
      expect(grepped.hits.map(({ path }) => path)).toEqual(expected);
      expect((await here.find({ root: from, kind: "directory" })).files.map(({ path }) => path)).toContain("sub/deep");
      if (name.endsWith(".gitignore"))
        expect(found.notes.join()).toMatch(
          `${name} ${kind.includes("GB") ? "has more than" : "is not a regular file"}`,
        );
    }
  });

  it("says so in every search, not only in the first", async () => {
    symlinkSync("/dev/zero", join(root, "sub/.gitignore"));
    put(".gitignore", "a.txt\n");
    const here = place();
    for (const time of [1, 2, 3]) {
      const { files, notes } = await here.find({ pattern: "**/*.txt" });
      expect([time, files.map(({ path }) => path), notes.length]).toEqual([time, ["sub/b.txt", "sub/deep/c.txt"], 1]);
    }
  });

  it("rules that would take for ever are left out and told of; the others hold", { timeout: 10_000 }, async () => {
    const deep = `${"a/".repeat(100)}`;
    put(`${deep}x.txt`, "needle in the deep\n");
    put(".gitignore", `${"a/**/".repeat(8)}b\n${"?".repeat(5000)}\nb.txt\n`);
    const { files, notes } = await place().find({ pattern: "**/*.txt" });
    expect(files.map(({ path }) => path)).toEqual([`${deep}x.txt`, "a.txt", "sub/deep/c.txt"]);
    expect(notes).toEqual(["Of the rules of .gitignore, 2 are not used: they are too long or too many to go by."]);
  });

  it("so many rules that comparing takes too long end in words, not in a hang", { timeout: 10_000 }, async () => {
    put(".gitignore", Array.from({ length: 20_000 }, (_, n) => `n${n}*`).join("\n"));
    for (let n = 0; n < 50; n++) put(`many/d${n}/f.txt`, `needle ${n}\n`);
    const outcome = await place()
      .find({ pattern: "**/*.txt" }, { deadlineMs: 300 })
      .then(
        ({ notes }) => notes.join(),
        (error: unknown) => (error instanceof Refusal ? error.kind : String(error)),
      );
    expect(outcome).toMatch(/not used|timeout/);
  });

  it("a directory whose name has line ends brings no rules of its own making", async () => {
    put("x\n*\n/.gitignore", "nothing\n");
    const { files } = await place().find({ pattern: "**/*.txt" });
    expect(files.map(({ path }) => path)).toEqual(["a.txt", "sub/b.txt", "sub/deep/c.txt"]);
  });
});

describe("the rules that ripgrep is handed", () => {
  it("are those of the files as they are now, whatever they were before", async () => {
    put(".gitignore", "a.txt\n");
    const here = placeOf(diskSession(settled(root)), "ripgrep");
    const names = async (from = ""): Promise<string[]> =>
      (await here.find({ root: from as Path, pattern: "**/*.txt" })).files.map(({ path }) => path);
    expect(await names()).toEqual(["sub/b.txt", "sub/deep/c.txt"]);
    put(".gitignore", "b.txt\n");
    expect(await names()).toEqual(["a.txt", "sub/deep/c.txt"]);
    put("sub/deep/.gitignore", "*\n");
    expect(await names()).toEqual(["a.txt"]);
    settled(root);
    expect(await names("sub")).toEqual([]);
    put("sub/.gitignore", "!b.txt\n");
    expect(await names()).toEqual(["a.txt", "sub/b.txt"]);
    expect(await names("sub")).toEqual(["sub/b.txt"]);
    settled(root);
    expect(await names()).toEqual(["a.txt", "sub/b.txt"]);
    rmSync(join(root, "sub/deep/.gitignore"));
    expect(await names()).toEqual(["a.txt", "sub/b.txt", "sub/deep/c.txt"]);
    put("new/one/d.txt", "needle\n");
    put("new/.gitignore", "/one\n");
    expect(await names()).toEqual(["a.txt", "sub/b.txt", "sub/deep/c.txt"]);
    rmSync(join(root, ".gitignore"));
    rmSync(join(root, "new"), { recursive: true });
    expect(await names()).toEqual(["a.txt", "sub/b.txt", "sub/deep/c.txt"]);
  });

  it("mean the same in files of subdirectories as JavaScript takes them, whatever those are named", async () => {
    const lines = [
      "*.log",
      "/top",
      "mid/dle",
      "dir/",
      "!keep.log",
      "\\#hash",
      "\\!not",
      "**/any",
      "end/**",
      "s p ",
      "#no",
    ];
    const names = [
      "x.log",
      "keep.log",
      "top",
      "mid/dle",
      "dir/in",
      "#hash",
      "!not",
      "any",
      "end/in",
      "s p",
      "#no",
      "b",
    ];
    for (const dir of ["plain", "w{e,i}r[d]*?", "!odd", "#odd", "a\\b", " space ", "x/y/z"]) {
      put(`${dir}/.gitignore`, `${lines.join("\n")}\r\n`);
      for (const name of names) for (const below of ["", "deeper/"]) put(`${dir}/${below}${name}`, `needle ${name}\n`);
    }
    put(".gitignore", "/x/y/z/b\n!/x/y/z/x.log\n");
    const list = async (engine: "ripgrep" | "javascript"): Promise<string[]> =>
      (await placeOf(diskSession(settled(root)), engine).find({ pattern: "**/*", hidden: true })).files.map(
        ({ path }) => path,
      );
    const found = await list("ripgrep");
    expect(found).toEqual(await list("javascript"));
    expect(found).toContain("plain/deeper/top");
    expect(found).not.toContain("plain/top");
    expect(found).not.toContain("w{e,i}r[d]*?/deeper/x.log");
    expect(found).toContain("w{e,i}r[d]*?/keep.log");
  });

  it("are many thousands if need be", async () => {
    for (let n = 0; n < 1200; n++) put(`p${n}/.gitignore`, `node_modules/\ndist\n*.log\n/coverage\n.env*\nx${n}*\n`);
    put("p1100/x1100.txt", "ignored\n");
    put("p1100/x1101.txt", "needle\n");
    const { files } = await placeOf(diskSession(settled(root)), "ripgrep").find({ pattern: "p*/*.txt" });
    expect(files.map(({ path }) => path)).toEqual(["p1100/x1101.txt"]);
  });
});
