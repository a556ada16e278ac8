// Ignore files: as a hostile project may have them, and as they change between searches.
import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { directoryWith } from "../support/workspace.ts";
import { diskSession, type Place, placeOf } from "./places.ts";

const project = (): string => directoryWith({ "a.txt": "needle one\n", "sub/b.txt": "needle two\n" });

function put(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

async function names(place: Place): Promise<string[]> {
  const found = (await place.find({ pattern: "**/*.txt" })).files.map(({ path }) => path);
  const { files } = await place.grep({ pattern: "needle", mode: "files" });
  expect(files.map(({ path }) => path)).toEqual(found);
  return found;
}

describe.runIf(process.platform === "linux").each(["ripgrep", "javascript"] as const)("%s", (engine) => {
  it("does not go by an ignore file that is a device or a pipe", async () => {
    const root = project();
    symlinkSync("/dev/zero", join(root, ".gitignore"));
    execFileSync("mkfifo", [join(root, "sub/.gitignore")]);
    const place = placeOf(diskSession(root), engine);
    const { files, notes } = await place.find({ pattern: "**/*.txt" });
    expect(files.map(({ path }) => path)).toEqual(["a.txt", "sub/b.txt"]);
    expect(notes.join()).toMatch(".gitignore is not a regular file");
    const lines = place.grep({ pattern: "needle" });
    if (engine === "javascript") expect((await lines).hits).toHaveLength(2);
    else await expect(lines).rejects.toThrow(/needed more than 1 GiB of memory/);
    rmSync(join(root, ".gitignore"));
    const waiting = place.grep({ pattern: "needle" }, { deadlineMs: 1000 });
    if (engine === "javascript") expect((await waiting).hits).toHaveLength(2);
    else await expect(waiting).rejects.toThrow(/took too long/);
  });

  it("leaves out rules that would take for ever, says so, and goes by the others", async () => {
    const root = project();
    put(join(root, ".gitignore"), `${"a/**/".repeat(8)}b\n${"?".repeat(5000)}\nb.txt\n`);
    const { files, notes } = await placeOf(diskSession(root), engine).find({ pattern: "**/*.txt" });
    expect(files.map(({ path }) => path)).toEqual(["a.txt"]);
    expect(notes).toEqual(["Of the rules of .gitignore, 2 are not used: they are too long or too many to go by."]);
  });

  it("goes by the rules as they are now, whatever they were before", async () => {
    const root = project();
    put(join(root, ".gitignore"), "a.txt\n");
    const place = placeOf(diskSession(root), engine);
    expect(await names(place)).toEqual(["sub/b.txt"]);
    put(join(root, "sub/.gitignore"), "*\n");
    expect(await names(place)).toEqual([]);
    rmSync(join(root, ".gitignore"));
    expect(await names(place)).toEqual(["a.txt"]);
    put(join(root, "sub/.gitignore"), "!b.txt\n");
    expect(await names(place)).toEqual(["a.txt", "sub/b.txt"]);
  });
});

it("rules of nested files mean the same with ripgrep and without, whatever their directories are named", async () => {
  const rules = "*.log\n/top\nmid/dle\ndir/\n!keep.log\n\\#hash\n\\!not\n**/any\nend/**\ns p \n#no\r\n";
  const paths = ["x.log", "keep.log", "top", "mid/dle", "dir/in", "#hash", "!not", "any", "end/in", "s p", "#no"];
  const root = project();
  for (const dir of ["plain", "w{e,i}r[d]*?", "!odd", "a\\b", " space ", "x/y/z", "line\n*\nend"]) {
    put(join(root, dir, ".gitignore"), rules);
    for (const path of paths) for (const below of ["", "deeper"]) put(join(root, dir, below, path), "needle\n");
  }
  const list = async (engine: "ripgrep" | "javascript"): Promise<string[]> => {
    const place = placeOf(diskSession(root), engine);
    const { files } = await place.grep({ pattern: "needle", mode: "files", hidden: true });
    return files.map(({ path }) => path);
  };
  const found = await list("ripgrep");
  expect(found).toEqual(await list("javascript"));
  expect(found).toContain("plain/deeper/top");
  expect(found).not.toContain("plain/top");
  expect(found).not.toContain("w{e,i}r[d]*?/deeper/x.log");
  expect(found).toContain("w{e,i}r[d]*?/keep.log");
});
