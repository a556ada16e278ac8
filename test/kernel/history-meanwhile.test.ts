// What agents do between the look by which versions are dropped and the dropping: what they used since can be had back.
import { setTimeout as sleep } from "node:timers/promises";
import { type Backend, collectGarbage, purge, purgeAll, restore, type Session, Workspace } from "stet";
import { openPool, postgres } from "stet/backends/postgres";
import { afterAll, describe, expect, it } from "vitest";
import { missingPostgres, startPostgres } from "../../scripts/postgres.mjs";
import { textAt, version } from "../support/assertions.ts";
import { BACKENDS } from "../support/workspace.ts";

type Make = () => Promise<Backend>;

async function inPostgres(): Promise<readonly (readonly [string, Make])[]> {
  if (missingPostgres() !== undefined) return [];
  const server = await startPostgres({ settings: { fsync: "off" } });
  const pool = await openPool(server.url);
  afterAll(async () => {
    await pool.end();
    await server.remove();
  });
  let n = 0;
  return [["PostgreSQL", () => postgres({ database: pool, workspace: `w${n++}` })]];
}

const onBoth = BACKENDS.map(([name, make]) => [name, async () => make({})] as const);

describe.each<readonly [string, Make]>([...onBoth, ...(await inPostgres())])("meanwhile, on %s", (_name, make) => {
  /** Two on the same files: what `looker` is about to drop is dropped after `work`. */
  async function two(work: (agent: Session) => Promise<unknown>) {
    const backend = await make();
    const agent = new Workspace(backend).session();
    const forget: Backend["forget"] = async (...args) => {
      await work(agent);
      return backend.forget(...args);
    };
    return { backend, agent, looker: new Workspace({ ...backend, forget }).session() };
  }

  async function overwrite(session: Session, path: string, content: string): Promise<number> {
    await session.read(path);
    return (await session.write(path, content)).entry!.seq;
  }

  it("a collection leaves what was brought back, and replaced or deleted again", async () => {
    let replaced = 0;
    const { backend, agent, looker } = await two(async (session) => {
      await overwrite(session, "a", "old a\n");
      replaced = await overwrite(session, "a", "newest a\n");
      await session.create("b", "old b\n");
      await session.delete("b");
    });
    await agent.create("a", "old a\n");
    for (const content of ["old b\n", "spare\n", "now\n"]) await overwrite(agent, "a", content);
    const done = await collectGarbage(looker.workspace, { maxBytes: 0 });
    const spare = version("spare\n");
    expect(done).toMatchObject({ dropped: 1, bytes: spare.size, versions: [{ path: "a", shas: [spare.sha] }] });
    await agent.undo({ entry: replaced });
    expect(await textAt(backend, "a")).toBe("old a\n");
    await restore(agent, "b");
    expect(await textAt(backend, "b")).toBe("old b\n");
    expect(await backend.recall(spare.sha)).toBeNull();
  });

  it("a collection leaves what was put into the store again", async () => {
    const { backend, agent, looker } = await two(async ({ workspace }) => {
      // at another time than before
      await sleep(20);
      await workspace.backend.keep([version("old\n")]);
    });
    await agent.create("a", "old\n");
    await overwrite(agent, "a", "new\n");
    expect(await collectGarbage(looker.workspace, { maxBytes: 0 })).toMatchObject({ dropped: 0, versions: [] });
    expect(await backend.recall(version("old\n").sha)).not.toBeNull();
  });

  it("a purge leaves the bytes that another file had since, and says so", async () => {
    let replaced = 0;
    const { backend, agent, looker } = await two(async (session) => {
      await session.create("b", "same\n");
      replaced = await overwrite(session, "b", "other\n");
    });
    const gone = async (content: string): Promise<string> => {
      await agent.create("a", content);
      return `${(await agent.delete("a")).entry!.seq}`;
    };
    const ids = [await gone("same\n"), await gone("secret\n")];
    const { bytes, stillKept } = await purgeAll(looker, ids);
    expect([bytes, stillKept.map(({ id }) => id)]).toEqual([7, ids.slice(0, 1)]);
    await agent.undo({ entry: replaced });
    expect(await textAt(backend, "b")).toBe("same\n");
    expect(await backend.recall(version("secret\n").sha)).toBeNull();
  });

  it("a purge leaves the bytes that were put into the store again, and says so", async () => {
    const { backend, agent, looker } = await two(async ({ workspace }) => {
      await sleep(20);
      await workspace.backend.keep([version("same\n")]);
    });
    await agent.create("a", "same\n");
    await agent.delete("a");
    expect(await purge(looker, "a")).toMatchObject({ bytes: 0, stillKept: true });
    expect(await backend.recall(version("same\n").sha)).not.toBeNull();
  });

  it("a purge right after the deletion, with nothing in between, drops the bytes", async () => {
    const { backend, agent, looker } = await two(async () => {});
    await agent.create("a", "secret\n");
    await agent.delete("a");
    expect(await purge(looker, "a")).toMatchObject({ bytes: 7, stillKept: false });
    expect(await backend.recall(version("secret\n").sha)).toBeNull();
  });
});
