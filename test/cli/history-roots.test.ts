// stet history and stet restore --all: a history outlives its root, and brings back what another program removed.
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { openWorkspace, type Session, versionOf } from "stet";
import { describe, expect, it } from "vitest";
import { all } from "../support/assertions.ts";
import { stet } from "../support/cli.ts";
import { tempDir } from "../support/temp.ts";

/** A root that can be removed, with a state directory of its own. */
function place() {
  const base = realpathSync(tempDir());
  const [root, state] = [join(base, "project"), join(base, "state")];
  mkdirSync(root);
  return {
    base,
    root,
    state,
    run: (args: readonly string[], cwd = base) => stet(args, { cwd, env: { USER: "ada", STET_STATE: state } }),
    async as<T>(work: (session: Session) => Promise<T>): Promise<T> {
      const workspace = openWorkspace({ root, stateDir: state, durability: "fast" });
      try {
        return await work(workspace.session({ agent: "anna" }));
      } finally {
        await workspace.close();
      }
    },
    histories: () => readdirSync(state),
  };
}

const textOf = (root: string, path: string): string => readFileSync(join(root, path), "utf8");

describe("stet restore --all", () => {
  it("brings back what is larger than an agent may write, and the rest with it", async () => {
    const { root, run, as } = place();
    writeFileSync(join(root, "big.csv"), "0123456789\n".repeat(1_000_000));
    await as(async (session) => {
      await session.create("small.txt", "my work\n");
      await session.move("big.csv", "data.csv", {
        expectedSha256: versionOf([readFileSync(join(root, "big.csv"))]).sha,
      });
    });
    rmSync(root, { recursive: true });
    expect((await run(["restore", "--all", "--root", root])).code).toBe(0);
    expect([textOf(root, "small.txt"), statSync(join(root, "data.csv")).size]).toEqual(["my work\n", 11_000_000]);
  });

  it("brings back the whole project after rm -rf, byte for byte, and can itself be undone", async () => {
    const { root, run, as } = place();
    const bytes = Uint8Array.from({ length: 70_000 }, (_, n) => n % 251);
    writeFileSync(join(root, "edited.txt"), "before\r\n");
    writeFileSync(join(root, "run.sh"), "#!/bin/sh\n");
    writeFileSync(join(root, "never-changed.txt"), "unknown to stet");
    symlinkSync("edited.txt", join(root, "link"));
    chmodSync(join(root, "run.sh"), 0o755);
    await as(async (session) => {
      await session.read("edited.txt");
      await session.write("edited.txt", "after\r\n");
      await session.create("deep/er/raw.bin", bytes, { createParents: true });
      await session.create("large.txt", "0123456789\n".repeat(300_000));
      await session.read("run.sh");
      await session.write("run.sh", "#!/bin/sh\nexit 0\n");
      await session.move("link", "moved-link");
      await session.create("deleted.txt", "gone on purpose");
      await session.delete("deleted.txt");
    });

    rmSync(root, { recursive: true });
    const { code, out, err } = await run(["restore", "--all", "--root", root]);

    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(out).toMatch(/^Brought back 5 files, as entry \d+:\n {2}deep\/er\/raw\.bin\n/);
    expect(textOf(root, "edited.txt")).toBe("after\r\n");
    expect(Uint8Array.from(readFileSync(join(root, "deep/er/raw.bin")))).toEqual(bytes);
    expect(textOf(root, "large.txt")).toBe("0123456789\n".repeat(300_000));
    expect(statSync(join(root, "run.sh")).mode & 0o777).toBe(0o755);
    expect(lstatSync(join(root, "moved-link")).isSymbolicLink()).toBe(true);
    expect(readdirSync(root).sort()).toEqual([".stet", "deep", "edited.txt", "large.txt", "moved-link", "run.sh"]);

    const [last] = (await run(["log", "-n", "1", "--json", "--root", root])).out.split("\n");
    const { seq, agent, tool } = JSON.parse(last!);
    expect([agent, tool]).toEqual(["ada", "stet restore"]);
    expect((await run(["undo", String(seq), "--root", root])).code).toBe(0);
    expect(readdirSync(root).sort()).toEqual([".stet", "deep"]);
    expect((await run(["verify", "--root", root])).code).toBe(0);
  });

  it("leaves alone what is there, and says what would come back", async () => {
    const { root, run, as } = place();
    await as(async (session) => {
      for (const name of ["a.txt", "b.txt", "dir/c.txt"])
        await session.create(name, `${name} by anna\n`, { createParents: true });
    });
    writeFileSync(join(root, "a.txt"), "by somebody else\n");
    rmSync(join(root, "b.txt"));
    rmSync(join(root, "dir"), { recursive: true });
    const dry = await run(["restore", "--all", "--dry-run", "--json"], root);
    expect(dry.json()).toMatchObject({ restored: ["b.txt", "dir/c.txt"], entries: [], left: [], dryRun: true });
    expect(existsSync(join(root, "b.txt"))).toBe(false);

    await run(["restore", "--all"], root);
    expect([textOf(root, "a.txt"), textOf(root, "b.txt")]).toEqual(["by somebody else\n", "b.txt by anna\n"]);
    expect((await run(["restore", "--all"], root)).out).toBe("No file is missing that could be brought back.\n");
    const noticed = await as(({ workspace }) => all(workspace.log({ outcomes: ["external"] })));
    expect(noticed.map(({ changes }) => changes.map(({ path }) => path))).toEqual([["b.txt", "dir/c.txt"]]);
  });

  it("brings back also what stet noticed to be missing, in batches, and names what it cannot", async () => {
    const { root, run, as } = place();
    writeFileSync(join(root, "stet.config.json"), '{ "policy": { "deniedPaths": ["secret/**"] } }');
    await as(async (session) => {
      const numbers = Array.from({ length: 1003 }, (_, n) => n);
      const targets = numbers.map((n) => {
        const proof = { by: "absence" } as const;
        return { path: `many/${n}.txt`, proof, action: "create", createParents: true } as const;
      });
      await session.change(targets, () => numbers.map((n) => ({ body: `${n}` })), { maxFiles: 2000 });
      await session.create("secret/key.txt", "k", { createParents: true });
      rmSync(join(root, "many"), { recursive: true });
      rmSync(join(root, "secret"), { recursive: true });
      // it has seen the file, so this notices that it is gone
      await expect(session.write("many/7.txt", "new")).rejects.toThrow();
    });
    const { code, json } = await run(["restore", "--all", "--json"], root);
    expect(code).toBe(1);
    const { restored, entries, left } = json();
    expect([restored.length, entries.length]).toEqual([1003, 2]);
    expect(left).toEqual([{ path: "secret/key.txt", why: "the policy forbids it" }]);
    expect(textOf(root, "many/7.txt")).toBe("7");
  }, 60_000);

  it("needs --all, and a history that is of the root", async () => {
    const { base, root, run, as } = place();
    await as((session) => session.create("a.txt", "a"));
    expect((await run(["restore", "12"], root)).code).toBe(2);
    const unknown = await run(["restore", "--all", "--root", join(base, "nowhere")]);
    expect([unknown.code, existsSync(join(base, "nowhere"))]).toEqual([1, false]);

    rmSync(root, { recursive: true });
    const dry = await run(["restore", "--all", "--dry-run", "--root", root]);
    expect([dry.code, existsSync(root)]).toEqual([1, false]);
    mkdirSync(root);
    const { code, err } = await run(["restore", "--all"], root);
    expect([code, err]).toEqual([1, expect.stringMatching(/another directory that was at .*stet history link/s)]);
  });
});

describe("stet history", () => {
  it("follows a moved root, marks one that is gone, and links its history to a clone", async () => {
    const { base, root, run, as } = place();
    await as((session) => session.create("a.txt", "one\n"));
    const moved = join(base, "moved");
    renameSync(root, moved);
    expect((await run(["log"], moved)).out).toContain("A a.txt");
    const [known] = (await run(["history", "--json"])).json();
    expect(known).toMatchObject({ root: moved, isGone: false, bytes: expect.any(Number) });
    expect(known.bytes).toBeGreaterThan(0);

    rmSync(moved, { recursive: true });
    mkdirSync(moved);
    writeFileSync(join(moved, "a.txt"), "one\n");
    expect((await run(["history"])).out).toContain(`${moved} (gone or moved)`);
    for (const command of ["log", "doctor"]) {
      const { out, err } = await run([command], moved);
      expect(out + err).toContain(`stet history link ${known.id}`);
    }
    expect(await run(["history", "link", moved], moved)).toMatchObject({ code: 0, err: "" });
    expect((await run(["log"], moved)).out).toContain("A a.txt");
    expect((await run(["undo", "1"], moved)).code).toBe(0);
    expect(existsSync(join(moved, "a.txt"))).toBe(false);
  });

  it("gives a history to no second root, and never takes one from a root that is there", async () => {
    const { base, root, run, as } = place();
    await as((session) => session.create("a.txt", "one\n"));
    const other = join(base, "other");
    mkdirSync(other);
    expect(await run(["history", "link", root], other)).toMatchObject({
      code: 1,
      err: expect.stringContaining("There is no such history"),
    });
    rmSync(root, { recursive: true });
    await run(["call", "create_file", '{"path":"b.txt","content":"b"}'], other);
    expect(await run(["history", "link", root], other)).toMatchObject({
      code: 1,
      err: expect.stringContaining("has a history of its own"),
    });
  });

  it("changes no file of the root that it is linked to, whatever the old root still lacked", async () => {
    const { root, state, run, as, histories } = place();
    await as((session) => session.create("a.txt", "one\n"));
    // as after a power failure: none of the entries is known to be in place
    writeFileSync(join(state, histories()[0]!, "mark"), Buffer.alloc(64));
    rmSync(root, { recursive: true });
    mkdirSync(root);
    expect((await run(["history", "link", root], root)).code).toBe(0);
    await run(["call", "create_file", '{"path":"b.txt","content":"b"}'], root);
    expect(readdirSync(root).sort()).toEqual([".stet", "b.txt"]);
  });

  it("forgets one only after a yes", async () => {
    const { root, run, as, histories } = place();
    await as((session) => session.create("a.txt", "one\n"));
    expect(await run(["history", "forget", root])).toMatchObject({ code: 1, err: expect.stringContaining("--yes") });
    expect(histories()).toHaveLength(1);
    expect(await run(["history", "forget", root, "--yes"])).toMatchObject({ code: 0 });
    expect(histories()).toEqual([]);
    expect((await run(["history"])).err).toMatch(/^There is no history in /);
    expect((await run(["log"], root)).err).toContain("No entry");
  });

  it("is asked for with --state as with STET_STATE, which a configuration file cannot set", async () => {
    const { base, root, run, as } = place();
    await as((session) => session.create("a.txt", "one\n"));
    const elsewhere = join(base, "elsewhere");
    expect((await run(["log", "--state", "elsewhere", "--root", root])).err).toContain("No entry");
    await run(["call", "create_file", '{"path":"b.txt","content":"b"}', "--state", elsewhere, "--root", root]);
    expect((await run(["history", "--state", elsewhere, "--json"])).json()).toHaveLength(1);
    expect((await run(["log", "--root", root])).out).not.toContain("b.txt");
    writeFileSync(join(root, "stet.config.json"), '{ "stateDir": "s" }');
    expect(await run(["log"], root)).toMatchObject({ code: 1, err: expect.stringContaining("stateDir") });
  });
});

describe("stet doctor", () => {
  it("says where the history lies, and names a .stet of format 1", async () => {
    const { root, state, run, as, histories } = place();
    expect((await run(["doctor"], root)).out).toContain(`none yet; the first change makes one in ${state}`);
    await as((session) => session.create("a.txt", "one\n"));
    expect((await run(["doctor"], root)).out).toContain(join(state, histories()[0]!));
    writeFileSync(join(root, ".stet/format"), "1\n");
    expect(await run(["doctor"], root)).toMatchObject({
      code: 1,
      out: expect.stringContaining("holds a history of format 1, which this stet does not read"),
    });
  });
});
