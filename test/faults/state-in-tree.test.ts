// `.stet` in the tree is removed, shipped with a clone, forged or of an older stet: nothing in it is believed, and nothing depends on it.
import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import type { Workspace } from "stet";
import { afterEach, describe, expect, it } from "vitest";
import { all, refuses, version } from "../support/assertions.ts";
import { sparse } from "../support/sparse.ts";
import { tempDir } from "../support/temp.ts";
import { directoryWith, workspaceIn } from "../support/workspace.ts";

const opened: Workspace[] = [];
afterEach(async () => {
  for (const workspace of opened.splice(0)) await workspace.close();
});

function open(root: string): Workspace {
  const workspace = workspaceIn(root);
  opened.push(workspace);
  return workspace;
}

const git = (root: string, ...args: string[]) =>
  execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], { cwd: root, stdio: "pipe" });

describe("a .stet that is removed while a workspace is open", () => {
  const REMOVALS = [
    ["rm -rf .stet", (root: string) => rmSync(join(root, ".stet"), { recursive: true })],
    ["git clean -fdx", (root: string) => git(root, "clean", "-fdxq")],
    ["only its lock", (root: string) => rmSync(join(root, ".stet/held"))],
  ] as const;

  it.each(REMOVALS)("%s: the work goes on, and nothing is lost", async (_name, removed) => {
    const root = directoryWith({ a: "1\n" });
    git(root, "init", "-q");
    git(root, "add", "a");
    git(root, "commit", "-qm", "a");
    const [mine, theirs] = [open(root), open(root)];
    const [session, other] = [mine.session(), theirs.session()];
    await session.read("a");
    await session.write("a", "2\n");
    await other.create("b", "b\n");
    removed(root);
    await session.write("a", "3\n");
    await other.create("c", "c\n");
    await Promise.all([session.create("d", "d\n"), other.create("e", "e\n")]);
    expect((await all(mine.log())).map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6]);
    for (const text of ["1\n", "2\n", "3\n", "b\n"])
      expect(await theirs.backend.recall(version(text).sha)).not.toBeNull();
    expect((await theirs.verify()).problems).toEqual([]);
  });

  it("also again and again, under the hands of those who write", async () => {
    const root = directoryWith({});
    const sessions = [open(root).session(), open(root).session()];
    const made: string[] = [];
    for (let round = 0; round < 30; round++) {
      const work = sessions.map((session, n) => session.create(`${round}-${n}`, `${round}\n`));
      rmSync(join(root, ".stet"), { recursive: true, force: true });
      for (const [n, { status }] of (await Promise.allSettled(work)).entries())
        if (status === "fulfilled") made.push(`${round}-${n}`);
    }
    expect(made.length).toBeGreaterThan(30);
    for (const name of made) expect(readFileSync(join(root, name), "utf8")).toBe(`${name.split("-")[0]}\n`);
    const entries = await all(sessions[0]!.workspace.log({ outcomes: ["applied"] }));
    expect(entries.map(({ changes }) => changes[0]!.path)).toEqual(expect.arrayContaining(made));
    expect((await sessions[1]!.workspace.verify()).problems).toEqual([]);
  });
});

describe("a .stet that came with a clone", () => {
  it("as a link: files are read, a change is refused in words, and nothing is made where it leads", async () => {
    const outside = tempDir();
    const root = directoryWith({ a: "a\n" });
    symlinkSync(outside, join(root, ".stet"));
    const session = open(root).session();
    expect((await session.read("a")).body).toBe("a\n");
    const { failure } = await refuses("unsupported", () => session.write("a", "b\n"));
    expect(failure.message).toContain("not a directory");
    expect(readdirSync(outside)).toEqual([]);
    expect(readlinkSync(join(root, ".stet"))).toBe(outside);
    expect(readFileSync(join(root, "a"), "utf8")).toBe("a\n");
  });

  it("as a file: files are read, a change is refused in words", async () => {
    const root = directoryWith({ a: "a\n", ".stet": "mine\n" });
    const session = open(root).session();
    expect((await session.read("a")).body).toBe("a\n");
    await refuses("unsupported", () => session.write("a", "b\n"));
    expect(readFileSync(join(root, ".stet"), "utf8")).toBe("mine\n");
  });

  it("with forged temporary files: no file gets their bytes, and links among them touch nothing", async () => {
    const outside = directoryWith({ secret: "precious\n" });
    const root = directoryWith({ a: "a\n" });
    mkdirSync(join(root, ".stet"), { recursive: true });
    const at = (name: string): string => join(root, ".stet", name);
    for (const name of ["1-0", "2-0", "2-0-back", "3-7"]) writeFileSync(at(name), "evil\n");
    symlinkSync(join(outside, "secret"), at("4-0"));
    execFileSync("mkfifo", [at("5-0")]);
    mkdirSync(at("6-0"));
    sparse(at("7-0"));
    const workspace = open(root);
    const session = workspace.session();
    await session.read("a");
    for (const text of ["b\n", "c\n", "d\n"]) await session.write("a", text);
    await session.create("new", "new\n");
    expect(readdirSync(root).sort()).toEqual([".stet", "a", "new"]);
    expect(readFileSync(join(root, "a"), "utf8")).toBe("d\n");
    expect(readFileSync(join(outside, "secret"), "utf8")).toBe("precious\n");
    expect(await workspace.backend.recall(version("precious\n").sha)).toBeNull();
    expect((await workspace.verify()).problems).toEqual([]);
  });

  it("with forged files of the lock: refused in words or used, and nothing outside is written", async () => {
    const outside = directoryWith({ secret: "precious\n" });
    for (const name of ["held", "waiting", "lock-kind"]) {
      const root = directoryWith({ a: "a\n" });
      mkdirSync(join(root, ".stet"), { recursive: true });
      symlinkSync(join(outside, "secret"), join(root, ".stet", name));
      const session = open(root).session();
      expect((await session.read("a")).body).toBe("a\n");
      const said = await session.write("a", "b\n").then(
        () => "",
        (error: Error) => error.message,
      );
      expect(said, name).not.toContain("precious");
      expect(said, name).toMatch(/not a regular file|^$/);
      expect(readFileSync(join(outside, "secret"), "utf8")).toBe("precious\n");
    }
  });

  it("with a whole history of an older stet: refused in one sentence, left alone, and files are read", async () => {
    const root = directoryWith({ a: "a\n", ".stet/format": "1\n", ".stet/journal/0000000000000001.jsonl": "{}\n" });
    const before = readdirSync(join(root, ".stet"), { recursive: true }).sort();
    const session = open(root).session();
    expect((await session.read("a")).body).toBe("a\n");
    const { failure } = await refuses("unsupported", () => session.write("a", "b\n"));
    expect(failure.message).toBe(
      ".stet holds a history of format 1, which this stet does not read: files can be read, not changed.",
    );
    expect(readdirSync(join(root, ".stet"), { recursive: true }).sort()).toEqual(before);
    expect(readFileSync(join(root, "a"), "utf8")).toBe("a\n");
  });

  it("leaves a .gitignore of the owner as it is", async () => {
    const root = directoryWith({ ".stet/.gitignore": "mine\n" });
    await open(root).session().create("a", "x");
    expect(readFileSync(join(root, ".stet/.gitignore"), "utf8")).toBe("mine\n");
    expect(existsSync(join(root, ".stet/held"))).toBe(true);
    expect(existsSync(join(root, ".stet/log"))).toBe(false);
  });
});
