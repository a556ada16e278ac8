// What a session has seen may be kept by the backend, so that a restarted server or another machine goes on where it was.
import { expect, it } from "vitest";
import { memory } from "../../src/backends/memory/index.ts";
import type { Ledger } from "../../src/core/backend.ts";
import { memoryLedger } from "../../src/kernel/read/seen.ts";
import { writeFile } from "../../src/kernel/verbs.ts";
import { Workspace } from "../../src/kernel/workspace.ts";
import { path, refuses } from "../../src/testing/assertions.ts";

it("a session of the same id goes on with what it has seen; another one does not", async () => {
  const ledgers = new Map<string, Ledger>();
  const backend = {
    ...memory({ files: { a: "1\n" } }),
    ledger(session: string): Ledger {
      const known = ledgers.get(session) ?? memoryLedger();
      ledgers.set(session, known);
      return known;
    },
  };
  await new Workspace(backend).session({ id: "agent-7" }).read("a");
  await refuses("unread_file", () => writeFile(new Workspace(backend).session({ id: "other" }), "a", "2\n"));
  await writeFile(new Workspace(backend).session({ id: "agent-7" }), "a", "2\n");
  expect([...ledgers.keys()]).toEqual(["agent-7", "other"]);
});

it("what was seen goes along with a file that is moved, but not with one that an undo moves back", async () => {
  const session = new Workspace(memory({ files: { a: "1\n" } })).session();
  await session.read("a");
  const { entry } = await session.move("a", "b");
  expect(await session.ledger.get(path("b"))).toMatchObject({ lines: 1 });
  await session.undo({ entry: entry!.seq });
  expect([await session.ledger.get(path("a")), await session.ledger.get(path("b"))]).toEqual([undefined, undefined]);
  await refuses("unread_file", () => writeFile(session, "a", "2\n"));
});
