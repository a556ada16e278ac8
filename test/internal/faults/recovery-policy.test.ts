// Finishing what a crash left asks the policy as a change does: an entry that is in the log and not in place writes nothing that an agent could not.
import {
  appendFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
} from "node:fs";
import { join } from "node:path";
import { type EntryChange, LINK_MODE, type Version } from "stet";
import { GENESIS, seal } from "stet/backends/parts";
import { describe, expect, it } from "vitest";
import { all, path, version } from "../../support/assertions.ts";
import { tempDir } from "../../support/temp.ts";
import { directoryWith } from "../../support/workspace.ts";
import { opened, recordOf, segmentOf } from "../support/forged.ts";

interface Place {
  readonly root: string;
  readonly home: string;
}

/** A workspace with a history, and in it one more entry of a process that died before it put anything in place. */
async function withEntry(
  files: Record<string, string>,
  changes: readonly EntryChange[],
  blobs: readonly Version[],
): Promise<Place> {
  const at = { root: directoryWith({ "README.md": "hello\n", ...files }), home: tempDir() };
  const workspace = opened(at);
  await workspace.session().create("first.txt", "x");
  const [first] = await all(workspace.log());
  await workspace.close();
  const draft = { session: "s", tool: "write_file", outcome: "applied" as const, changes };
  const { line } = seal(draft, { seq: 2, at: new Date().toISOString(), prev: first?.hash ?? GENESIS });
  appendFileSync(segmentOf(at.home), recordOf(line, blobs));
  return at;
}

const created = (at: string, text: string, toMode = 0o755): EntryChange => ({
  path: path(at),
  from: null,
  to: version(text).sha,
  toSize: text.length,
  toMode,
  proof: "absence",
});

/** The next change of an agent, which is when what was left is looked at. */
async function nextChange(at: Place, name = "next.txt") {
  const workspace = opened(at);
  const changed = await workspace.session().create(name, "x");
  const notes = (await all(workspace.log({ outcomes: ["note"] }))).map(({ message }) => message ?? "");
  const verification = await workspace.verify();
  await workspace.close();
  expect(verification.problems).toEqual([]);
  expect(readFileSync(join(at.root, name), "utf8")).toBe("x");
  return { warnings: changed.warnings, notes };
}

describe("finishing what a crash left", () => {
  it("is done for what an agent may change", async () => {
    const at = await withEntry({}, [created("src/new.txt", "new\n", 0o4755)], [version("new\n")]);
    expect((await nextChange(at)).warnings).toEqual([]);
    expect(readFileSync(join(at.root, "src/new.txt"), "utf8")).toBe("new\n");
    expect(statSync(join(at.root, "src/new.txt")).mode & 0o7000).toBe(0);
  });

  const DENIED = [
    ".git/hooks/pre-commit",
    ".env",
    "sub/.env",
    ".mcp.json",
    "stet.config.json",
    ".stet/tmp/x",
    ".bashrc",
  ];
  it.each(DENIED)("is not done for %s: it is told, and what should have been there is kept", async (denied) => {
    const evil = "#!/bin/sh\ntouch owned\n";
    const at = await withEntry(
      { ".git/HEAD": "ref: refs/heads/main\n" },
      [created("fine.txt", "fine\n"), created(denied, evil)],
      [version("fine\n"), version(evil)],
    );
    const { warnings, notes } = await nextChange(at);
    expect(existsSync(join(at.root, denied))).toBe(false);
    expect(warnings.join()).toContain(`the policy does not allow a change of '${denied}'`);
    expect(notes.join()).toContain("was cut short by a crash");
    const workspace = opened(at);
    expect(await workspace.backend.recall(version(evil).sha)).not.toBeNull();
    expect((await workspace.backend.head(path(denied)))?.sha ?? null).toBeNull();
    await workspace.close();
    expect((await nextChange(at, "again.txt")).warnings).toEqual([]);
    expect(readdirSync(join(at.root, ".stet")).filter((name) => /^\d/.test(name))).toEqual([]);
  });

  it("is left alone by one who may change nothing, and told to the one who may", async () => {
    const at = await withEntry({}, [created("new.txt", "new\n")], [version("new\n")]);
    const reader = opened(at, { policy: { readOnly: true } });
    await reader.session().read("README.md");
    await reader.close();
    expect(existsSync(join(at.root, "new.txt"))).toBe(false);
    await nextChange(at);
    expect(readFileSync(join(at.root, "new.txt"), "utf8")).toBe("new\n");
  });

  it("deletes nothing that an agent may not delete", async () => {
    const removed = { path: path(".env"), from: version("SECRET=1\n").sha, to: null, proof: "waived" };
    const at = await withEntry({ ".env": "SECRET=1\n" }, [removed], []);
    expect((await nextChange(at)).warnings.join()).toContain("'.env'");
    expect(readFileSync(join(at.root, ".env"), "utf8")).toBe("SECRET=1\n");
  });

  it("puts no symbolic link in the place of a file", async () => {
    const link = { ...created("file", "/etc/passwd", LINK_MODE), from: version("text\n").sha };
    const at = await withEntry({ file: "text\n" }, [link], [version("/etc/passwd", LINK_MODE)]);
    expect((await nextChange(at)).warnings.join()).toContain("would become a symbolic link");
    expect(lstatSync(join(at.root, "file")).isFile()).toBe(true);
  });

  it("follows no link on the way to a file", async () => {
    const outside = directoryWith({});
    const at = await withEntry({}, [created("way/new.txt", "new\n")], [version("new\n")]);
    symlinkSync(outside, join(at.root, "way"));
    await nextChange(at);
    expect(readdirSync(outside)).toEqual([]);
  });

  it("leaves alone what stands in its place, and keeps what should have been there", async () => {
    const at = await withEntry({}, [created("new.txt", "new\n")], [version("new\n")]);
    mkdirSync(join(at.root, "new.txt"));
    const { warnings } = await nextChange(at);
    expect(warnings.join()).toContain("'new.txt'");
    expect(lstatSync(join(at.root, "new.txt")).isDirectory()).toBe(true);
  });

  it("is not done with bytes that are not those that the entry names, nor without any", async () => {
    const other = { ...version("evil\n"), sha: version("new\n").sha };
    for (const blobs of [[other], []]) {
      const at = await withEntry({}, [created("new.txt", "new\n")], blobs);
      await nextChange(at);
      expect(existsSync(join(at.root, "new.txt"))).toBe(false);
    }
  });
});
