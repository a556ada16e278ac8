// A state is used only if this user made it, on this machine, in this place. Anything else is not believed, and nothing is written into it.
import { execFileSync } from "node:child_process";
import fs, {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  linkSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { type Path, type Sha, shaOf, Workspace } from "stet";
import { disk } from "stet/backends/disk";
import { GENESIS, seal } from "stet/backends/parts";
import { describe, expect, it, vi } from "vitest";
import { openRoot } from "../../../src/backends/disk/paths/root.ts";
import { openStateDirectory } from "../../../src/backends/disk/state/directory.ts";
import { openRegister } from "../../../src/backends/disk/trust/register.ts";
import { claim } from "../../../src/backends/disk/trust/trust.ts";
import { all, refuses } from "../../support/assertions.ts";
import { tempDir } from "../../support/temp.ts";
import { directoryWith } from "../../support/workspace.ts";
import { change, isForeign, recordsIn, used } from "./trust-support.ts";

describe("a state that was made here", () => {
  it("is known by a record of the user outside the workspace, for the user alone", async () => {
    const at = await used();
    const id = readFileSync(join(at.root, ".stet/id"), "utf8").trim();
    expect(id).toMatch(/^[0-9a-f]{32}$/);
    expect(recordsIn(at.registerDir)).toEqual([`${id}.json`]);
    const path = join(at.registerDir, `${id}.json`);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    const { ino, uid } = statSync(join(at.root, ".stet"));
    expect(JSON.parse(readFileSync(path, "utf8"))).toMatchObject({ id, ino: `${ino}`, uid });
  });

  it("stays known when the project is renamed or moved", async () => {
    const at = await used();
    const moved = { ...at, root: join(tempDir(), "elsewhere") };
    renameSync(at.root, moved.root);
    await change(moved, "a.txt", "three\n");
    const again = { ...moved, root: `${moved.root}-again` };
    renameSync(moved.root, again.root);
    await change(again, "b.txt", "b\n");
    const workspace = new Workspace(disk(again));
    expect(await all(workspace.log())).toHaveLength(3);
    await workspace.close();
  });

  it("stays known when its disk gets another number, as after a restart, as long as it is where it was", async () => {
    const at = await used();
    const register = openRegister(at.registerDir, { flush: false });
    const id = readFileSync(join(at.root, ".stet/id"), "utf8").trim();
    const record = register.find(id)!;
    register.write({ ...record, dev: "12345" });
    await change(at, "a.txt", "three\n");
    expect(register.find(id)?.dev).toBe(record.dev);
    register.write({ ...record, dev: "12345", path: "/somewhere/else/.stet" });
    await expect(change(at, "a.txt", "four\n")).rejects.toThrow("is a copy of another state");
  });

  it("is told apart from one that has its number but was made at another time", async () => {
    const at = await used();
    const register = openRegister(at.registerDir, { flush: false });
    const id = readFileSync(join(at.root, ".stet/id"), "utf8").trim();
    const record = register.find(id)!;
    expect(record.born).toBe(`${statSync(join(at.root, ".stet"), { bigint: true }).birthtimeNs}`);
    for (const born of ["0", `${BigInt(record.born) + 1n}`]) {
      register.write({ ...record, born });
      await isForeign(at, "is a copy of another state");
    }
  });

  it("notes of its journal only what it saw while nobody else could take it back", async () => {
    const at = await used();
    const register = openRegister(at.registerDir, { flush: false });
    const id = readFileSync(join(at.root, ".stet/id"), "utf8").trim();
    const { head } = register.find(id)!;
    expect(head?.seq).toBe(1);
    const segment = join(at.root, ".stet/journal/0000000000000001.jsonl");
    const draft = { session: "s", tool: "t", outcome: "note" as const, changes: [] };
    const before = readFileSync(segment);
    const { line } = seal(draft, { seq: 2, at: new Date().toISOString(), prev: head!.hash as Sha });
    writeFileSync(segment, `${before}${line}\n`);
    const reader = new Workspace(disk(at));
    await reader.session().read("a.txt");
    expect(await all(reader.log())).toHaveLength(2);
    await reader.close();
    writeFileSync(segment, before);
    await change(at, "a.txt", "three\n");
    expect(register.find(id)?.head?.seq).toBe(2);
  });

  it("notes of its journal only what is flushed: after a power failure the rest would look cut", async () => {
    const at = await used();
    const register = openRegister(at.registerDir, { flush: false });
    const id = readFileSync(join(at.root, ".stet/id"), "utf8").trim();
    const workspace = new Workspace(disk(at));
    await workspace.session().create("new.txt", "new\n");
    const flush = vi.spyOn(fs, "fdatasyncSync").mockImplementation(() => {
      throw Object.assign(new Error("EIO"), { code: "EIO" });
    });
    await workspace.close().finally(() => flush.mockRestore());
    expect(register.find(id)?.head?.seq).toBe(1);
    await change(at, "a.txt", "three\n");
    expect(register.find(id)?.head?.seq).toBe(3);
  });

  it("is made once by many who begin at the same moment", async () => {
    const root = directoryWith({});
    const registerDir = tempDir();
    const many = Array.from({ length: 8 }, () => new Workspace(disk({ root, registerDir, durability: "fast" })));
    await Promise.all(many.map((workspace, n) => workspace.session().create(`${n}.txt`, `${n}`)));
    expect(await all(many[0]!.log())).toHaveLength(8);
    await Promise.all(many.map((workspace) => workspace.close()));
    expect(recordsIn(registerDir)).toHaveLength(1);
    expect(readdirSync(join(root, ".stet")).filter((name) => name.startsWith("id"))).toEqual(["id"]);
  });

  it.each([
    ["links", undefined],
    ["no links", "EPERM"],
  ])("has the id of the one who came first, where there are %s", (_name, code) => {
    const registerDir = tempDir();
    const register = openRegister(registerDir, { flush: false });
    const link = vi.spyOn(fs, "linkSync");
    if (code !== undefined)
      link.mockImplementation(() => {
        throw Object.assign(new Error(code), { code });
      });
    const root = openRoot(directoryWith({}));
    try {
      const { dir, path } = openStateDirectory(root, undefined, true)!;
      const first = claim(dir, path, register);
      expect(claim(dir, path, register)).toEqual(first);
      expect(recordsIn(registerDir)).toEqual([`${first.id}.json`]);
      expect(readdirSync(path)).toEqual(["id"]);
      dir.close();
    } finally {
      link.mockRestore();
      root.close();
    }
  });

  it("in a directory that the owner made, empty and open to others, is closed to them", async () => {
    const stateDir = tempDir();
    chmodSync(stateDir, 0o755);
    await used({ stateDir });
    expect(statSync(stateDir).mode & 0o777).toBe(0o700);
  });
});

describe("a state that came from elsewhere", () => {
  it("unknown to this user: no record", async () => {
    const at = await used();
    rmSync(join(at.registerDir, recordsIn(at.registerDir)[0]!));
    await isForeign(at, "was not made here by this user");
  });

  it("copied, with its id, also to the very place where it was", async () => {
    const at = await used();
    cpSync(join(at.root, ".stet"), join(at.root, ".copy"), { recursive: true });
    rmSync(join(at.root, ".stet"), { recursive: true });
    renameSync(join(at.root, ".copy"), join(at.root, ".stet"));
    chmodSync(join(at.root, ".stet"), 0o700);
    await isForeign(at, "is a copy of another state");
  });

  it("made at another time in a directory that happens to have the same number", async () => {
    const at = await used();
    const register = openRegister(at.registerDir, { flush: false });
    const id = readFileSync(join(at.root, ".stet/id"), "utf8").trim();
    register.write({ ...register.find(id)!, born: "1000000000" });
    await isForeign(at, "is a copy of another state");
  });

  it.skipIf(process.platform === "win32")("open to others", async () => {
    for (const mode of [0o755, 0o770, 0o701]) {
      const at = await used();
      chmodSync(join(at.root, ".stet"), mode);
      await isForeign(at, "is open to other users");
    }
  });

  it.skipIf(process.getuid?.() !== 0)("of another user, by its directory or by the record", async () => {
    const at = await used();
    chownSync(join(at.root, ".stet"), 65_534, 65_534);
    await isForeign(at, "belongs to another user");
    const recorded = await used();
    const register = openRegister(recorded.registerDir, { flush: false });
    const id = readFileSync(join(recorded.root, ".stet/id"), "utf8").trim();
    register.write({ ...register.find(id)!, uid: 65_534 });
    await isForeign(recorded, "is a copy of another state");
  });

  it("tracked by git, although it was made here", async () => {
    const at = await used();
    const git = (...args: string[]) => execFileSync("git", args, { cwd: at.root, stdio: "pipe" });
    git("init", "-q");
    await change(at, "a.txt", "two\n");
    git("add", "-f", ".stet");
    await isForeign(at, "is tracked by git");
    // What git may have written into it is still there.
    git("rm", "-r", "-q", "--cached", ".stet");
    await isForeign(at, "was tracked by git, which may have replaced parts of it");
  });

  it("tracked in a clone, with the id of an original that is not: the original stays known", async () => {
    const at = await used();
    const clone = { ...at, root: join(tempDir(), "clone") };
    cpSync(at.root, clone.root, { recursive: true });
    const git = (...args: string[]) => execFileSync("git", args, { cwd: clone.root, stdio: "pipe" });
    git("init", "-q");
    git("add", "-f", ".stet");
    await isForeign(clone, "is tracked by git");
    await change(at, "a.txt", "three\n");
  });

  it("into which a pull has put a journal and staged files: nothing of it is done, also when it is out of git again", async () => {
    const at = await used();
    const git = (...args: string[]) => execFileSync("git", args, { cwd: at.root, stdio: "pipe" });
    git("init", "-q");
    const state = join(at.root, ".stet");
    const to = shaOf([Buffer.from("evil\n")]);
    const draft = {
      session: "s",
      tool: "t",
      outcome: "applied" as const,
      changes: [{ path: "evil.js" as Path, from: null, to }],
    };
    const { line } = seal(draft, { seq: 1, at: new Date().toISOString(), prev: GENESIS });
    writeFileSync(join(state, "journal/0000000000000001.jsonl"), `${line}\n`);
    writeFileSync(join(state, "pending/1-0-new"), "evil\n");
    git("add", "-f", ".stet");
    await isForeign(at, "is tracked by git");
    git("rm", "-r", "-q", "--cached", ".stet");
    await isForeign(at, "was tracked by git");
    expect(existsSync(join(at.root, "evil.js"))).toBe(false);
  });

  it("whose journal was cut or replaced meanwhile, which the record knows", async () => {
    for (const spoil of [
      (journal: string) => rmSync(journal, { recursive: true }),
      (journal: string) => writeFileSync(join(journal, "0000000000000001.jsonl"), ""),
      (journal: string) => {
        const first = join(journal, "0000000000000001.jsonl");
        writeFileSync(first, `${readFileSync(first, "utf8").split("\n")[0]}\n`);
      },
      (journal: string) => {
        const draft = { session: "s", tool: "t", outcome: "note" as const, changes: [] };
        const first = seal(draft, { seq: 1, at: new Date().toISOString(), prev: GENESIS });
        const more = seal(draft, { seq: 2, at: new Date().toISOString(), prev: first.entry.hash });
        const last = seal(draft, { seq: 3, at: new Date().toISOString(), prev: more.entry.hash });
        const lines = [first, more, last].map(({ line }) => `${line}\n`).join("");
        writeFileSync(join(journal, "0000000000000001.jsonl"), lines);
      },
    ]) {
      const at = await used();
      await change(at, "b.txt", "b\n");
      spoil(join(at.root, ".stet/journal"));
      const workspace = new Workspace(disk(at));
      const { failure } = await refuses("unsupported", () => workspace.session().create("new", "x"));
      expect(failure.message).toContain("has a journal that was cut or replaced");
      expect((await workspace.session().read("a.txt")).body).toBe("two\n");
      const { ok, problems } = await workspace.verify();
      expect(ok, JSON.stringify(problems)).toBe(false);
      await workspace.close();
    }
  });

  it("with files that have another name by hard link: nothing is written there, and nothing of them shown", async () => {
    const SECRET = "hunter2 is no kind of lock\n";
    for (const part of ["lock/held", "lock/waiting", "lock/lock-kind", "journal/0000000000000001.jsonl", "format"]) {
      const at = await used();
      const victim = join(directoryWith({ secret: SECRET }), "secret");
      const place = join(at.root, ".stet", part);
      rmSync(place, { force: true });
      linkSync(victim, place);
      const workspace = new Workspace(disk(at));
      const { failure } = await workspace
        .session()
        .create("new", "x")
        .then(
          () => expect.fail(`${part} was taken`),
          (error) => error,
        );
      expect(JSON.stringify(failure), part).not.toContain("hunter2");
      expect((await workspace.session().read("a.txt")).body, part).toBe("two\n");
      await workspace.verify().catch(() => undefined);
      await workspace.close();
      expect(readFileSync(victim, "utf8"), part).toBe(SECRET);
    }
  });

  it("that is a link or a file, while files can be read", async () => {
    for (const plant of [(path: string) => symlinkSync(tempDir(), path), (path: string) => writeFileSync(path, "x")]) {
      const root = directoryWith({ "a.txt": "one\n" });
      plant(join(root, ".stet"));
      const workspace = new Workspace(disk({ root, registerDir: tempDir() }));
      expect((await workspace.session().read("a.txt")).body).toBe("one\n");
      const { failure } = await refuses("unsupported", () => workspace.session().create("new", "x"));
      expect(failure.message).toContain("not a directory of its own");
      await workspace.close();
    }
  });

  it("with a part that is a link: it says which, and both ways out", async () => {
    for (const part of ["objects", "pending", "journal", "lock"]) {
      const at = await used();
      rmSync(join(at.root, ".stet", part), { recursive: true });
      symlinkSync(tempDir(), join(at.root, ".stet", part));
      const workspace = new Workspace(disk(at));
      const { failure } = await refuses("unsupported", () => workspace.session().create("new", "x"));
      expect(failure.message).toContain(`'${part}', which is not a directory`);
      expect(failure.suggestedAction).toContain("stet adopt --afresh");
      await workspace.close();
    }
  });

  it("with an id that is something else", async () => {
    const plants: readonly ((id: string, known: string) => void)[] = [
      (id, known) => writeFileSync(id, known),
      (id, known) => writeFileSync(id, `${known}\nmore\n`),
      (id, known) => writeFileSync(id, `${known}0\n`),
      (id) => writeFileSync(id, "../../../etc/passwd\n"),
      (id) => writeFileSync(id, "x".repeat(1000)),
      (id) => symlinkSync("/dev/zero", id),
      (id) => execFileSync("mkfifo", [id]),
    ];
    for (const plant of plants) {
      const at = await used();
      const known = readFileSync(join(at.root, ".stet/id"), "utf8").trim();
      rmSync(join(at.root, ".stet/id"));
      plant(join(at.root, ".stet/id"), known);
      const workspace = new Workspace(disk(at));
      const { failure } = await refuses("unsupported", () => workspace.session().create("new", "x"));
      expect(failure.message).toContain("has an id that stet did not write");
      expect((await workspace.session().read("a.txt")).body).toBe("two\n");
      await workspace.close();
    }
  });

  it("whose record is something else", async () => {
    const texts = ["", "null", "[]", "5", '{"id":"x"}', "{".repeat(5000), "\0"];
    for (const text of texts) {
      const at = await used();
      writeFileSync(join(at.registerDir, recordsIn(at.registerDir)[0]!), text);
      await isForeign(at, "was not made here by this user");
    }
  });

  it.skipIf(process.platform === "win32")("when others can write where states are remembered", async () => {
    const at = await used();
    chmodSync(at.registerDir, 0o777);
    const workspace = new Workspace(disk(at));
    const { failure } = await refuses("unsupported", () => workspace.session().create("new", "x"));
    expect(failure.message).toContain("other users can write there");
    expect(failure.suggestedAction).toContain("STET_REGISTER");
    expect((await workspace.session().read("a.txt")).body).toBe("two\n");
    await workspace.close();
  });
});
