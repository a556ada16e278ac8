// What a session has seen may be kept by the backend, so that a restarted server or another machine goes on where it was.
import { type Ledger, type Path, type Seen, Workspace } from "stet";
import { memory } from "stet/backends/memory";
import { expect, it } from "vitest";
import { path, refuses } from "../support/assertions.ts";
import { memoryWorkspace } from "../support/workspace.ts";

it("a session of the same id goes on with what it has seen; another one does not", async () => {
  const ledgers = new Map<string, Map<Path, Seen>>();
  const backend = {
    ...memory({ files: { a: "1\n" } }),
    ledger(session: string): Ledger {
      const known = ledgers.get(session) ?? new Map<Path, Seen>();
      ledgers.set(session, known);
      return {
        get: (path) => known.get(path),
        set: (path, seen) => void known.set(path, seen),
        delete: (path) => void known.delete(path),
      };
    },
  };
  await new Workspace(backend).session({ id: "agent-7" }).read("a");
  await refuses("unread_file", () => new Workspace(backend).session({ id: "other" }).write("a", "2\n"));
  await new Workspace(backend).session({ id: "agent-7" }).write("a", "2\n");
  expect([...ledgers.keys()]).toEqual(["agent-7", "other"]);
});

it("what was seen goes along with a file that is moved, but not with one that an undo moves back", async () => {
  const session = memoryWorkspace({ a: "1\n" }).session();
  await session.read("a");
  const { entry } = await session.move("a", "b");
  expect(await session.ledger.get(path("b"))).toMatchObject({ lines: 1 });
  await session.undo({ entry: entry!.seq });
  expect([await session.ledger.get(path("a")), await session.ledger.get(path("b"))]).toEqual([undefined, undefined]);
  await refuses("unread_file", () => session.write("a", "2\n"));
});
