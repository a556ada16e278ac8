// The owner's two ways out of a state that was not made here: taking its history over, and starting anew.
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { shaOf, Workspace } from "stet";
import { disk } from "stet/backends/disk";
import { describe, expect, it } from "vitest";
import { adoptState } from "../../../src/backends/disk/trust/adopt.ts";
import { all, refuses } from "../../support/assertions.ts";
import { tempDir } from "../../support/temp.ts";
import { directoryWith } from "../../support/workspace.ts";

const sha = (text: string) => shaOf([Buffer.from(text)]);

/** A project with three entries, copied as a whole to another place, as a download is. */
async function copied(): Promise<{ root: string; registerDir: string; state: string }> {
  const root = directoryWith({ "a.txt": "one\n" });
  const workspace = new Workspace(disk({ root, registerDir: tempDir(), durability: "fast", segmentBytes: 700 }));
  const session = workspace.session({ id: "there" });
  await session.read("a.txt");
  for (const text of ["two\n", "three\n", "four\n"]) await session.write("a.txt", text);
  await workspace.close();
  const copy = join(tempDir(), "copy");
  cpSync(root, copy, { recursive: true });
  return { root: copy, registerDir: tempDir(), state: join(copy, ".stet") };
}

function opened({ root, registerDir }: { root: string; registerDir: string }): Workspace {
  return new Workspace(disk({ root, registerDir, durability: "fast" }));
}

async function historyOf(at: { root: string; registerDir: string }): Promise<string[]> {
  const workspace = opened(at);
  try {
    return (await all(workspace.log())).map(
      ({ seq, outcome, elsewhere }) => `${seq} ${outcome}${elsewhere === true ? " elsewhere" : ""}`,
    );
  } finally {
    await workspace.close();
  }
}

describe("taking a state over", () => {
  it("a look tells what it is and changes nothing", async () => {
    const at = await copied();
    writeFileSync(join(at.state, "pending/4-0-new"), "x");
    const before = readdirSync(at.state, { recursive: true }).sort();
    const looked = await adoptState({ ...at, dryRun: true });
    expect(looked).toMatchObject({ entries: 3, versions: 4, unfinished: 1, aside: null });
    expect(looked.verification.ok).toBe(true);
    expect(looked.why).toContain("was not made here");
    expect(readdirSync(at.state, { recursive: true }).sort()).toEqual(before);
    expect(readdirSync(at.registerDir)).toEqual([]);
  });

  it("that is called off while the journal is looked through leaves everything as it was", async () => {
    const at = await copied();
    rmSync(join(at.state, "objects"), { recursive: true });
    const before = readdirSync(at.state, { recursive: true }).sort();
    for (const dryRun of [true, false]) {
      await refuses("cancelled", () => adoptState({ ...at, dryRun, signal: AbortSignal.abort() }));
    }
    // When a part of it has been checked; when it is only counted what can be taken over, file by file.
    for (const often of [1, 4]) {
      let asked = 0;
      const signal = {
        get aborted() {
          return ++asked > often;
        },
      } as AbortSignal;
      await refuses("cancelled", () => adoptState({ ...at, signal }));
      expect(asked).toBe(often + 1);
    }
    expect(readdirSync(at.state, { recursive: true }).sort()).toEqual(before);
  });

  it("keeps entries and versions, marked as from elsewhere, finishes nothing, and goes on from there", async () => {
    const at = await copied();
    writeFileSync(join(at.state, "pending/3-0-new"), "evil");
    const done = await adoptState(at);
    expect(done).toMatchObject({ entries: 3, versions: 4 });
    const workspace = opened(at);
    const session = workspace.session({ id: "here" });
    expect((await session.read("a.txt")).body).toBe("four\n");
    await session.write("a.txt", "five\n");
    expect(await workspace.verify()).toMatchObject({ ok: true, entries: 4 });
    for (const text of ["one\n", "two\n", "three\n", "four\n"]) {
      expect(await workspace.backend.recall(sha(text)), text).not.toBeNull();
    }
    await workspace.close();
    expect(await historyOf(at)).toEqual([
      "1 applied elsewhere",
      "2 applied elsewhere",
      "3 applied elsewhere",
      "4 applied",
    ]);
    expect(readFileSync(join(at.state, done.aside!, "pending/3-0-new"), "utf8")).toBe("evil");
    expect(readdirSync(join(at.state, "pending"))).toEqual([]);
  });

  it("leaves behind what is damaged or not what it is said to be", async () => {
    const at = await copied();
    const segments = readdirSync(join(at.state, "journal")).filter((name) => name.endsWith(".jsonl"));
    expect(segments.length).toBeGreaterThan(1);
    const last = join(at.state, "journal", segments.at(-1)!);
    writeFileSync(last, readFileSync(last, "utf8").replace('"tool":"', '"tool":"x'));
    const objects = join(at.state, "objects");
    writeFileSync(join(objects, sha("one\n")), "ONE\n");
    rmSync(join(objects, sha("two\n")));
    const outside = join(tempDir(), "outside");
    writeFileSync(outside, "two\n");
    linkSync(outside, join(objects, sha("two\n")));
    writeFileSync(join(objects, "..odd"), "x");
    symlinkSync("/etc/passwd", join(objects, "f".repeat(64)));
    execFileSync("mkfifo", [join(objects, "e".repeat(64))]);
    mkdirSync(join(objects, "d".repeat(64)));
    const done = await adoptState(at);
    expect(done.verification.ok).toBe(false);
    expect(done.entries).toBeLessThan(3);
    expect(done.versions).toBe(3);
    expect(readdirSync(objects).sort()).toEqual([sha("two\n"), sha("three\n"), sha("four\n")].sort());
    // What has another name outside is taken over as a copy, into which nobody can write from there.
    expect(statSync(join(objects, sha("two\n"))).nlink).toBe(1);
    expect(readFileSync(outside, "utf8")).toBe("two\n");
    const workspace = opened(at);
    await workspace.session().create("new.txt", "x");
    expect((await workspace.verify()).problems).toEqual([]);
    await workspace.close();
  });

  it("of parts that are links or pipes takes nothing", async () => {
    const at = await copied();
    for (const part of ["journal", "objects", "lock"]) {
      rmSync(join(at.state, part), { recursive: true });
      symlinkSync("/etc", join(at.state, part));
    }
    rmSync(join(at.state, "pending"), { recursive: true });
    execFileSync("mkfifo", [join(at.state, "pending")]);
    writeFileSync(Buffer.concat([Buffer.from(`${at.state}/`), Buffer.from([0xff, 0xfe])]), "no text");
    expect(await adoptState(at)).toMatchObject({ entries: 0, versions: 0 });
    expect(await historyOf(at)).toEqual([]);
  });

  it("does not take back what was done elsewhere when everything of a time or a session is undone", async () => {
    const at = await copied();
    await adoptState(at);
    const workspace = opened(at);
    const session = workspace.session({ id: "there" });
    await session.create("new.txt", "x");
    const { undone } = await session.undo({ session: "there" });
    expect(undone).toEqual([4]);
    expect(readFileSync(join(at.root, "a.txt"), "utf8")).toBe("four\n");
    await workspace.close();
  });

  it("is refused for one that git tracks, until it is taken out of git", async () => {
    const at = await copied();
    const git = (...args: string[]) => execFileSync("git", args, { cwd: at.root, stdio: "pipe" });
    git("init", "-q");
    git("add", "-f", ".stet");
    for (const afresh of [false, true]) {
      const { failure } = await refuses("unsupported", () => adoptState({ ...at, afresh }));
      expect(failure.suggestedAction).toContain("git rm -r --cached");
    }
    git("rm", "-r", "-q", "--cached", ".stet");
    expect(await adoptState(at)).toMatchObject({ entries: 3 });
  });

  it("is refused for one that git tracks before anything is moved, whatever else is wrong with it", async () => {
    const at = await copied();
    chmodSync(at.state, 0o755);
    const git = (...args: string[]) => execFileSync("git", args, { cwd: at.root, stdio: "pipe" });
    git("init", "-q");
    git("add", "-f", ".stet");
    const before = readdirSync(at.state, { recursive: true }).sort();
    expect((await adoptState({ ...at, dryRun: true })).why).toBe("is tracked by git");
    for (const afresh of [false, true]) await refuses("unsupported", () => adoptState({ ...at, afresh }));
    expect(readdirSync(at.state, { recursive: true }).sort()).toEqual(before);
  });

  it("can be called off while it looks, and leaves everything as it was", async () => {
    const at = await copied();
    const before = readdirSync(at.state, { recursive: true }).sort();
    const calledOff = new AbortController();
    const progress = (words: string): void => {
      if (words.includes("versions")) calledOff.abort();
    };
    await refuses("cancelled", () => adoptState({ ...at, signal: calledOff.signal, progress }));
    expect(readdirSync(at.state, { recursive: true }).sort()).toEqual(before);
    expect(await adoptState(at)).toMatchObject({ entries: 3, versions: 4 });
    expect(readdirSync(at.state).filter((name) => /adopting|moving/.test(name))).toEqual([]);
  });

  it("is refused where there is nothing, or nothing to decide", async () => {
    const at = { root: directoryWith({}), registerDir: tempDir() };
    await refuses("not_found", () => adoptState(at));
    const workspace = opened(at);
    await workspace.session().create("a", "x");
    await workspace.close();
    await refuses("invalid_input", () => adoptState(at));
  });
});

describe("starting anew", () => {
  it("moves all of it aside, keeps it there, and begins an empty history", async () => {
    const at = await copied();
    const before = readFileSync(join(at.state, "journal/0000000000000001.jsonl"), "utf8");
    const done = await adoptState({ ...at, afresh: true });
    expect(readFileSync(join(at.state, done.aside!, "journal/0000000000000001.jsonl"), "utf8")).toBe(before);
    expect(existsSync(join(at.state, "journal"))).toBe(false);
    expect(await historyOf(at)).toEqual([]);
    const workspace = opened(at);
    await workspace.session().create("new.txt", "x");
    await workspace.close();
    expect(await historyOf(at)).toEqual(["1 applied"]);
  });

  it("is possible for a state that was made here, which others then notice", async () => {
    const at = { root: directoryWith({ "a.txt": "one\n" }), registerDir: tempDir() };
    const workspace = opened(at);
    await workspace.session().create("b.txt", "x");
    await adoptState({ ...at, afresh: true });
    const { failure } = await refuses("unsupported", () => workspace.session().create("c.txt", "x"));
    expect(failure.message).toContain("was moved, deleted or replaced");
    await workspace.close();
    expect(await historyOf(at)).toEqual([]);
  });
});
