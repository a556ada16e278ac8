// Large files come from the database in pieces, a few at a time for each tenant: no reader takes the server from its neighbours.
import { afterEach, describe, expect, it, vi } from "vitest";
import { missingPostgres } from "../../scripts/postgres.mjs";
import { type Client, openPool } from "../../src/backends/postgres/connection/client.ts";
import type { Backend, Path } from "../../src/core/backend.ts";
import { bytesOf, versionOf } from "../../src/core/version.ts";
import { Workspace } from "../../src/kernel/workspace.ts";
import { AUTHOR, change } from "../../src/testing/assertions.ts";
import { ROLE } from "../serve/fleet-support.ts";
import { clientClass, testDatabase } from "../support/database.ts";

const KIB = 1024;
const MIB = 1024 * KIB;

describe.skipIf(missingPostgres() !== undefined)("large files in PostgreSQL", async () => {
  if (missingPostgres() !== undefined) return;
  const { server, pool, open } = await testDatabase();
  afterEach(() => vi.restoreAllMocks());

  const bytes = (size: number): Buffer => Buffer.alloc(size, "no power of two\n and so\n");

  async function withFile(tenant: string, size: number): Promise<Backend> {
    const backend = await open("w", { tenant });
    await backend.commit([change("large.txt", null, versionOf([bytes(size)]))], AUTHOR);
    return backend;
  }

  /** Every piece waits until it is let through; `waiting` has those that were asked for. */
  function holdPieces() {
    const waiting: { readonly tenant: string; letThrough(): void }[] = [];
    const { prototype } = clientClass(pool);
    const { query } = prototype;
    const scopes = new WeakMap<Client, string>();
    vi.spyOn(prototype, "query").mockImplementation(function (this: Client, ...args) {
      const [asked] = args;
      const { name, text, values = [] } = typeof asked === "string" ? { name: "", text: asked } : asked;
      if (name === "stet-scope") scopes.set(this, String(values[0]));
      if (!text.startsWith("copy")) return query.apply(this, args);
      const tenant = scopes.get(this) ?? "?";
      return new Promise<void>((resolve) => waiting.push({ tenant, letThrough: resolve })).then(() =>
        query.apply(this, args),
      ) as ReturnType<typeof query>;
    });
    return waiting;
  }

  const tenantsOf = (waiting: readonly { readonly tenant: string }[]) => waiting.map(({ tenant }) => tenant).sort();
  const moment = () => new Promise((resolve) => setTimeout(resolve, 50));

  it.each([256 * KIB, 256 * KIB + 1, MIB, MIB + 1, 4 * MIB, 4 * MIB + 1, 5 * MIB + 7])(
    "of %d bytes are read, streamed and recalled as they were written",
    async (size) => {
      const backend = await withFile(`size${size}`, size);
      const path = "large.txt" as Path;
      const { sha } = versionOf([bytes(size)]);
      const read = await backend.read(path);
      expect(read!.sha).toBe(sha);
      expect(Buffer.from(bytesOf(read!)).equals(bytes(size))).toBe(true);
      const streamed: Uint8Array[] = [];
      for await (const part of (await backend.stream(path))!) streamed.push(part);
      expect(versionOf(streamed).sha).toBe(sha);
      expect(versionOf((await backend.recall(sha))!.parts).sha).toBe(sha);
    },
  );

  it("are read one piece at a time for one tenant, and those of another tenant need not wait for them", async () => {
    const [greedy, neighbour] = [await withFile("greedy", 2 * MIB), await withFile("neighbour", 2 * MIB)];
    const waiting = holdPieces();
    const readers = Array.from({ length: 6 }, () => greedy.read("large.txt" as Path));
    await expect.poll(() => waiting.length).toBe(1);
    await moment();
    expect(tenantsOf(waiting)).toEqual(["greedy"]);
    const other = neighbour.read("large.txt" as Path);
    await expect.poll(() => tenantsOf(waiting)).toEqual(["greedy", "neighbour"]);
    let answered = 0;
    for (const read of [...readers, other]) void read.then(() => (answered += 1));
    while (answered < 7) {
      for (const { letThrough } of waiting.splice(0)) letThrough();
      await moment();
      expect(tenantsOf(waiting).filter((tenant) => tenant === "greedy").length).toBeLessThanOrEqual(1);
    }
    const { sha } = versionOf([bytes(2 * MIB)]);
    for (const read of await Promise.all([...readers, other])) expect(read!.sha).toBe(sha);
  }, 20_000);

  it("are fetched once for all their pages, and again when another server has changed them", async () => {
    const backend = await withFile("pages", 2 * MIB);
    const session = new Workspace(backend).session();
    await session.read("large.txt", { from: 1, to: 1 });
    const waiting = holdPieces();
    expect((await session.read("large.txt", { from: 2, to: 2 })).body).toBe(" and so\n");
    const [other, changed] = [await open("w", { tenant: "pages" }), Buffer.alloc(2 * MIB, "of the same size\n now\n")];
    await other.commit([change("large.txt", versionOf([bytes(2 * MIB)]).sha, versionOf([changed]))], AUTHOR);
    const read = session.read("large.txt", { from: 2, to: 2 });
    await expect.poll(() => waiting.length).toBe(1);
    vi.restoreAllMocks();
    waiting[0]!.letThrough();
    expect(await read).toMatchObject({ body: " now\n", sha: versionOf([changed]).sha });
  });

  it("are read as the role of the servers, which sees one workspace at a time", async () => {
    await withFile("role", MIB);
    await pool.query(ROLE);
    const own = await openPool(server.url.replace("stet@", "stet_server@"), { connections: 2 });
    try {
      const backend = await open("w", { tenant: "role", database: own });
      expect((await backend.read("large.txt" as Path))!.sha).toBe(versionOf([bytes(MIB)]).sha);
    } finally {
      await own.end();
    }
  });

  it("are refused when one of their bytes is damaged", async () => {
    const backend = await withFile("damaged", 2 * MIB);
    await pool.query(
      "update blob set bytes = set_byte(bytes, 1500000, 1) where size = 2 * 1024 * 1024 and ws = (select max(id) from workspace)",
    );
    await expect(backend.read("large.txt" as Path)).rejects.toMatchObject({ kind: "journal_damaged" });
  });
});
