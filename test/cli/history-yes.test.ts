// What goes for good, or goes all at once, is shown first and needs a yes: stet gc, stet undo of several, stet trash purge.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openWorkspace } from "stet";
import { afterEach, describe, expect, it, vi } from "vitest";
import { type Desk, deskWith, linesOf, rewrite } from "./history-support.ts";

const HOUR = 3_600_000;
const textIn = ({ root }: Desk, path: string) => readFileSync(join(root, path), "utf8");
const entriesOf = async ({ run }: Desk) =>
  linesOf(await run(["log", "-n", "1000", "--json"])).map((line) => JSON.parse(line));

afterEach(() => void vi.useRealTimers());

/** a.txt in versions 0 to `count`, each an hour after the one before; the last is written now. */
async function deskOfHours(count: number): Promise<Desk> {
  const desk = deskWith({ "a.txt": "version 0\n", "b.txt": "of b\n" });
  const now = Date.now();
  vi.useFakeTimers({ toFake: ["Date"] });
  await desk.as("anna", async (session) => {
    for (let n = 1; n <= count; n++) {
      vi.setSystemTime(now - (count - n) * HOUR);
      await rewrite(session, "a.txt", `version ${n}\n`);
    }
  });
  vi.useRealTimers();
  return desk;
}

const keptIn = (desk: Desk) =>
  desk.as("looker", async (_session, { backend }) => {
    const texts: string[] = [];
    for await (const { sha } of backend.kept()) {
      const version = await backend.recall(sha);
      texts.push(Buffer.concat(version!.parts as readonly Uint8Array[]).toString());
    }
    return texts.sort();
  });

describe("stet gc", () => {
  it("without a terminal shows what would go, drops nothing, and says how to do it", async () => {
    const desk = await deskOfHours(30);
    const before = await keptIn(desk);
    expect(before).toHaveLength(31);
    const asked = await desk.run(["gc", "--keep", "1"]);
    // Version n was replaced by n + 1, which is 30 - (n + 1) hours ago: 0 to 5 are older than a day.
    expect(asked).toMatchObject({ code: 1, out: "" });
    expect(asked.err).toBe(
      "Would drop 6 of 31 versions, 60 B:\n  6 versions of a.txt\n" +
        "Nothing was changed. Repeat it with --yes to drop 6 versions for good.\n",
    );
    expect((await desk.run(["gc", "--keep", "1", "--json"])).json()).toEqual({
      dropped: 0,
      would: 6,
      bytes: 60,
      kept: 25,
      tooYoung: 24,
    });
    expect(await keptIn(desk)).toEqual(before);
    expect(await entriesOf(desk)).toHaveLength(30);
  });

  it("keeps the last 24 hours even with --yes; told twice, it drops them too", async () => {
    const desk = await deskOfHours(30);
    expect(await desk.run(["gc", "--keep", "1", "--yes"])).toMatchObject({
      code: 0,
      out: "Dropped 6 of 31 versions, 60 B.\n",
      err: "24 more versions fit too, but are of the last 24 hours: add --even-recent to drop them as well.\n",
    });
    expect(await keptIn(desk)).toEqual(Array.from({ length: 25 }, (_, n) => `version ${n + 6}\n`).sort());
    for (const way of [
      ["--older-than", "1h"],
      ["--max-size", "0"],
      ["--keep", "1"],
    ]) {
      const again = await desk.run(["gc", ...way, "--yes", "--json"]);
      expect([way, again.code, again.json().dropped]).toEqual([way, 0, 0]);
    }
    expect((await desk.run(["gc", "--keep", "1", "--even-recent"])).code).toBe(1);
    expect(await keptIn(desk)).toHaveLength(25);
    expect(await desk.run(["gc", "--keep", "1", "--even-recent", "-y"])).toMatchObject({
      code: 0,
      out: "Dropped 24 of 25 versions, 260 B.\n",
    });
    expect(await keptIn(desk)).toEqual(["version 30\n"]);
    expect((await entriesOf(desk))[0]).toMatchObject({ agent: "ada", tool: "stet gc", details: { dropped: 24 } });
  });

  it.each([
    ["y\n", true],
    ["YES\n", true],
    ["n\n", false],
    ["\n", false],
    ["yeah\n", false],
    ["", false],
  ])("in a terminal asks; %j drops: %s", async (answer, drops) => {
    const desk = await deskOfHours(27);
    const ran = await desk.run(["gc", "--keep", "1"], { answers: [answer] });
    expect(ran.err).toContain("  3 versions of a.txt\nReally drop 3 versions for good? [y/N] ");
    expect(ran.err.includes("Nothing was changed.")).toBe(!drops);
    expect([ran.code, (await keptIn(desk)).length]).toEqual(drops ? [0, 25] : [1, 28]);
  });

  it("with --json asks nothing, also in a terminal: without --yes nothing goes", async () => {
    const desk = await deskOfHours(27);
    const ran = await desk.run(["gc", "--keep", "1", "--json"], { answers: ["y\n"] });
    expect(ran.json()).toMatchObject({ dropped: 0, would: 3 });
    expect(ran).toMatchObject({ code: 1, err: expect.stringContaining("Repeat it with --yes") });
    expect(ran.err).not.toContain("Really");
    expect(await keptIn(desk)).toHaveLength(28);
  });

  it("with nothing to drop asks nothing", async () => {
    const desk = await deskOfHours(2);
    expect(await desk.run(["gc", "--keep", "1"])).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^Dropped 0 of 3/),
    });
    expect(await desk.run(["gc"])).toMatchObject({ code: 2 });
    expect(await desk.run(["gc", "--max-size", "lots"])).toMatchObject({ code: 2 });
  });

  it("drops no more than it showed, also when more would fit by then", async () => {
    const desk = await deskOfHours(3);
    const args = ["gc", "--keep", "1", "--even-recent"];
    const ran = await desk.run(args, {
      answers: ["y\n"],
      beforeAnswer: () => desk.as("ben", async (session) => void (await rewrite(session, "a.txt", "version 4\n"))),
    });
    expect(ran.err).toContain("3 versions of a.txt");
    expect(ran).toMatchObject({ code: 0, out: "Dropped 3 of 5 versions, 30 B.\n" });
    expect(await keptIn(desk)).toEqual(["version 3\n", "version 4\n"]);
  });
});

describe("stet undo of more than one entry", () => {
  const all = ["undo", "--session", "session-of-anna"];

  it("without a terminal shows what would go and takes nothing back", async () => {
    const desk = await deskOfHours(2);
    const asked = await desk.run(all);
    expect(asked).toMatchObject({
      code: 1,
      out: "Would take back 2 entries: 2, 1:\n  changed back  a.txt +1 -1\n",
      err: "Nothing was changed. Repeat it with --yes to take back 2 entries.\n",
    });
    expect((await desk.run([...all, "--json"])).json()).toMatchObject({ dryRun: true, undone: [2, 1] });
    expect(textIn(desk, "a.txt")).toBe("version 2\n");
    expect(await entriesOf(desk)).toHaveLength(2);
    expect((await desk.run([...all, "--yes"])).code).toBe(0);
    expect(textIn(desk, "a.txt")).toBe("version 0\n");
  });

  it("in a terminal asks, and takes back what it showed", async () => {
    const desk = await deskOfHours(2);
    expect(await desk.run(all, { answers: ["no\n"] })).toMatchObject({ code: 1 });
    expect(textIn(desk, "a.txt")).toBe("version 2\n");
    const later = await desk.run(all, {
      answers: ["y\n"],
      beforeAnswer: () => desk.as("anna", async (session) => void (await rewrite(session, "b.txt", "later\n"))),
    });
    expect(later.out).toMatch(/^Would take back 2 entries: 2, 1:\n.*\nTook back 2 entries: 2, 1, as entry 4:\n/);
    expect([textIn(desk, "a.txt"), textIn(desk, "b.txt")]).toEqual(["version 0\n", "later\n"]);
  });

  it("of one entry asks nothing, whichever way it is named", async () => {
    const desk = await deskOfHours(1);
    expect(await desk.run(["undo", "1"])).toMatchObject({ code: 0 });
    expect(await desk.run(["undo", "--agent", "ada"])).toMatchObject({ code: 0 });
    expect(textIn(desk, "a.txt")).toBe("version 1\n");
  });
});

describe("what is refused to the owner", () => {
  it("is no entry of the journal: a number that is none, what was taken back, what others changed later", async () => {
    const desk = await deskOfHours(2);
    for (const args of [
      ["undo", "999"],
      ["undo", "1"],
      ["undo", "--agent", "nobody", "--yes"],
      ["trash", "restore", "77"],
      ["trash", "purge", "77", "--yes"],
    ])
      expect([args, (await desk.run(args)).code]).toEqual([args, 1]);
    expect(await entriesOf(desk)).toHaveLength(2);
  });

  it("is one where the policy refused it", async () => {
    const desk = await deskOfHours(1);
    const closed = JSON.stringify({ policy: { deniedPaths: ["a.txt"] } });
    writeFileSync(join(desk.root, "stet.config.json"), closed);
    expect((await desk.run(["undo", "1"])).code).toBe(1);
    expect((await entriesOf(desk))[0]).toMatchObject({ outcome: "refused", tool: "stet undo", agent: "ada" });
  });

  it("an agent's mistake stays one", async () => {
    const desk = await deskOfHours(1);
    await desk.as("ben", async (session) => {
      await expect(session.delete("a.txt", { expectedSha256: "0".repeat(64) })).rejects.toThrow();
    });
    expect((await entriesOf(desk))[0]).toMatchObject({ outcome: "refused", agent: "ben" });
  });
});

describe("stet trash purge", () => {
  it.each([
    ["deniedPaths", ["own/**"]],
    ["allowedPaths", ["a.txt"]],
  ])("names what %s closes too, and so does the list", async (rule, globs) => {
    const desk = deskWith({ "stet.config.json": JSON.stringify({ policy: { [rule]: globs } }) });
    const open = openWorkspace({ root: desk.root });
    const session = open.session();
    for (const name of ["a.txt", "own/b.txt"]) await session.create(name, `of ${name}\n`, { createParents: true });
    for (const name of ["a.txt", "own/b.txt"]) await session.delete(name);
    await open.close();
    const purged = await desk.run([
      "trash",
      "purge",
      "--all",
      "--yes",
      "--config",
      join(desk.root, "stet.config.json"),
    ]);
    expect(purged).toMatchObject({
      code: 1,
      out: expect.stringContaining("Purged 1 deleted file,"),
      err: expect.stringContaining("Not purged, the policy forbids it: own/b.txt\n"),
    });
    const [left] = linesOf(
      await desk.run(["trash", "list", "--json", "--config", join(desk.root, "stet.config.json")]),
    );
    const { id, path } = JSON.parse(left!);
    expect(path).toBe("own/b.txt");
    const one = await desk.run(["trash", "purge", id, "--yes", "--config", join(desk.root, "stet.config.json")]);
    expect([one.code, one.err]).toEqual([1, expect.stringMatching(/may not be|denie|allow/)]);
  });

  it("of all goes on past what the policy lets no command purge, and names it", async () => {
    const desk = deskWith({});
    const names = ["a.txt", ".vscode/tasks.json", "b.txt"];
    const open = openWorkspace({ root: desk.root, policy: { protect: false } });
    const session = open.session();
    for (const name of names) await session.create(name, `of ${name}\n`, { createParents: true });
    for (const name of names) await session.delete(name);
    await open.close();
    const left = "Not purged, the policy forbids it: .vscode/tasks.json\n";
    const asked = await desk.run(["trash", "purge", "--all"]);
    expect(asked.code).toBe(1);
    expect(asked.err).toContain(left);
    expect(asked.err).toContain("2 deleted files");
    expect(await desk.run(["trash", "purge", "--all", "--yes"])).toMatchObject({
      code: 1,
      out: expect.stringContaining("Purged 2 deleted files"),
      err: expect.stringContaining(left),
    });
    expect(linesOf(await desk.run(["trash", "list", "--json"])).map((line) => JSON.parse(line).path)).toEqual([
      names[1],
    ]);
    expect((await desk.run(["trash", "purge", "--all", "--yes", "--json"])).json()).toMatchObject({
      purged: 0,
      notPurged: [names[1]],
    });
  });
});
