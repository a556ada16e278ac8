// The history of a directory as one file: exported, imported for another directory, refused when it is not whole.
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type KeptVersion, openWorkspace } from "stet";
import { beforeAll, describe, expect, it } from "vitest";
import { all } from "../support/assertions.ts";
import { stet } from "../support/cli.ts";
import { tempDir } from "../support/temp.ts";

const LARGE = 2 * 1024 * 1024;

describe("a history in a file", () => {
  const cwd = realpathSync(tempDir());
  const state = tempDir();
  const from = join(cwd, "from");
  const file = join(cwd, "from.history");
  const run = (args: readonly string[], around: Partial<Parameters<typeof stet>[1]> = {}) =>
    stet(args, { cwd, env: { USER: "ada", STET_STATE: state }, ...around });
  const headOf = async (root: string) => /head (\S+)/.exec((await run(["verify", "--root", root])).out)?.[1];
  async function keptIn(root: string): Promise<KeptVersion[]> {
    const workspace = openWorkspace({ root, stateDir: state });
    const kept = await all(workspace.backend.kept());
    await workspace.close();
    return kept
      .map((each) => ({ ...each, keptAt: Math.round(each.keptAt) }))
      .sort((a, b) => a.sha.localeCompare(b.sha));
  }
  const histories = () => readdirSync(state).length;

  /** The files of `from`, as a clone would bring them. */
  function clone(name: string): string {
    const root = join(cwd, name);
    cpSync(from, root, { recursive: true, filter: (path) => !path.endsWith(".stet") });
    return root;
  }

  beforeAll(async () => {
    mkdirSync(from);
    const workspace = openWorkspace({ root: from, stateDir: state });
    const session = workspace.session({ agent: "writer" });
    await session.create("a.txt", "one\n");
    await session.write("a.txt", "two\n");
    await session.create("large.txt", "x".repeat(LARGE));
    await session.delete("large.txt");
    // More than one segment of the log, here and there.
    for (let n = 0; n < 8; n++) {
      await session.create(`part-${n}.txt`, `${n}`.repeat(900_000));
      await session.delete(`part-${n}.txt`);
    }
    await workspace.close();
    writeFileSync(join(from, "a.txt"), "by another program\n");
  });

  it("export: entries and versions in one file, with what another program changed; one that is there stays", async () => {
    const seen: string[] = [];
    const exported = await run(["history", "export", file, "--root", from], { onProgress: (text) => seen.push(text) });
    expect([exported.code, exported.err]).toEqual([0, ""]);
    expect(exported.out).toContain("Exported 21 entries and 12 kept versions");
    expect(exported.out).toContain(`head ${await headOf(from)}`);
    expect(seen.some((text) => text.includes("of 21 entries"))).toBe(true);
    const before = readFileSync(file);
    expect((await run(["history", "export", file, "--root", from])).err).toContain("is there already");
    expect(readFileSync(file).equals(before)).toBe(true);
  });

  it("import: the same head, log and versions, and the files stay as they are", async () => {
    const to = clone("to");
    writeFileSync(join(to, "a.txt"), "edited since\n");
    const imported = await run(["history", "import", file, "--root", to, "--json"]);
    expect([imported.code, imported.err]).toEqual([0, ""]);
    expect(imported.json()).toMatchObject({ from: file, to, entries: 21, versions: 12, damaged: [] });
    expect(await headOf(to)).toBe(await headOf(from));
    expect(await keptIn(to)).toEqual(await keptIn(from));
    expect((await run(["log", "--root", to])).out).toBe((await run(["log", "--root", from])).out);
    expect(readFileSync(join(to, "a.txt"), "utf8")).toBe("edited since\n");
    for (const [seq, name, size] of [
      ["4", "large.txt", LARGE],
      ["6", "part-0.txt", 900_000],
      ["20", "part-7.txt", 900_000],
    ] as const) {
      expect((await run(["undo", seq, "--root", to, "--yes"])).code).toBe(0);
      expect(readFileSync(join(to, name)).length).toBe(size);
    }
    expect((await run(["verify", "--root", to])).out).toContain("whole");
    expect((await run(["call", "read_file", '{"path":"a.txt"}', "--root", to, "--text"])).out).toContain(
      "edited since",
    );
    expect((await run(["log", "--root", to])).out).toContain("changed outside stet");
  });

  it("import into a directory that has a history is refused, and leaves that one alone", async () => {
    const head = await headOf(from);
    const { code, err } = await run(["history", "import", file, "--root", from]);
    expect([code, err]).toEqual([1, expect.stringMatching(/has a history of its own.*stet history forget/s)]);
    expect(await headOf(from)).toBe(head);
  });

  const forged = (change: (bytes: Buffer) => Buffer | string) => () => change(readFileSync(file));
  const replaced = (bytes: Buffer, old: string, other: string) =>
    Buffer.from(bytes.toString("latin1").replace(old, other), "latin1");
  const ended = (bytes: Buffer) => Buffer.concat([bytes, Buffer.from("end\n")]);
  it.each([
    ["is cut off", forged((bytes) => bytes.subarray(0, -200)), /damaged or was cut off/],
    ["goes on behind its end", forged((bytes) => Buffer.concat([bytes, Buffer.alloc(9)])), /damaged or was cut off/],
    ["has lost its last entries", forged((bytes) => ended(bytes.subarray(0, bytes.lastIndexOf("stet")))), /missing/],
    ["has a version with other bytes", forged((bytes) => replaced(bytes, "one\n", "two\n")), /damaged or was cut off/],
    [
      "has an entry that was altered",
      forged((bytes) => replaced(bytes, '"writer"', '"forger"')),
      /Entry 1 was altered/,
    ],
    ["has no entries", forged((bytes) => ended(bytes.subarray(0, 103))), /missing/],
    ["is something else", () => "# README\n", /is not a history that stet exported/],
    ["is empty", () => "", /is not a history that stet exported/],
  ])("a file that %s is refused, and nothing of it stays", async (name, make, why) => {
    const root = join(cwd, `refused ${name}`);
    const path = join(cwd, "refused.history");
    mkdirSync(root);
    writeFileSync(path, make(), "latin1");
    const before = histories();
    const { code, err } = await run(["history", "import", path, "--root", root]);
    expect([code, err]).toEqual([1, expect.stringMatching(why)]);
    expect(histories()).toBe(before);
    expect((await run(["log", "--root", root])).out).not.toContain("create");
  });

  it("a file or directory that is not there is refused in words", async () => {
    const missing = await run(["history", "import", "none.history", "--root", from]);
    expect(missing.code).toBe(1);
    expect((await run(["history", "import"])).code).toBe(2);
    const bare = clone("bare");
    const { code, err } = await run(["history", "import", "none.history", "--root", bare]);
    expect([code, err]).toEqual([1, expect.stringContaining("none.history")]);
    expect((await run(["history", "export", "no/such/place", "--root", from])).code).toBe(1);
  });

  it("called off, nothing of it stays", async () => {
    const root = clone("called-off");
    const before = histories();
    const off = new AbortController();
    const call = (...args: string[]) =>
      run(["history", ...args, "--root", root], { signal: off.signal, onProgress: () => off.abort() });
    off.abort();
    const { code, err } = await call("import", file);
    expect([code, err]).toEqual([1, expect.stringContaining("called off")]);
    expect(histories()).toBe(before);
    const target = join(cwd, "never");
    expect((await run(["history", "export", target, "--root", from], { signal: off.signal })).code).toBe(1);
    expect(existsSync(target)).toBe(false);
    expect(readdirSync(cwd).filter((name) => name.includes(".tmp"))).toEqual([]);
  });
});
