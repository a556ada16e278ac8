// Two backends on one workspace, as two processes or machines would have: one of them wins, and both see the same.
import assert from "node:assert/strict";
import type { Backend, Seen } from "../../core/backend.ts";
import { Refusal } from "../../core/failure.ts";
import { Workspace } from "../../kernel/workspace.ts";
import { AUTHOR, all, change, path, refuses, textAt, version, write } from "../assertions.ts";
import type { Case } from "../index.ts";

export const togetherCases: readonly Case[] = [
  {
    name: "what one backend commits, another one on the same workspace sees at once",
    async run(backend, again) {
      const other = await again();
      const first = await write(backend, "dir/a", "1");
      assert.equal(await textAt(other, "dir/a"), "1");
      assert.deepEqual(await other.head(path("dir/a")), { seq: 1, sha: first.sha });
      assert.equal((await other.resolve("dir/a")).kind, "file");
      await write(other, "dir/a", "2");
      assert.equal(await textAt(backend, "dir/a"), "2");
      assert.notEqual(await backend.recall(first.sha), null);
      for (const each of [backend, other])
        assert.deepEqual(
          (await all(each.log())).map(({ seq }) => seq),
          [1, 2],
        );
    },
  },
  {
    name: "of commits by two backends from one version exactly one wins",
    async run(backend, again) {
      const both = [backend, await again()];
      for (let round = 0; round < 20; round++) {
        const at = `f${round}`;
        const first = await write(backend, at, "start");
        const tries = Array.from({ length: 8 }, (_, i) =>
          both[i % 2]!.commit([change(at, first.sha, version(`winner ${i}`))], AUTHOR),
        );
        const results = await Promise.allSettled(tries);
        const winners = results.flatMap(({ status }, i) => (status === "fulfilled" ? [i] : []));
        assert.equal(winners.length, 1, `round ${round}: ${winners.length} of them say that they won`);
        for (const each of both) assert.equal(await textAt(each, at), `winner ${winners[0]}`);
      }
      assert.ok((await backend.verify()).ok);
    },
  },
  {
    name: "a counter that two backends count up loses nothing",
    async run(backend, again) {
      const each = 20;
      await write(backend, "counter", "0");
      await Promise.all([countUp(backend, each), countUp(await again(), each)]);
      assert.equal(await textAt(backend, "counter"), `${2 * each}`);
      assert.equal((await all(backend.log({ path: path("counter") }))).length, 2 * each + 1);
      assert.ok((await backend.verify()).ok);
    },
  },
  {
    name: "what two backends write down is one chain",
    async run(backend, again) {
      const draft = { ...AUTHOR, outcome: "note", changes: [] } as const;
      const both = [backend, await again()];
      await Promise.all(Array.from({ length: 20 }, (_, i) => both[i % 2]!.record({ ...draft, message: `${i}` })));
      const entries = await all(backend.log());
      assert.deepEqual(
        entries.map(({ seq }) => seq),
        Array.from({ length: 20 }, (_, i) => i + 1),
      );
      assert.ok((await both[1]!.verify()).ok);
    },
  },
  {
    name: "what a session saw is found by the next process that names it, until it is forgotten",
    async run(backend, again) {
      if (backend.ledger === undefined) return;
      const other = await again();
      const [mine, theirs, stranger] = [backend.ledger("s1"), other.ledger!("s1"), other.ledger!("s2")];
      const seen: Seen = {
        sha: version("1").sha,
        lines: 3,
        shown: [{ from: 1, to: 2 }],
        numbered: [{ from: 1, to: 1 }],
      };
      const [a, b] = [path("a"), path("b")];
      for (const at of [a, b]) await mine.set(at, { ...seen, lines: 4 });
      for (const at of [a, b]) await mine.set(at, seen);
      assert.deepEqual([await theirs.get(a), await theirs.get(b), await stranger.get(a)], [seen, seen, undefined]);
      await theirs.delete(a);
      assert.deepEqual([await mine.get(a), await mine.get(b)], [undefined, seen]);
      await theirs.clear?.();
      assert.equal(await other.ledger!("s1").get(b), undefined);
      assert.deepEqual(await all(backend.log()), []);
    },
  },
  {
    name: "a session is refused what another backend changed since it read",
    async run(backend, again) {
      await write(backend, "a", "one\n");
      const session = new Workspace(backend).session();
      await session.read("a");
      await write(await again(), "a", "two\n");
      await refuses("stale_file", () => session.edit("a", () => [{ start: 0, end: 3, text: "six" }]));
      assert.equal(await textAt(backend, "a"), "two\n");
    },
  },
];

async function countUp(backend: Backend, times: number): Promise<void> {
  for (let done = 0; done < times; ) {
    const before = (await backend.read(path("counter")))!;
    const next = `${Number(Buffer.concat(before.parts as Uint8Array[]).toString()) + 1}`;
    try {
      await backend.commit([change("counter", before.sha, version(next))], AUTHOR);
      done++;
    } catch (error) {
      if (!(error instanceof Refusal) || error.kind !== "stale_file") throw error;
    }
  }
}
