// The journal: one chained entry per change and per refusal, and the last word on every path.
import assert from "node:assert/strict";
import { mock } from "node:test";
import { generateSigningKeys } from "../../backends/journal/signed-heads.ts";
import type { Author, CommitNote, EntryChange, Outcome } from "../../core/backend.ts";
import { AUTHOR, all, change, path, refuses, textAt, version, write } from "../assertions.ts";
import type { Case } from "../index.ts";

export const journalCases: readonly Case[] = [
  {
    name: "an entry says who changed what, from which version to which",
    async run(backend) {
      const author = { session: "s9", agent: "ann", tool: "write_file", call: "c1" };
      const to = version("hello", 0o644);
      const { entry } = await backend.commit([{ ...change("a", null, to), proof: "absence" }], author, {
        message: "hello",
      });
      const expected = { ...author, outcome: "applied", message: "hello" };
      assert.deepEqual({ ...entry, ...expected }, entry);
      assert.deepEqual(entry.changes[0], {
        path: "a",
        from: null,
        to: to.sha,
        toSize: 5,
        toMode: 0o644,
        proof: "absence",
      });
      assert.ok(!Number.isNaN(Date.parse(entry.at)));
    },
  },
  {
    name: "entries are numbered from 1 and chained",
    async run(backend) {
      for (const text of ["1", "2", "3"]) await write(backend, "a", text);
      const entries = await all(backend.log());
      assert.deepEqual(
        entries.map(({ seq }) => seq),
        [1, 2, 3],
      );
      for (const [i, entry] of entries.entries()) if (i > 0) assert.equal(entry.prev, entries[i - 1]!.hash);
      const found = await backend.verify();
      assert.deepEqual({ ok: found.ok, entries: found.entries, seq: found.head.seq }, { ok: true, entries: 3, seq: 3 });
    },
  },
  {
    name: "what is there as the journal says, or as it was before, is neither noticed nor witnessed",
    async run(backend) {
      const first = await write(backend, "a", "1");
      const { sha } = await write(backend, "a", "2");
      for (const from of [null, first.sha, sha])
        assert.equal(await backend.witness([{ path: path("a"), from }], AUTHOR), null);
      assert.equal(await backend.witness([{ path: path("never"), from: null }], AUTHOR), null);
      assert.equal(await backend.notice([path("a"), path("never")], AUTHOR), null);
      assert.equal((await all(backend.log())).length, 2);
    },
  },
  {
    name: "times of entries never go backwards, also when the clock is put back",
    async run(backend, again) {
      await write(backend, "a", "1");
      mock.timers.enable({ apis: ["Date"], now: Date.now() - 400 * 24 * 3_600_000 });
      try {
        await write(backend, "a", "2");
        await backend.record({ ...AUTHOR, outcome: "note", changes: [] });
        await write(await again(), "b", "3");
      } finally {
        mock.timers.reset();
      }
      const times = (await all(backend.log())).map(({ at }) => at);
      assert.equal(times.length, 4);
      assert.deepEqual(times, times.toSorted());
    },
  },
  {
    name: "a refused commit leaves no entry; a recorded refusal is one",
    async run(backend) {
      await refuses("stale_file", () => backend.commit([change("a", version("x").sha, version("y"))], AUTHOR));
      assert.deepEqual(await all(backend.log()), []);
      const entry = await backend.record({
        ...AUTHOR,
        outcome: "refused",
        changes: [],
        error: "stale_file",
        message: "no",
      });
      assert.deepEqual(await all(backend.log()), [entry]);
    },
  },
  {
    name: "the log can be filtered, limited and turned round",
    async run(backend) {
      for (const text of ["1", "2", "3"]) await write(backend, "a", text);
      await write(backend, "b", "1");
      await backend.record({ session: "s2", tool: "other", outcome: "refused", changes: [], error: "timeout" });
      const seqs = async (filter: Parameters<typeof backend.log>[0]): Promise<number[]> =>
        (await all(backend.log(filter))).map(({ seq }) => seq);
      assert.deepEqual(await seqs({ path: path("a") }), [1, 2, 3]);
      assert.deepEqual(await seqs({ path: path("a"), newestFirst: true, limit: 2 }), [3, 2]);
      assert.deepEqual(await seqs({ sinceSeq: 2, untilSeq: 4 }), [2, 3, 4]);
      assert.deepEqual(await seqs({ session: "s2" }), [5]);
      assert.deepEqual(await seqs({ outcomes: ["refused"] }), [5]);
      assert.deepEqual(await seqs({ agent: "tester", tool: "test" }), [1, 2, 3, 4]);
    },
  },
  {
    name: "the head of a path is its last change",
    async run(backend) {
      assert.equal(await backend.head(path("a")), null);
      const first = await write(backend, "a", "1");
      assert.deepEqual(await backend.head(path("a")), { seq: 1, sha: first.sha });
      await backend.commit([change("a", first.sha, null)], AUTHOR);
      assert.deepEqual(await backend.head(path("a")), { seq: 2, sha: null });
    },
  },
  {
    name: "an expected head that is not there is found out",
    async run(backend) {
      await write(backend, "a", "1");
      const { head } = await backend.verify();
      assert.ok((await backend.verify({ expectedHead: `${head.seq}:${head.hash}` })).ok);
      assert.ok(!(await backend.verify({ expectedHead: `9:${"f".repeat(64)}` })).ok);
    },
  },
  {
    name: "a signed head is believed with its key only, and binds everything before it",
    async run(backend) {
      const [mine, other] = [generateSigningKeys(), generateSigningKeys()];
      await write(backend, "a", "1");
      const { text } = await backend.sign(mine.privateKey);
      await write(backend, "a", "2");
      const good = await backend.verify({ publicKeys: [mine.publicKey], expectedHead: text });
      assert.deepEqual({ ok: good.ok, signedHeads: good.signedHeads }, { ok: true, signedHeads: 1 });
      assert.ok(!(await backend.verify({ publicKeys: [other.publicKey] })).ok);
    },
  },
  {
    name: "names that look like JSON stay one entry",
    async run(backend) {
      for (const name of ['x","op":"approved', "x\u2028y"]) await write(backend, name, "1");
      const entries = await all(backend.log());
      assert.deepEqual(
        entries.map(({ changes }) => changes[0]?.path),
        ['x","op":"approved', "x\u2028y"],
      );
      assert.ok((await backend.verify()).ok);
    },
  },
  {
    name: "what cannot be an entry is refused, and leaves nothing",
    async run(backend) {
      const first = await write(backend, "a", "1");
      const as = (author: unknown): Author => ({ ...AUTHOR, ...(author as object) });
      const circle: Record<string, unknown> = {};
      circle.again = circle;
      for (const author of [{ session: 5 }, { tool: 5 }, { agent: {} }, { call: 5 }, { tool: "t".repeat(100_000) }]) {
        const changes = [change("a", first.sha, version("2")), change("b", null, version("3"))];
        await refuses("invalid_input", () => backend.commit(changes, as(author)));
        await refuses("invalid_input", () => backend.record({ ...as(author), outcome: "note", changes: [] }));
      }
      for (const note of [{ of: 5 }, { of: ["x"] }, { of: [0] }, { details: circle }, { details: { big: 5n } }]) {
        const given = note as CommitNote;
        await refuses("invalid_input", () => backend.commit([change("b", null, version("3"))], AUTHOR, given));
        await refuses("invalid_input", () => backend.record({ ...AUTHOR, ...given, outcome: "note", changes: [] }));
      }
      const [forged, text] = [change("../b", null, null), "sideways"] as unknown as [EntryChange, Outcome];
      await refuses("invalid_input", () => backend.record({ ...AUTHOR, outcome: "note", changes: [forged] }));
      await refuses("invalid_input", () => backend.record({ ...AUTHOR, outcome: text, changes: [] }));
      assert.deepEqual([await textAt(backend, "a"), await textAt(backend, "b")], ["1", null]);
      assert.equal((await all(backend.log())).length, 1);
      assert.ok((await backend.verify()).ok);
      await write(backend, "a", "2");
    },
  },
];
