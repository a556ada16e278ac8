// Bytes in the database that are not those of their sha256, and a journal that does not end where it should: shown to no caller, and found by verify.
import { tmpdir } from "node:os";
import { bytesOf, type Path, versionOf, Workspace } from "stet";
import { migrate, postgres } from "stet/backends/postgres";
import { grep } from "stet/search";
import { describe, expect, it } from "vitest";
import { missingPostgres } from "../../scripts/postgres.mjs";
import { AUTHOR, all, change, path, refuses, textAt, version, write } from "../support/assertions.ts";
import { stet } from "../support/cli.ts";
import { put, testDatabase, untilWaiting, whileHeld } from "../support/database.ts";
import { tempDir } from "../support/temp.ts";

const KIB = 1024;
const MIB = 1024 * KIB;
const LARGE = 5 * MIB;

describe.skipIf(missingPostgres() !== undefined)("damaged content in PostgreSQL", async () => {
  if (missingPostgres() !== undefined) return;
  const { url, pool: owner, open } = await testDatabase();
  const base = tempDir();

  /** Another server, which has read none of it. */
  async function elsewhere<T>(workspace: string, work: (at: Awaited<ReturnType<typeof opened>>) => Promise<T>) {
    const at = await opened(workspace);
    try {
      return await work(at);
    } finally {
      await at.backend.close();
    }
  }
  async function opened(workspace: string, mirror?: string) {
    const backend = await postgres({ database: url, workspace, ...(mirror !== undefined && { mirror }) });
    return { backend, session: new Workspace(backend).session() };
  }

  async function filled(workspace: string) {
    return elsewhere(workspace, async ({ backend }) => {
      await write(backend, "good.txt", "needle good\n");
      await write(backend, "small.txt", "needle small\n");
      const before = await write(backend, "old.txt", "needle old\n");
      await backend.commit([change("old.txt", before.sha, version("other\n"))], AUTHOR);
      await backend.commit([change("large.txt", null, version(`${"x".repeat(LARGE)}\nneedle\n`))], AUTHOR);
      expect(await backend.verify()).toMatchObject({ ok: true });
      return before.sha;
    });
  }
  const ofFile = (name: string) => `ws = (select id from workspace where name = $1) and sha =
    (select sha from node where path = '${name}' and ws = (select id from workspace where name = $1))`;
  const alter = (workspace: string, text: string) => owner.query({ text, values: [workspace] });

  it("is refused in words wherever a file is read, and nothing else is", async () => {
    await filled("read");
    await alter("read", `update blob set bytes = 'needle evil!' where ${ofFile("small.txt")}`);
    await alter(
      "read",
      `update chunk set bytes = overlay(bytes placing 'y' from 9) where n = 0 and ${ofFile("large.txt")}`,
    );
    await elsewhere("read", async ({ backend, session }) => {
      for (const name of ["small.txt", "large.txt"]) {
        const { failure } = await refuses("journal_damaged", () => backend.read(path(name)));
        expect(failure).toMatchObject({ path: name, message: expect.stringContaining(`'${name}'`) });
        await refuses("journal_damaged", async () => all((await backend.stream(path(name)))!));
        await refuses("journal_damaged", () => session.read(name));
      }
      await refuses("journal_damaged", () => session.write("small.txt", "mine\n"));
      expect((await session.read("good.txt")).body).toBe("needle good\n");
      const many = await backend.readMany!([path("good.txt"), path("small.txt")]);
      expect([...many.keys()]).toEqual(["good.txt"]);
    });
    const pulled = await stet(["pull", `${url}/read`, tempDir()], { cwd: tmpdir() });
    expect([pulled.code, pulled.err + pulled.out]).toEqual([1, expect.stringContaining("are not those of its sha256")]);
  });

  it("is not searched, with a copy or without, and the answer says so", async () => {
    await filled("searched");
    await alter("searched", `update blob set bytes = 'needle evil!' where ${ofFile("small.txt")}`);
    for (const mirror of [undefined, base]) {
      const { backend, session } = await opened("searched", mirror);
      const { hits, notes, atLeast, total } = await grep(session, { pattern: "needle", root: "" as Path, limit: 10 });
      expect(hits.map((hit) => hit.path)).toEqual(["good.txt", "large.txt"]);
      expect(notes).toEqual([expect.stringContaining("Not searched: The bytes of 'small.txt'")]);
      expect({ atLeast, total }).toEqual({ atLeast: 2, total: undefined });
      await backend.close();
    }
  });

  it("is found by verify: of files, of kept versions, in pieces, and where it is missing", async () => {
    const old = await filled("verified");
    await alter("verified", `update blob set bytes = 'needle evil!' where ${ofFile("small.txt")}`);
    await alter("verified", `delete from chunk where n = 1 and ${ofFile("large.txt")}`);
    await alter("verified", `delete from blob where ${ofFile("good.txt")}`);
    await owner.query({ text: "update blob set bytes = 'x' where sha = $1", values: [Buffer.from(old, "hex")] });
    await elsewhere("verified", async ({ backend }) => {
      const { ok, problems } = await backend.verify();
      expect(ok).toBe(false);
      expect(problems.map(({ problem }) => problem).sort()).toEqual([
        "The bytes of 'good.txt' in the database are not those of its sha256.",
        "The bytes of 'large.txt' in the database are not those of its sha256.",
        "The bytes of 'small.txt' in the database are not those of its sha256.",
        `The kept version ${old.slice(0, 12)} does not have the bytes of its name.`,
      ]);
      for (const name of ["good.txt", "large.txt"]) await refuses("journal_damaged", () => backend.read(path(name)));
    });
  });

  it("a file that is replaced while it is streamed, and its version dropped, is told as such and not as damage", async () => {
    await filled("streamed");
    await elsewhere("streamed", async ({ backend }) => {
      const { sha } = (await backend.read(path("large.txt")))!;
      const pieces = (await backend.stream(path("large.txt")))![Symbol.asyncIterator]();
      expect((await pieces.next()).done).toBe(false);
      await backend.commit([change("large.txt", sha, version("small\n"))], AUTHOR);
      await backend.forget([sha]);
      await refuses("path_changed", async () => {
        while (!(await pieces.next()).done);
      });
    });
  });

  it.each([256 * KIB + 1, MIB, 4 * MIB + 1, 10 * MIB])(
    "a file of %d bytes is read, streamed, replaced and recalled as it was written",
    async (size) => {
      const backend = await open(`size ${size}`);
      const bytes = Buffer.alloc(size, "no power of two\n and so\n");
      const large = versionOf([bytes.subarray(0, 200_001), bytes.subarray(200_001)]);
      await backend.commit([change("large", null, large)], AUTHOR);
      const read = await elsewhere(`size ${size}`, (other) => other.backend.read(path("large")));
      expect(Buffer.from(bytesOf(read!)).equals(bytes)).toBe(true);
      expect(versionOf(await all((await backend.stream(path("large")))!)).sha).toBe(large.sha);
      await refuses("file_too_large", () => backend.read(path("large"), { maxBytes: 1000 }));
      await backend.commit([change("large", large.sha, version("small"))], AUTHOR);
      expect(versionOf((await backend.recall(large.sha))!.parts).sha).toBe(large.sha);
      expect(await backend.forget([large.sha])).toEqual({ dropped: 1, bytes: size });
      const left = "select 1 from chunk c join workspace w on w.id = c.ws where w.name = $1";
      expect((await alter(`size ${size}`, left)).rows).toEqual([]);
    },
  );

  describe("an end of the journal that is not that of its entries", () => {
    const LAST = "ws = (select id from workspace where name = $1) and seq = 3";
    it.each([
      ["a number before it", "update workspace set seq = 2 where name = $1"],
      ["a number behind it", "update workspace set seq = 5 where name = $1"],
      ["another hash", "update workspace set hash = repeat('7', 64) where name = $1"],
      ["none at all", "update workspace set seq = 0, hash = repeat('0', 64) where name = $1"],
      ["the last entry gone", `delete from entry where ${LAST}`],
      ["the last entry altered", `update entry set line = line || 'x' where ${LAST}`],
    ])("is found by verify, and no change is made on it: %s", async (what, alteration) => {
      const backend = await open(what);
      for (const text of ["1", "2", "3"]) await write(backend, "a", text);
      expect((await backend.verify()).ok).toBe(true);
      await alter(what, alteration);
      expect((await backend.verify()).ok).toBe(false);
      const refused = await refuses("journal_damaged", () => put(backend, "a", "3", "4"));
      expect(refused.message).toContain("stet verify");
      await refuses("journal_damaged", () => backend.record({ ...AUTHOR, outcome: "note", changes: [] }));
      expect(await textAt(backend, "a")).toBe("3");
    });
  });

  it("verify is green while others write", async () => {
    const [backend, other] = [await open("under load"), await open("under load")];
    await write(backend, "a", "0");
    let isOver = false;
    const writing = (async () => {
      for (let n = 1; !isOver; n++) await write(other, "a", `${n}`);
    })();
    for (let n = 0; n < 10; n++) expect((await backend.verify()).problems).toEqual([]);
    isOver = true;
    await writing;
  });

  it("a migration that waited for that of a newer stet changes nothing", async () => {
    await whileHeld(url, "select pg_advisory_xact_lock(7243001)", async (free) => {
      await owner.query("update stet_schema set version = version - 1");
      const migrating = refuses("unsupported", () => migrate(owner));
      migrating.catch(() => {});
      await untilWaiting(owner);
      await owner.query("update stet_schema set version = version + 2");
      await free();
      expect((await migrating).message).toContain("Use a newer stet");
    });
    await owner.query("update stet_schema set version = version - 1");
  });
});
