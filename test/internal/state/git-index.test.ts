// Whether git tracks a directory, compared with what git itself says, for every format of its index.
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { trackedByGit } from "../../../src/backends/disk/trust/git-index.ts";
import { sparse } from "../../support/sparse.ts";
import { tempDir } from "../../support/temp.ts";

const hasGit = (() => {
  try {
    execFileSync("git", ["--version"]);
    return true;
  } catch {
    return false;
  }
})();

function git(cwd: string, ...args: string[]): string {
  const env = { ...process.env, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" };
  const identity = ["-c", "user.name=t", "-c", "user.email=t@example.invalid", "-c", "protocol.file.allow=always"];
  return execFileSync("git", [...identity, ...args], { cwd, env, stdio: ["ignore", "pipe", "pipe"] }).toString();
}

/** With names before and behind the one that is looked for, some of them alike. */
function repository(init: readonly string[] = []): string {
  const root = tempDir();
  git(root, "init", "-q", ...init);
  for (const name of [".aaa", ".ste", ".stetx/a", ".stet.d/b", "sub/.stet-not/c", "zzz", "x/.stet/other"]) {
    mkdirSync(join(root, name, ".."), { recursive: true });
    writeFileSync(join(root, name), name);
  }
  git(root, "add", "-A");
  return root;
}

function plant(root: string, directory: string): void {
  mkdirSync(join(root, directory, "journal"), { recursive: true });
  writeFileSync(join(root, directory, "journal/0000000000000001.jsonl"), "x");
}

describe.skipIf(!hasGit)("what git tracks", () => {
  const FORMATS = [
    ["2", ["update-index", "--index-version", "2"]],
    ["3", ["update-index", "--index-version", "3"]],
    ["4", ["update-index", "--index-version", "4"]],
    ["split", ["update-index", "--split-index"]],
  ] as const;

  it.each(FORMATS)("in an index of format %s", (_name, setUp) => {
    const root = repository();
    git(root, ...setUp);
    plant(root, ".stet");
    expect(trackedByGit(join(root, ".stet"))).toBe(false);
    git(root, "add", "-f", ".stet");
    expect(trackedByGit(join(root, ".stet"))).toBe(true);
    git(root, "rm", "-r", "-q", "--cached", ".stet");
    expect(trackedByGit(join(root, ".stet"))).toBe(false);
    expect(trackedByGit(join(root, "x/.stet"))).toBe(true);
  });

  it("with names to be added later, which make an index of format 3", () => {
    const root = repository();
    writeFileSync(join(root, "later"), "x");
    git(root, "add", "-N", "later");
    plant(root, ".stet");
    expect(trackedByGit(join(root, ".stet"))).toBe(false);
    git(root, "add", "-f", ".stet");
    expect(trackedByGit(join(root, ".stet"))).toBe(true);
  });

  it("in a repository with longer hashes", () => {
    const root = repository(["--object-format=sha256"]);
    plant(root, ".stet");
    expect(trackedByGit(join(root, ".stet"))).toBe(false);
    git(root, "update-index", "--index-version", "4");
    expect(trackedByGit(join(root, ".stet"))).toBe(false);
    git(root, "add", "-f", ".stet");
    expect(trackedByGit(join(root, ".stet"))).toBe(true);
  });

  it("in a repository with longer hashes and nothing else, whose index can be misread as one with shorter ones", () => {
    for (let n = 0; n < 3; n++) {
      const root = tempDir();
      git(root, "init", "-q", "--object-format=sha256");
      mkdirSync(join(root, ".stet"));
      writeFileSync(join(root, ".stet/a"), `${n}`);
      git(root, "add", "-f", ".stet");
      expect(trackedByGit(join(root, ".stet"))).toBe(true);
    }
  });

  it("in a worktree, a submodule and a directory below the top", () => {
    const root = repository();
    git(root, "commit", "-q", "-m", "x");
    const worktree = join(tempDir(), "tree");
    git(root, "worktree", "add", "-q", worktree);
    const outer = repository();
    git(outer, "submodule", "--quiet", "add", root, "module");
    for (const top of [worktree, join(outer, "module")]) {
      for (const directory of [".stet", "deep/er/.stet"]) {
        plant(top, directory);
        expect(trackedByGit(join(top, directory)), directory).toBe(false);
        git(top, "add", "-f", directory);
        expect(trackedByGit(join(top, directory)), directory).toBe(true);
      }
    }
    expect(trackedByGit(join(outer, ".stet"))).toBe(false);
  });

  it("in a worktree whose link ends in other line ends, or is reached by a link", () => {
    const root = repository();
    git(root, "commit", "-q", "-m", "x");
    const worktree = join(tempDir(), "tree");
    git(root, "worktree", "add", "-q", worktree);
    plant(worktree, ".stet");
    git(worktree, "add", "-f", ".stet");
    const file = join(worktree, ".git");
    const text = readFileSync(file, "utf8").trimEnd();
    for (const end of ["", "\r\n", "\n\n", "\r\r\n\n", "\n".repeat(20_000)]) {
      writeFileSync(file, `${text}${end}`);
      expect(git(worktree, "ls-files", ".stet")).not.toBe("");
      expect(trackedByGit(join(worktree, ".stet")), JSON.stringify(end.slice(0, 9))).toBe(true);
    }
    renameSync(file, join(worktree, "elsewhere"));
    symlinkSync("elsewhere", file);
    expect(git(worktree, "ls-files", ".stet")).not.toBe("");
    expect(trackedByGit(join(worktree, ".stet"))).toBe(true);
  });

  it("in a repository whose HEAD is a link to a branch that is packed", () => {
    const root = repository();
    plant(root, ".stet");
    git(root, "add", "-f", ".stet");
    git(root, "commit", "-q", "-m", "x");
    const branch = git(root, "symbolic-ref", "HEAD").trim();
    git(root, "pack-refs", "--all");
    rmSync(join(root, ".git/HEAD"));
    symlinkSync(branch, join(root, ".git/HEAD"));
    expect(git(root, "ls-files", ".stet")).not.toBe("");
    expect(trackedByGit(join(root, ".stet"))).toBe(true);
  });

  it("is unknown in a directory of which a sparse index holds only the name", () => {
    const root = repository();
    plant(root, "proj/.stet");
    writeFileSync(join(root, "proj/a"), "a");
    git(root, "add", "-f", ".");
    git(root, "commit", "-q", "-m", "x");
    git(root, "sparse-checkout", "init", "--cone", "--sparse-index");
    git(root, "sparse-checkout", "set", "sub");
    expect(git(root, "ls-files", "--sparse")).toMatch(/^proj\/$/m);
    for (const version of ["2", "4"]) {
      git(root, "update-index", "--index-version", version);
      expect(git(root, "ls-files", "--sparse")).toMatch(/^proj\/$/m);
      plant(root, "proj/.stet");
      expect(trackedByGit(join(root, "proj/.stet")), version).toBe("unknown");
      rmSync(join(root, "proj"), { recursive: true });
      expect(trackedByGit(join(root, "sub/.stet")), version).toBe(false);
      expect(trackedByGit(join(root, ".stet")), version).toBe(false);
      expect(trackedByGit(join(root, "pro/.stet")), version).toBe(false);
    }
    git(root, "sparse-checkout", "reapply", "--no-sparse-index");
    expect(trackedByGit(join(root, "proj/.stet"))).toBe(true);
  });

  it("with names longer than the index counts", () => {
    const root = repository();
    const deep = Array.from({ length: 45 }, (_, n) => `${n}-${"d".repeat(90)}`).join("/");
    const blob = git(root, "hash-object", "-w", "zzz").trim();
    // The last one that is counted, the first one that is not, and a far longer one.
    for (const name of [`.a/${deep}`.slice(0, 4094), `.b/${deep}`.slice(0, 4095), `.c/${deep}`])
      git(root, "update-index", "--add", "--cacheinfo", `100644,${blob},${name}`);
    plant(root, ".stet");
    expect(trackedByGit(join(root, ".stet"))).toBe(false);
    git(root, "add", "-f", ".stet");
    expect(trackedByGit(join(root, ".stet"))).toBe(true);
  });

  it("is unknown where the index is something else, and nothing hangs", () => {
    for (const spoil of [
      (index: string) => symlinkSync("/dev/zero", index),
      (index: string) => execFileSync("mkfifo", [index]),
      (index: string) => mkdirSync(index),
      (index: string) => sparse(index),
      (index: string) => writeFileSync(index, "DIRC\0\0\0\u0009 nonsense"),
      (index: string) => writeFileSync(index, Buffer.from("444952430000000200ffffff", "hex")),
    ]) {
      const root = tempDir();
      git(root, "init", "-q");
      spoil(join(root, ".git/index"));
      plant(root, ".stet");
      const answer = trackedByGit(join(root, ".stet"));
      expect(["unknown", false], String(spoil)).toContain(answer);
    }
  });

  it("is nothing where there is no repository", () => {
    const root = tempDir();
    plant(root, ".stet");
    expect(trackedByGit(join(root, ".stet"))).toBe(false);
    symlinkSync("/dev/zero", join(root, ".git"));
    expect(trackedByGit(join(root, ".stet"))).toBe(false);
  });
});
