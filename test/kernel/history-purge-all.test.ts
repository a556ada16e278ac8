import {
  type Backend,
  closeCheckpoint,
  collectGarbage,
  type Entry,
  type LogFilter,
  listTrash,
  openCheckpoint,
  purge,
  purgeAll,
  Refusal,
  restore,
  rollBackTo,
  type Session,
  Workspace,
} from "stet";
import { memory } from "stet/backends/memory";
import { describe, expect, it } from "vitest";
import { all, refuses, textAt } from "../support/assertions.ts";
import { memoryWorkspace } from "../support/workspace.ts";

async function trashed(session: Session, files: Readonly<Record<string, string>>): Promise<string[]> {
  for (const [path, text] of Object.entries(files)) await session.create(path, text);
  for (const path of Object.keys(files)) await session.delete(path);
  return idsIn(session);
}

const idsIn = async ({ workspace }: Session): Promise<string[]> =>
  (await all(listTrash(workspace))).map(({ id }) => id);

const numbered = (count: number): Record<string, string> =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`f${n}`, `${n}\n`]));

describe("purge of many", () => {
  const sessionWithoutFiles = (): Session => memoryWorkspace({}).session();

  it("is one entry with all ids, and frees what nothing else needs", async () => {
    const session = sessionWithoutFiles();
    const { backend } = session.workspace;
    await session.create("living", "2\n");
    const ids = await trashed(session, { a: "1\n", b: "2\n", c: "333\n", d: "333\n" });
    const { purged, bytes, stillKept } = await purgeAll(session, ids);
    expect(purged.map(({ path }) => path)).toEqual(["d", "c", "b", "a"]);
    expect([bytes, stillKept.map(({ path }) => path)]).toEqual([6, ["b"]]);
    expect(await idsIn(session)).toEqual([]);
    const notes = await all(backend.log({ outcomes: ["note"] }));
    expect(notes).toMatchObject([{ tool: "purge", of: ids.map(Number), details: { purged: ids } }]);
    expect((await backend.recall((await session.read("living")).sha))?.size).toBe(2);
  });

  it("goes through the journal as often for many as for few", async () => {
    const passes = async (count: number): Promise<number> => {
      const backend = memory();
      const session = new Workspace(backend).session();
      const ids = await trashed(session, numbered(count));
      let walks = 0;
      const counting: Backend = { ...backend, log };
      function log(filter?: LogFilter): AsyncIterable<Entry> {
        walks++;
        return backend.log(filter);
      }
      await purgeAll(new Workspace(counting).session(), ids);
      expect(await idsIn(session)).toEqual([]);
      return walks;
    };
    expect(await passes(12)).toBe(await passes(2));
  });

  it("takes all of them or none", async () => {
    const backend = memory();
    const session = new Workspace(backend).session();
    const ids = await trashed(session, { a: "1\n", b: "2\n" });
    const signal = AbortSignal.abort();
    expect((await refuses("not_found", () => purgeAll(session, [...ids, "77"]))).failure.details).toEqual({
      missingIds: ["77"],
    });
    await refuses("cancelled", () => purgeAll(session, ids, { signal }));
    const bound = new Workspace(backend, { policy: { allowedActions: ["read", "delete"] } }).session();
    await refuses("permission_denied", () => purgeAll(bound, ids));
    expect(await idsIn(session)).toEqual(ids);
    await restore(session, "a");
    expect(await textAt(backend, "a")).toBe("1\n");
    expect(await purgeAll(session, [])).toMatchObject({ purged: [], bytes: 0 });
  });

  it("tells what left the trash when the bytes cannot be dropped, and leaves them to the collection", async () => {
    const backend = memory();
    const session = new Workspace(backend).session();
    const ids = await trashed(session, { a: "1\n", b: "2\n" });
    const forget: Backend["forget"] = () => Promise.reject(new Refusal("io_error", "The disk is broken."));
    const broken = new Workspace({ ...backend, forget }).session();
    const { failure } = await refuses("io_error", () => purgeAll(broken, ids));
    expect(failure.message).toMatch(/^2 deleted .* left the trash, .*The disk is broken\.$/);
    expect(await idsIn(session)).toEqual([]);
    expect(await collectGarbage(session.workspace, { maxBytes: 0 })).toMatchObject({ dropped: 2, bytes: 4 });
  });

  it("keeps what somebody began to use meanwhile", async () => {
    const backend = memory();
    const session = new Workspace(backend).session();
    const ids = await trashed(session, { a: "1\n", b: "2\n" });
    const record: Backend["record"] = async (draft) => {
      await session.create("new", "1\n");
      return backend.record(draft);
    };
    const { stillKept } = await purgeAll(new Workspace({ ...backend, record }).session(), ids);
    expect(stillKept.map(({ path }) => path)).toEqual(["a"]);
  });

  it("keeps bytes that a checkpoint needs, whichever of two deletions is purged last", async () => {
    const session = sessionWithoutFiles();
    const [older] = await trashed(session, { a: "1\n" });
    await session.create("b", "1\n");
    await openCheckpoint(session, "before");
    await session.delete("b");
    expect((await purge(session, "b")).stillKept).toBe(true);
    expect((await purge(session, older!)).stillKept).toBe(true);
    await rollBackTo(session, "before");
    expect(await textAt(session.workspace.backend, "b")).toBe("1\n");
    await closeCheckpoint(session, "before");
  });

  it("keeps a version that another file had before it was overwritten", async () => {
    const session = sessionWithoutFiles();
    await session.create("other", "1\n");
    await session.write("other", "2\n");
    const ids = await trashed(session, { a: "1\n", b: "3\n" });
    const { bytes, stillKept } = await purgeAll(session, ids);
    expect([bytes, stillKept.map(({ path }) => path)]).toEqual([2, ["a"]]);
  });
});
