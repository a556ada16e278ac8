// Finishing what a crash left asks the policy as a change does: a forged entry with staged bytes writes nothing that an agent could not.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  appendFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { basename, join } from "node:path";
import { type EntryChange, LINK_MODE } from "stet";
import { GENESIS, seal } from "stet/backends/parts";
import { describe, expect, it } from "vitest";
import { all, path, version } from "../../support/assertions.ts";
import { sparse } from "../../support/sparse.ts";
import { directoryWith, workspaceIn } from "../../support/workspace.ts";
import { forgetHead, pendingPath } from "../support/forged.ts";

/** A workspace whose state was made here, and in it one more entry that says that these changes were applied. */
async function withEntry(files: Record<string, string>, changes: readonly EntryChange[]): Promise<string> {
  const root = directoryWith({ "README.md": "hello\n", ...files });
  const workspace = workspaceIn(root);
  await workspace.session().create("first.txt", "x");
  const [first] = await all(workspace.log());
  await workspace.close();
  const draft = { session: "s", tool: "write_file", outcome: "applied" as const, changes };
  const { line } = seal(draft, { seq: 2, at: new Date().toISOString(), prev: first?.hash ?? GENESIS });
  appendFileSync(join(root, ".stet/journal/0000000000000001.jsonl"), `${line}\n`);
  return root;
}

const created = (at: string, text: string, toMode = 0o755): EntryChange => ({
  path: path(at),
  from: null,
  to: version(text).sha,
  toSize: text.length,
  toMode,
  proof: "absence",
});

const staged = (root: string, n: number): string => pendingPath(root, 2, n, "new");

/** The next change of an agent, which is when what was left is looked at. */
async function nextChange(root: string) {
  const workspace = workspaceIn(root);
  const changed = await workspace.session().create("next.txt", "x");
  const notes = (await all(workspace.log({ outcomes: ["note"] }))).map(({ message }) => message ?? "");
  const verification = await workspace.verify();
  await workspace.close();
  expect(verification.problems).toEqual([]);
  expect(readFileSync(join(root, "next.txt"), "utf8")).toBe("x");
  return { warnings: changed.warnings, notes };
}

describe("finishing what a crash left", () => {
  it("is done for what an agent may change", async () => {
    const root = await withEntry({}, [created("src/new.txt", "new\n", 0o4755)]);
    writeFileSync(staged(root, 0), "new\n");
    expect((await nextChange(root)).warnings).toEqual([]);
    expect(readFileSync(join(root, "src/new.txt"), "utf8")).toBe("new\n");
    expect(statSync(join(root, "src/new.txt")).mode & 0o7000).toBe(0);
  });

  const DENIED = [
    ".git/hooks/pre-commit",
    ".env",
    "sub/.env",
    ".mcp.json",
    "stet.config.json",
    ".stet/format",
    ".stet/pending/9-0-new",
    ".bashrc",
  ];
  it.each(DENIED)("is not done for %s: it is told, and what was staged is set aside", async (denied) => {
    const root = await withEntry({ ".git/HEAD": "ref: refs/heads/main\n" }, [
      created("fine.txt", "fine\n"),
      created(denied, "#!/bin/sh\ntouch owned\n"),
    ]);
    writeFileSync(staged(root, 0), "fine\n");
    writeFileSync(staged(root, 1), "#!/bin/sh\ntouch owned\n");
    const before = existsSync(join(root, denied)) ? readFileSync(join(root, denied), "utf8") : null;
    const { warnings, notes } = await nextChange(root);
    expect(existsSync(join(root, denied)) ? readFileSync(join(root, denied), "utf8") : null).toBe(before);
    expect(existsSync(join(root, "fine.txt"))).toBe(false);
    expect(warnings.join()).toContain(`the policy does not allow a change of '${denied}'`);
    expect(notes.join()).toContain("was not finished after a crash");
    const [aside] = readdirSync(join(root, ".stet/aside"));
    expect(readFileSync(join(root, ".stet/aside", aside!, basename(staged(root, 1))), "utf8")).toContain("touch owned");
    expect(readdirSync(join(root, ".stet/pending"))).toEqual([]);
    expect((await nextChangeAgain(root)).warnings).toEqual([]);
  });

  async function nextChangeAgain(root: string) {
    const workspace = workspaceIn(root);
    const changed = await workspace.session().create("again.txt", "x");
    await workspace.close();
    return changed;
  }

  it("deletes nothing that an agent may not delete", async () => {
    const root = await withEntry({ ".env": "SECRET=1\n" }, [
      { path: path(".env"), from: version("SECRET=1\n").sha, to: null, proof: "waived" },
    ]);
    writeFileSync(pendingPath(root, 2, 0, "delete"), "");
    expect((await nextChange(root)).warnings.join()).toContain("'.env'");
    expect(readFileSync(join(root, ".env"), "utf8")).toBe("SECRET=1\n");
  });

  it("makes no symbolic link", async () => {
    const root = await withEntry({}, [created("link", "/etc/passwd", LINK_MODE)]);
    symlinkSync("/etc/passwd", staged(root, 0));
    expect((await nextChange(root)).warnings.join()).toContain("would become a symbolic link");
    expect(lstatSync(join(root, "link"), { throwIfNoEntry: false })).toBeUndefined();
  });

  it("follows no link on the way to a file", async () => {
    const outside = directoryWith({});
    const root = await withEntry({}, [created("way/new.txt", "new\n")]);
    symlinkSync(outside, join(root, "way"));
    writeFileSync(staged(root, 0), "new\n");
    await nextChange(root);
    expect(readdirSync(outside)).toEqual([]);
  });

  it("throws nothing away of an entry that can no longer be read", async () => {
    const root = await withEntry({}, []);
    const journal = join(root, ".stet/journal/0000000000000001.jsonl");
    const [first, second] = readFileSync(journal, "utf8").split("\n");
    const body = second!.replace('"changes":[]', '"changes":[null]').replace(/,"hash":".*$/, "");
    const hash = createHash("sha256").update(body).digest("hex");
    writeFileSync(journal, `${first}\n${body},"hash":"${hash}"}\n`);
    const gone = pendingPath(root, 2, 0, "gone");
    writeFileSync(gone, "the only copy\n");
    const workspace = workspaceIn(root);
    const { warnings } = await workspace.session().create("next.txt", "x");
    await workspace.close();
    expect(warnings.join()).toContain("the journal no longer says what it was");
    const [aside] = readdirSync(join(root, ".stet/aside"));
    expect(readFileSync(join(root, ".stet/aside", aside!, basename(gone)), "utf8")).toBe("the only copy\n");
  });

  it("does not wait for a pipe, nor read what is no file", async () => {
    for (const plant of [
      (at: string) => execFileSync("mkfifo", [at]),
      (at: string) => mkdirSync(at),
      (at: string) => sparse(at),
    ]) {
      const root = await withEntry({}, [created("new.txt", "new\n")]);
      plant(staged(root, 0));
      const { warnings } = await nextChange(root);
      expect(existsSync(join(root, "new.txt"))).toBe(false);
      expect(warnings.join()).toContain("was not put there by stet");
    }
  });

  it("is not done for what does not bear the mark of this state, also beside what does", async () => {
    const root = await withEntry({}, [created("src/new.txt", "new\n")]);
    writeFileSync(staged(root, 0), "new\n");
    const forged = ["2-0-new", `2-0-new-${"0".repeat(32)}`, "7-0-delete"];
    for (const name of forged) writeFileSync(join(root, ".stet/pending", name), "forged\n");
    const { warnings, notes } = await nextChange(root);
    expect(readFileSync(join(root, "src/new.txt"), "utf8")).toBe("new\n");
    expect(warnings.filter((warning) => warning.includes("was not put there by stet"))).toHaveLength(2);
    expect(notes).toHaveLength(2);
    const aside = readdirSync(join(root, ".stet/aside")).flatMap((name) =>
      readdirSync(join(root, ".stet/aside", name)),
    );
    expect(aside.sort()).toEqual(forged.sort());
  });

  it("is not done for an entry and bytes that were unpacked over a state that died before it had noted anything", async () => {
    const root = await withEntry({}, [created("setup.py", "import os\n")]);
    forgetHead(root);
    writeFileSync(join(root, ".stet/pending/2-0-new"), "import os\n");
    // Where a version is looked for that is not staged.
    writeFileSync(join(root, ".stet/objects", version("import os\n").sha), "import os\n");
    expect((await nextChange(root)).warnings.join()).toContain("was not put there by stet");
    expect(existsSync(join(root, "setup.py"))).toBe(false);
  });

  it("deletes nothing for a file without the mark", async () => {
    const root = await withEntry({ "kept.txt": "kept\n" }, [
      { path: path("kept.txt"), from: version("kept\n").sha, to: null, proof: "waived" },
    ]);
    writeFileSync(join(root, ".stet/pending/2-0-delete"), "");
    expect((await nextChange(root)).warnings.join()).toContain("was not put there by stet");
    expect(readFileSync(join(root, "kept.txt"), "utf8")).toBe("kept\n");
  });

  it("does not happen in a state that git has written into meanwhile", async () => {
    const root = await withEntry({}, [created("new.txt", "new\n")]);
    const workspace = workspaceIn(root);
    const session = workspace.session();
    await session.read("README.md");
    writeFileSync(staged(root, 0), "new\n");
    const git = (...args: string[]) => execFileSync("git", args, { cwd: root, stdio: "pipe" });
    git("init", "-q");
    git("add", "-f", staged(root, 0));
    await expect(session.create("next.txt", "x")).rejects.toThrow("is tracked by git");
    expect(existsSync(join(root, "new.txt"))).toBe(false);
    await workspace.close();
  });
});
