// Somebody holds the workspace: what was read or refused is told all the same, and written down as soon as it can be.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { openWorkspace, type Session, type Workspace } from "stet";
import { describe, expect, it } from "vitest";
import { Lock } from "../../../src/backends/disk/lock.ts";
import { all, refuses } from "../../support/assertions.ts";
import { directoryWith } from "../../support/workspace.ts";

interface Place {
  readonly root: string;
  readonly workspace: Workspace;
  readonly session: Session;
  release(): void;
}

/** A file that others changed since the journal's last word, in a workspace whose lock is held. */
async function held(names: readonly string[] = ["a", "b"]): Promise<Place> {
  const root = directoryWith({});
  const workspace = openWorkspace({ root, durability: "fast" });
  const session = workspace.session();
  for (const name of names) await session.create(name, "1\n");
  await all(workspace.backend.kept()); // what waits to be stored is stored
  const lock = new Lock(join(root, ".stet"));
  const free = await lock.acquire({ timeoutMs: 10_000 });
  for (const name of names) writeFileSync(join(root, name), "2\n");
  const release = (): void => {
    free();
    lock.close();
  };
  return { root, workspace, session, release };
}

async function outcomes(root: string, sinceSeq = 3): Promise<string[]> {
  const workspace = openWorkspace({ root });
  const entries = await all(workspace.log({ sinceSeq }));
  expect(await workspace.verify()).toMatchObject({ ok: true });
  await workspace.close();
  return entries.map(({ outcome, changes, error }) => error ?? `${outcome} ${changes.map(({ path }) => path)}`);
}

describe("while another holds the workspace", () => {
  it("a read is answered, and one note is made when it is free, also when that is after the close began", async () => {
    const { root, workspace, session, release } = await held();
    for (let n = 0; n < 5; n++) expect(await session.read("a")).toMatchObject({ body: "2\n" });
    expect(await session.readBytes("b")).toMatchObject({ version: { size: 2 } });
    const closing = workspace.close();
    release();
    await closing;
    expect(await outcomes(root)).toEqual(["external a", "external b"]);
  });

  it("a stale change is refused as stale, and so is the next one", async () => {
    const { root, workspace, session, release } = await held();
    const { failure } = await refuses("stale_file", () => session.write("a", "3\n"));
    expect(failure.details).toMatchObject({ diff: expect.stringContaining("+2") });
    await refuses("stale_file", () => session.write("a", "4\n"));
    release();
    await workspace.close();
    expect(await outcomes(root)).toEqual(["external a", "stale_file", "stale_file"]);
  });

  it("a change is not made once its time was up", async () => {
    const { root, workspace, session, release } = await held();
    await refuses("timeout", () => session.create("late", "x", { deadlineMs: 30 }));
    release();
    await session.create("last", "");
    await workspace.close();
    expect(await outcomes(root)).toEqual(["timeout", "applied last"]);
  });

  it("a close does not wait for one who never gives it back", async () => {
    const { root, workspace, session, release } = await held();
    await session.read("a");
    await workspace.close();
    release();
    expect(await outcomes(root)).toEqual([]);
  });
});

it("where nobody holds it, each change that a read finds is noted", async () => {
  const { root, workspace, session, release } = await held();
  const noted = () => all(workspace.log({ outcomes: ["external"] }));
  release();
  await session.read("a");
  await expect.poll(noted, { timeout: 10_000 }).toHaveLength(1);
  writeFileSync(join(root, "a"), "3\n");
  await session.read("a");
  await expect.poll(noted, { timeout: 10_000 }).toHaveLength(2);
  await workspace.close();
});
