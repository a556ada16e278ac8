// stet log and stet show: what people see of the journal.
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Refusal } from "stet";
import { describe, expect, it } from "vitest";
import { deskWith, linesOf, rewrite } from "./history-support.ts";

async function busyDesk() {
  const desk = deskWith({ "a.txt": "one\ntwo\nthree\n", "src/b.txt": "b\n" });
  await desk.as("anna", async (session) => {
    await rewrite(session, "a.txt", "one\n2\nthree\n"); // 1
    await session.create("src/c.txt", "-- not a header\n", { tool: "create_file" }); // 2
  });
  await desk.as("ben", async (session) => {
    await session.read("src/b.txt");
    await session.move("src/b.txt", "src/d.txt", { tool: "move_file" }); // 3
    const stale = session.edit("./a.txt", () => [], { expectedSha256: "0".repeat(64), tool: "edit_file" }); // 4
    await expect(stale).rejects.toThrow(Refusal);
  });
  writeFileSync(join(desk.root, "a.txt"), "one\n2\nthree\nfour\n");
  await desk.as("anna", async (session) => {
    await rewrite(session, "a.txt", "1\n2\nthree\nfour\n"); // 5 external, 6
  });
  return desk;
}

const numbers = (lines: readonly string[]) => lines.map((line) => Number.parseInt(line, 10));

describe("stet log", () => {
  it("shows the newest first: who, with what, files with lines, refusals with their kind, what came from outside", async () => {
    const { run } = await busyDesk();
    const ran = await run(["log"]);
    expect(ran.code).toBe(0);
    const lines = linesOf(ran);
    expect(numbers(lines)).toEqual([6, 5, 4, 3, 2, 1]);
    expect(lines[0]).toMatch(/^ +6 {2}\d{4}-\d\d-\d\d \d\d:\d\d:\d\d {2}anna\/session- +write_file +M a\.txt \+1 -1$/);
    expect(lines[1]).toMatch(/changed outside stet: M a\.txt/);
    expect(lines[2]).toMatch(/ben\/session- +edit_file +refused stale_file {2}\.\/a\.txt$/);
    expect(lines[3]).toMatch(/R src\/b\.txt -> src\/d\.txt/);
    expect(lines[4]).toMatch(/A src\/c\.txt \+1 -0$/);
    expect(ran.out).not.toContain("\u001b");
    expect((await run(["log"], { colour: true })).out).toContain("\u001b[31m");
  });

  it("counts no lines of a version for which no room is left, and those of smaller ones behind it", async () => {
    const text = "1\n".repeat(400_000);
    const lines = async (large: Record<string, Uint8Array>) => {
      const { run, as } = deskWith({ "small.txt": "1\n", "text.txt": text, ...large });
      await as("anna", async (session) => {
        for (const name of ["small.txt", "text.txt", ...Object.keys(large)])
          await session.delete(name, { proof: { by: "waived" } });
      });
      return linesOf(await run(["log"]))
        .slice(-2)
        .map((line) => / D (.*)$/.exec(line)?.[1]);
    };
    expect(await lines({})).toEqual(["text.txt +0 -400000", "small.txt +0 -1"]);
    const large = { large: Buffer.alloc(8_500_000), larger: Buffer.alloc(7_500_000) };
    expect(await lines(large)).toEqual(["text.txt", "small.txt +0 -1"]);
  });

  it("chooses by path (also what was moved or refused), by directory, session, agent, refusals, time and number", async () => {
    const { run } = await busyDesk();
    const chosen = async (...args: string[]) => numbers(linesOf(await run(["log", ...args])));
    expect(await chosen("--path", "a.txt")).toEqual([6, 5, 4, 1]);
    expect(await chosen("--path", "src/b.txt")).toEqual([3]);
    expect(await chosen("--path", "src")).toEqual([3, 2]);
    expect(await chosen("--path", "a.txt", "--refused")).toEqual([4]);
    expect(await chosen("--session", "session-of-ben")).toEqual([4, 3]);
    expect(await chosen("--session", "session-of-b")).toEqual([4, 3]);
    expect(await run(["log", "--session", "ses"])).toMatchObject({
      code: 1,
      err: expect.stringMatching(/More than one session begins with ses/),
    });
    expect(await chosen("--agent", "anna")).toEqual([6, 2, 1]);
    expect(await chosen("--since", "1h")).toHaveLength(6);
    expect(await chosen("--since", "2199-01-01")).toEqual([]);
    expect(await chosen("--limit", "2")).toEqual([6, 5]);
    expect(await chosen("-n", "2", "--before", "5")).toEqual([4, 3]);
    expect(await chosen("--limit", "all", "--before", "3")).toEqual([2, 1]);
  });

  it("gives entries as JSON lines, and says what was called wrongly", async () => {
    const { run } = await busyDesk();
    const entries = linesOf(await run(["log", "--json", "-n", "2"])).map((line) => JSON.parse(line));
    expect(entries).toMatchObject([
      { seq: 6, agent: "anna", outcome: "applied" },
      { seq: 5, outcome: "external" },
    ]);
    for (const time of ["soon", "2026-13-01", "2026-1-1"])
      expect((await run(["log", "--since", time])).code, time).toBe(2);
    for (const time of ["2024-02-29", "2026-01-31 12:00"]) expect((await run(["log", "--since", time])).code).toBe(0);
    expect((await run(["log", "--limit", "0"])).err).toContain("--limit must be a whole number from 1 on");
    expect((await run(["log", "extra"])).code).toBe(2);
    expect((await run(["log", "--follow", "--before", "3"])).code).toBe(2);
    expect(await run(["log", "--session", "session-of"])).toMatchObject({
      code: 1,
      err: expect.stringMatching(/More than one session/),
    });
    expect(await run(["log", "--session", "nobody"])).toMatchObject({ code: 1 });
    expect(await run(["log", "--path", "../outside"])).toMatchObject({ code: 1 });
  });

  it("an empty workspace has no journal, and looking makes none", async () => {
    const { root, run } = deskWith({});
    expect(await run(["log"])).toMatchObject({ code: 0, out: "" });
    expect(await run(["verify"])).toMatchObject({ code: 0 });
    expect(() => rmSync(join(root, ".stet"))).toThrow("ENOENT");
  });

  it("follows: what was there oldest first, then what others append, until it is told to stop", async () => {
    const desk = await busyDesk();
    const ending = new AbortController();
    let printed = "";
    let wrote: Promise<unknown> | undefined;
    const ran = await desk.run(["log", "--follow", "-n", "1", "--path", "a.txt"], {
      signal: ending.signal,
      onOut(text) {
        printed += text;
        wrote ??= desk.as("carl", async (session) => {
          await session.create("other.txt", "not followed");
          await rewrite(session, "a.txt", "carl\n");
        });
        if (printed.includes("carl")) ending.abort();
      },
    });
    await wrote;
    expect(ran.code).toBe(0);
    expect(numbers(linesOf(ran))).toEqual([6, 8]);
  });

  it("marks what a recovery found never to have happened", async () => {
    const desk = deskWith({ "a.txt": "one\n" });
    await desk.as("anna", async (session, { backend }) => {
      await rewrite(session, "a.txt", "two\n");
      await backend.record({ session: session.id, tool: "recovery", outcome: "aborted", changes: [], of: [1] });
    });
    for (const args of [[], ["--path", "a.txt"], ["--session", "session-of-anna"]]) {
      const lines = linesOf(await desk.run(["log", ...args]));
      expect(lines[0]).toMatch(/aborted: entry 1 never happened$/);
      expect(lines[1]).toMatch(/M a\.txt \+1 -1 \(never happened\)$/);
    }
    expect((await desk.run(["show", "1"])).out).toMatch(/warning +a recovery found that these changes never happened/);
  });

  it("names and sessions cannot move the cursor or turn the line around", async () => {
    const desk = deskWith({ "a\u001b[2Jb\u202etxt": "x\n" });
    await desk.as("e\u001b[31mve", (session) => rewrite(session, "a\u001b[2Jb\u202etxt", "y\n"));
    for (const args of [["log"], ["log", "--json"], ["show", "1"], ["show", "1", "--json"], ["undo", "1"]]) {
      const { code, out, err } = await desk.run(args);
      expect(code).toBe(0);
      expect(out + err).not.toMatch(/[\u001b\u202e]/);
      expect(out).toMatch(/u\{?202e/);
    }
    const refused = await desk.run(["undo", "1", "--json"]);
    expect(refused.code).toBe(1);
    expect(refused.out + refused.err).not.toMatch(/[\u001b\u202e]/);
    const name = JSON.parse((await desk.run(["log", "--json", "--before", "2"])).out).changes[0].path;
    expect(name).toBe("a\u001b[2Jb\u202etxt");
  });
});

describe("stet show", () => {
  it("shows who, when, with what proof, and the diff", async () => {
    const { run } = await busyDesk();
    const { code, out } = await run(["show", "1"]);
    expect(code).toBe(0);
    expect(out).toMatch(/who +anna, session session-of-anna\n/);
    expect(out).toMatch(/tool +write_file\n/);
    expect(out).toMatch(/M a\.txt \+1 -1 {2}[0-9a-f]{12} -> [0-9a-f]{12}, proof: sha256/);
    expect(out).toContain("@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n");
    expect((await run(["show", "3"])).out).toContain("rename from src/b.txt\nrename to src/d.txt");
    const json = (await run(["show", "1", "--json"])).json();
    expect(json).toMatchObject({
      seq: 1,
      agent: "anna",
      files: [{ letter: "M", diff: { insertions: 1, deletions: 1 } }],
    });
  });

  it("shows why a call was refused, and what came from outside", async () => {
    const { run } = await busyDesk();
    const refused = (await run(["show", "4"])).out;
    expect(refused).toMatch(/refused +stale_file/);
    expect(refused).toMatch(/why +\.\/a\.txt is not the version you saw/);
    expect(refused).toMatch(/asked for +\.\/a\.txt/);
    expect((await run(["show", "5"])).out).toMatch(
      /noticed it, did not do it[\s\S]*outcome +changed outside stet[\s\S]*\+four/,
    );
    expect(await run(["show", "99"])).toMatchObject({ code: 1, err: expect.stringMatching(/no entry 99/) });
    expect(await run(["show", "x"])).toMatchObject({ code: 2 });
    expect(await run(["show"])).toMatchObject({ code: 2 });
  });

  it("names the first of many, and all of them as JSON", async () => {
    const desk = deskWith({});
    const ids = Array.from({ length: 30_000 }, (_, n) => `${n + 1}`);
    await desk.as("anna", (session, { backend }) =>
      backend.record({
        ...session.author({ tool: "purge" }),
        outcome: "note",
        changes: [],
        of: ids.map(Number),
        details: { purged: ids, paths: ids },
      }),
    );
    const { out } = await desk.run(["show", "1"]);
    expect(out.length).toBeLessThan(3000);
    expect(out.match(/"?100"?\]? … and 29900 more$/gm)).toHaveLength(3);
    expect((await desk.run(["show", "1", "--json"])).json().details.purged).toEqual(ids);
  });

  it("says what cannot be shown: binary, too large, no longer kept", async () => {
    const desk = deskWith({ "p.bin": new Uint8Array([0, 1, 2, 255, 0]), "large.txt": "line\n".repeat(900_000) });
    await desk.as("anna", async (session) => {
      await session.delete("p.bin", { expectedSha256: (await session.readBytes("p.bin")).version.sha }); // 1
      await session.delete("large.txt", { expectedSha256: (await session.read("large.txt")).sha }); // 2
      await session.create("t.txt", "first\n"); // 3
      await rewrite(session, "t.txt", "second\n"); // 4
      await rewrite(session, "t.txt", "third\n"); // 5
    });
    expect((await desk.run(["show", "1"])).out).toContain("Binary: no lines to compare (5 B)");
    expect((await desk.run(["show", "2"])).out).toContain("Too large to compare line by line (4.3 MiB)");
    expect((await desk.run(["gc", "--keep", "1", "--even-recent", "--yes"])).code).toBe(0);
    expect((await desk.run(["show", "4"])).out).toMatch(
      /M t\.txt {2}.*\nThese versions are no longer kept \(6 B -> 7 B as the journal says\)\n$/,
    );
  });
});
