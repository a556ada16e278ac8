// A change that only stands in line can still be called off: it is not made, and those before and behind it are.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { disk } from "../../src/backends/disk/index.ts";
import { openLock } from "../../src/backends/disk/lock/lock.ts";
import { startDeadline } from "../../src/core/deadline.ts";
import { createPathLock } from "../../src/kernel/change/path-lock.ts";
import type { Session } from "../../src/kernel/session.ts";
import { createFile, writeFile } from "../../src/kernel/verbs.ts";
import { Workspace } from "../../src/kernel/workspace.ts";
import { call, workspace as surface } from "../../src/surfaces/index.ts";
import { all, path, refuses, textAt } from "../../src/testing/assertions.ts";
import { killed, startHolder } from "../races/lock-processes.ts";
import { directoryWith } from "../support/workspace.ts";

const opened: Workspace[] = [];
afterEach(async () => {
  for (const workspace of opened.splice(0)) await workspace.close();
});

async function place(): Promise<{ root: string; workspace: Workspace; session: Session }> {
  const root = directoryWith({ a: "1\n" });
  const workspace = new Workspace(disk({ root, durability: "fast" }));
  opened.push(workspace);
  const session = workspace.session();
  await createFile(session, "first", "");
  return { root, workspace, session };
}

async function turns(count: number): Promise<void> {
  for (let n = 0; n < count; n++) await new Promise(setImmediate);
}

/** Holds the lock of a root until called. */
async function holdLock(root: string): Promise<() => void> {
  const lock = openLock(join(root, ".stet/lock"));
  const release = await lock.acquire({ timeoutMs: 30_000 });
  return () => {
    release();
    lock.close();
  };
}

const names = Array.from({ length: 30 }, (_, i) => `f${i}`);
const [staying, leaving] = [names.slice(0, 10), names.slice(10)];
const present = (root: string, files: readonly string[]) => files.filter((name) => existsSync(join(root, name)));

describe("a change that waits for the workspace", () => {
  it("is not made once it was cancelled; the others are", async () => {
    const { root, workspace, session } = await place();
    const release = await holdLock(root);
    const gone = leaving.map(() => new AbortController());
    const made = staying.map((name) => createFile(session, name, "x"));
    const refused = leaving.map((name, i) =>
      refuses("cancelled", () => createFile(session, name, "x", { signal: gone[i]!.signal })),
    );
    await turns(20);
    for (const each of gone) each.abort();
    await Promise.all(refused);
    expect(present(root, names)).toEqual([]);
    release();
    await Promise.all(made);
    // Everything that stood in line before this one has had its turn.
    await createFile(session, "last", "");
    expect(present(root, names)).toEqual(staying);
    const entries = await all(workspace.log({ outcomes: ["refused"] }));
    expect(entries.map(({ error, details }) => [error, details?.paths])).toEqual(
      leaving.map((name) => ["cancelled", [name]]),
    );
    expect(await workspace.verify()).toMatchObject({ ok: true, entries: names.length + 2 });
  });

  it("is not made once its time was up", async () => {
    const { root, workspace, session } = await place();
    const release = await holdLock(root);
    await refuses("timeout", () => createFile(session, "late", "x", { deadlineMs: 30 }));
    release();
    await createFile(session, "last", "");
    expect(present(root, ["late", "last"])).toEqual(["last"]);
    expect(await all(workspace.log({ outcomes: ["refused"] }))).toMatchObject([{ error: "timeout" }]);
  });

  it("is not made, nor journalled twice, when a tool asked for it", async () => {
    const { root, workspace, session } = await place();
    const release = await holdLock(root);
    const gone = new AbortController();
    const input = { path: "b", content: "x" };
    const pending = call(session, surface, "create_file", input, { signal: gone.signal });
    await turns(20);
    gone.abort();
    expect(await pending).toMatchObject({ ok: false, error: { details: { cause: "cancelled" } } });
    release();
    await createFile(session, "last", "");
    expect(present(root, ["b", "last"])).toEqual(["last"]);
    expect(await all(workspace.log({ outcomes: ["refused"] }))).toMatchObject([
      { error: "cancelled", tool: "create_file" },
    ]);
  });

  it("is not made when another process has the lock meanwhile", async () => {
    const { root, session } = await place();
    const holder = await startHolder(join(root, ".stet"));
    const gone = new AbortController();
    const made = createFile(session, "stays", "x");
    const refused = refuses("cancelled", () => createFile(session, "leaves", "x", { signal: gone.signal }));
    await turns(20);
    gone.abort();
    await refused;
    await killed(holder);
    await made;
    await createFile(session, "last", "");
    expect(present(root, ["stays", "leaves", "last"])).toEqual(["stays", "last"]);
  });

  it("is made and answered when it was cancelled after it had begun", async () => {
    const { session, workspace } = await place();
    await session.read("a");
    const gone = new AbortController();
    const { backend } = workspace;
    const commit = backend.commit.bind(backend);
    backend.commit = (changes, author, note, how) =>
      commit(changes, author, note, {
        ...how,
        begin() {
          how?.begin?.();
          gone.abort();
        },
      });
    const { entry } = await writeFile(session, "a", "2\n", { signal: gone.signal });
    expect(entry?.outcome).toBe("applied");
    expect(await textAt(backend, "a")).toBe("2\n");
  });
});

describe("a change that waits for another of the same file", () => {
  const waiting = (signal?: AbortSignal) => startDeadline(30_000, signal);

  it("leaves the line when it is cancelled, and those behind it still wait for the one before it", async () => {
    const lock = createPathLock();
    const order: string[] = [];
    let finish!: () => void;
    const finished = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const first = lock.hold([path("a")], () => finished.then(() => void order.push("first")), waiting());
    const gone = new AbortController();
    const second = refuses("cancelled", () =>
      lock.hold([path("a")], async () => void order.push("second"), waiting(gone.signal)),
    );
    await turns(2);
    gone.abort();
    await second;
    const third = lock.hold([path("a")], async () => void order.push("third"), waiting());
    await turns(5);
    expect(order).toEqual([]);
    finish();
    await Promise.all([first, third]);
    expect(order).toEqual(["first", "third"]);
  });

  it("is not made", async () => {
    const { root, session } = await place();
    const release = await holdLock(root);
    const gone = new AbortController();
    const made = createFile(session, "b", "1");
    const refused = refuses("cancelled", () => createFile(session, "b", "2", { signal: gone.signal }));
    await turns(20);
    gone.abort();
    await refused;
    release();
    await made;
    expect(await textAt(session.workspace.backend, "b")).toBe("1");
  });
});
