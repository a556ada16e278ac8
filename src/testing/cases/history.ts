// History through the kernel: trash, undo and retention work on any backend.
import assert from "node:assert/strict";
import type { Seen, Sha, Version } from "../../core/backend.ts";
import { purge } from "../../kernel/history/purge.ts";
import { collectGarbage } from "../../kernel/history/retention.ts";
import { listTrash, restore } from "../../kernel/history/trash.ts";
import { Workspace } from "../../kernel/workspace.ts";
import { AUTHOR, all, change, path, refuses, textAt, version } from "../assertions.ts";
import type { Case } from "../index.ts";

export const historyCases: readonly Case[] = [
  {
    name: "a deleted file is in the trash and comes back by id or path",
    async run(backend) {
      const session = new Workspace(backend).session();
      await session.create("a.txt", "one\n");
      await session.delete("a.txt");
      const [item] = await all(listTrash(session.workspace));
      assert.equal(item?.path, "a.txt");
      await restore(session, item!.id);
      assert.equal(await textAt(backend, "a.txt"), "one\n");
      assert.deepEqual(await all(listTrash(session.workspace)), []);
      await refuses("unread_file", () => session.delete("a.txt"));
      await session.read("a.txt");
      await session.delete("a.txt");
      await restore(session, "a.txt", { to: "b.txt" });
      assert.equal(await textAt(backend, "b.txt"), "one\n");
    },
  },
  {
    name: "restoring never overwrites",
    async run(backend) {
      const session = new Workspace(backend).session();
      await session.create("a.txt", "one\n");
      await session.delete("a.txt");
      await session.create("a.txt", "two\n");
      await refuses("already_exists", () => restore(session, "a.txt"));
      assert.equal(await textAt(backend, "a.txt"), "two\n");
    },
  },
  {
    name: "a purged file is gone for good",
    async run(backend) {
      const session = new Workspace(backend).session();
      await session.create("a.txt", "one\n");
      await session.delete("a.txt");
      const { bytes } = await purge(session, "a.txt");
      assert.equal(bytes, 4);
      assert.deepEqual(await all(listTrash(session.workspace)), []);
      await refuses("not_found", () => restore(session, "a.txt"));
    },
  },
  {
    name: "undo takes back create, write, move and delete, and can be undone",
    async run(backend) {
      const session = new Workspace(backend).session();
      const { entry: created } = await session.create("a.txt", "one\n");
      const { entry: written } = await session.write("a.txt", "two\n");
      await session.undo({ entry: written!.seq });
      assert.equal(await textAt(backend, "a.txt"), "one\n");
      await session.read("a.txt");
      const { entry: moved } = await session.move("a.txt", "b.txt");
      await session.undo({ entry: moved!.seq });
      assert.deepEqual([await textAt(backend, "a.txt"), await textAt(backend, "b.txt")], ["one\n", null]);
      const { entry: undone } = await session.undo({ entry: created!.seq });
      assert.equal(await textAt(backend, "a.txt"), null);
      await session.undo({ entry: undone!.seq });
      assert.equal(await textAt(backend, "a.txt"), "one\n");
    },
  },
  {
    name: "undo refuses where later changes exist, or merges when asked",
    async run(backend) {
      const session = new Workspace(backend).session();
      const lines = (a: string, b: string): string => `${a}\n1\n2\n3\n4\n5\n${b}\n`;
      await session.create("a.txt", lines("a", "b"));
      const { entry } = await session.write("a.txt", lines("A", "b"));
      await session.write("a.txt", lines("A", "B"));
      const refusal = await refuses("stale_file", () => session.undo({ entry: entry!.seq }));
      assert.deepEqual(refusal.failure.details?.later, [3]);
      await session.undo({ entry: entry!.seq }, { onLaterChanges: "merge" });
      assert.equal(await textAt(backend, "a.txt"), lines("a", "B"));
    },
  },
  {
    name: "a whole session is undone in one entry",
    async run(backend) {
      const workspace = new Workspace(backend);
      const other = workspace.session();
      await other.create("kept.txt", "kept\n");
      const session = workspace.session({ id: "wild" });
      await session.create("a.txt", "1\n");
      await session.write("a.txt", "2\n");
      await session.read("kept.txt");
      await session.delete("kept.txt");
      const { undone, entry } = await other.undo({ session: "wild" });
      assert.deepEqual([...undone].sort(), [2, 3, 4]);
      assert.equal(entry?.seq, 5);
      assert.deepEqual([await textAt(backend, "a.txt"), await textAt(backend, "kept.txt")], [null, "kept\n"]);
    },
  },
  {
    name: "retention drops old versions but never the newest",
    async run(backend) {
      const session = new Workspace(backend).session();
      await session.create("a.txt", "1\n");
      for (const text of ["2\n", "3\n", "4\n"]) await session.write("a.txt", text);
      const { dropped } = await collectGarbage(session.workspace, { maxVersionsPerPath: 2 });
      assert.equal(dropped, 2);
      const later = Date.now() + 1000;
      assert.equal((await collectGarbage(session.workspace, { maxAgeMs: 0, maxBytes: 0 }, later)).kept, 1);
      assert.ok((await backend.recall((await backend.read(path("a.txt")))!.sha)) !== null);
      await refuses("not_kept", () => session.undo({ entry: 2 }, { onLaterChanges: "merge" }));
    },
  },
  {
    name: "what a commit says it remembered is in the ledger, and of one that is refused nothing is",
    async run(backend, again) {
      const seen = (sha: Sha): Seen => ({ sha, lines: 1, shown: [{ from: 1, to: 1 }] });
      const shown = (to: Version) => ({ shown: { session: "s1", files: new Map([[path("a"), seen(to.sha)]]) } });
      const [first, second, third] = [version("1"), version("2"), version("3")];
      const made = await backend.commit([change("a", null, first)], AUTHOR, undefined, shown(first));
      if (made.remembered !== true) return;
      assert.ok(backend.ledger !== undefined, "a backend that remembers has a ledger");
      const remembered = async () => (await again()).ledger!("s1").get(path("a"));
      assert.deepEqual(await remembered(), seen(first.sha));
      await refuses("stale_file", () =>
        backend.commit([change("a", second.sha, third)], AUTHOR, undefined, shown(third)),
      );
      assert.deepEqual(await remembered(), seen(first.sha));
      await backend.commit([change("a", first.sha, second)], AUTHOR, undefined, shown(second));
      assert.deepEqual(await remembered(), seen(second.sha));
    },
  },
];
