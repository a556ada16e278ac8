// One look at the beginning of a call, and what the rest of the call takes from it: what is there by then is read all the same.
import { describe, expect, it } from "vitest";
import { missingPostgres } from "../../scripts/postgres.mjs";
import { Workspace } from "../../src/kernel/workspace.ts";
import { path, refuses, textAt, version } from "../../src/testing/assertions.ts";
import { testDatabase } from "../support/database.ts";

describe.skipIf(missingPostgres() !== undefined)("one look in PostgreSQL", async () => {
  if (missingPostgres() !== undefined) return;
  const { server, open } = await testDatabase();

  it("what another server changed is read, whatever was believed", async () => {
    const [one, other] = [new Workspace(await open("read")), new Workspace(await open("read"))];
    const [mine, theirs] = [one.session(), other.session()];
    await mine.create("a", "1\n");
    for (let n = 2; n < 6; n++) {
      const { sha } = await theirs.read("a");
      await theirs.write("a", `${n}\n`, { expectedSha256: sha });
      expect((await mine.read("a")).body).toBe(`${n}\n`);
      expect(await mine.resolve("a", "read")).toMatchObject({ kind: "file", size: 2 });
    }
    await theirs.delete("a");
    await refuses("not_found", () => mine.read("a"));
  });

  it("a race that was lost to another server starts again from what that server wrote", async () => {
    const [one, other] = [await open("race"), await open("race", { database: server.url })].map(
      (each) => new Workspace(each),
    ) as [Workspace, Workspace];
    await one.session().create("a", "start\n");
    const target = { path: "a", proof: { by: "waived" }, action: "write" } as const;
    const given: string[] = [];
    const { entry } = await one.session().change([target], async ([file]) => {
      given.push(file!.text.body);
      const theirs = `${file!.text.body}theirs\n`;
      if (given.length === 1) await other.session().write("a", theirs, { expectedSha256: file!.version!.sha });
      return [{ body: `${file!.text.body}mine\n` }];
    });
    expect(given).toEqual(["start\n", "start\ntheirs\n"]);
    expect(entry?.seq).toBe(3);
    expect(await textAt(other.backend, "a")).toBe("start\ntheirs\nmine\n");
  });

  it("where a path leads may be found out long before it is read: what is there by then is read", async () => {
    const [one, other] = [
      new Workspace(await open("long before")),
      new Workspace(await open("long before", { database: server.url })),
    ];
    const session = one.session();
    await session.create("a", "1\n");
    const at = await session.resolve("a", "read");
    await other.session().write("a", "2\n", { expectedSha256: version("1\n").sha });
    expect((await session.read("a", undefined, { at })).body).toBe("2\n");
  });

  it("a version that this process wrote meanwhile is read, not the one that was found before", async () => {
    const workspace = new Workspace(await open("written"));
    const [session, theirs] = [workspace.session(), workspace.session()];
    const { backend } = workspace;
    const at = await backend.resolve("a", { session: session.id });
    expect(await backend.read(at.path, { at })).toBeNull();
    await theirs.create("a", "2\n");
    expect((await backend.read(at.path, { at }))?.sha).toBe(version("2\n").sha);
  });

  it("parts that one session reads at the same time all count as seen", async () => {
    const workspace = new Workspace(await open("parts"), { strict: true });
    const session = workspace.session();
    const lines = Array.from({ length: 40 }, (_, n) => `line ${n}`);
    await workspace.session().create("a", `${lines.join("\n")}\n`);
    await Promise.all([1, 11, 21, 31].map((from) => session.read("a", { from, to: from + 9 })));
    expect((await session.ledger.get(path("a")))?.shown).toEqual([{ from: 1, to: 40 }]);
    const { entry } = await session.write("a", "new\n");
    expect(entry).toBeDefined();
  });
});
