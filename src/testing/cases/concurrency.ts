// Many writers at once: from one version at most one of them wins, and nothing is lost.
import assert from "node:assert/strict";
import { Refusal } from "../../core/failure.ts";
import { Workspace } from "../../kernel/workspace.ts";
import { AUTHOR, all, change, path, refuses, textAt, version, write } from "../assertions.ts";
import type { Case } from "../index.ts";

export const concurrencyCases: readonly Case[] = [
  {
    name: "of many commits from one version exactly one wins",
    async run(backend) {
      const first = await write(backend, "a", "start");
      const tries = Array.from({ length: 16 }, (_, i) =>
        backend.commit([change("a", first.sha, version(`winner ${i}`))], AUTHOR),
      );
      const results = await Promise.allSettled(tries);
      assert.equal(results.filter(({ status }) => status === "fulfilled").length, 1);
      for (const result of results)
        if (result.status === "rejected") assert.equal((result.reason as Refusal).kind, "stale_file");
      const winner = results.findIndex(({ status }) => status === "fulfilled");
      assert.equal(await textAt(backend, "a"), `winner ${winner}`);
    },
  },
  {
    name: "a commit says that it begins, once, and is not made when it is told not to",
    async run(backend) {
      const first = await write(backend, "a", "start");
      const before = (await all(backend.log())).length;
      const no = new Refusal("cancelled", "It is not wanted any more.");
      const refused = await refuses("cancelled", () =>
        backend.commit(
          [change("a", first.sha, version("never")), change("b", null, version("never"))],
          AUTHOR,
          undefined,
          {
            begin() {
              throw no;
            },
          },
        ),
      );
      assert.equal(refused, no);
      assert.deepEqual([await textAt(backend, "a"), await textAt(backend, "b")], ["start", null]);
      assert.equal((await all(backend.log())).length, before);
      let begun = 0;
      await backend.commit([change("a", first.sha, version("next"))], AUTHOR, undefined, { begin: () => void begun++ });
      assert.deepEqual([begun, await textAt(backend, "a")], [1, "next"]);
    },
  },
  {
    name: "of many commits that are called off exactly those are made that had begun",
    async run(backend) {
      const gone = Array.from({ length: 16 }, () => new AbortController());
      const reason = new Refusal("cancelled", "It is not wanted any more.");
      const begun = new Set<number>();
      const begin = (i: number): void => {
        if (gone[i]?.signal.aborted) throw reason;
        begun.add(i);
      };
      const tries = gone.map(({ signal }, i) =>
        backend.commit([change(`f${i}`, null, version("x"))], AUTHOR, undefined, {
          begin: () => begin(i),
          signal,
        }),
      );
      for (const each of gone) each.abort(reason);
      const results = await Promise.allSettled(tries);
      await write(backend, "last", "x");
      for (const [i, result] of results.entries()) {
        assert.equal(result.status, begun.has(i) ? "fulfilled" : "rejected");
        if (result.status === "rejected") assert.equal(result.reason, reason);
        assert.equal(await textAt(backend, `f${i}`), begun.has(i) ? "x" : null);
      }
    },
  },
  {
    name: "parallel edits of different lines by one session are all kept",
    async run(backend) {
      const lines = Array.from({ length: 30 }, (_, i) => `line ${i}`);
      await write(backend, "a", `${lines.join("\n")}\n`);
      const session = new Workspace(backend).session();
      await session.read("a");
      await Promise.all(
        lines.map((line, i) =>
          session.edit("a", ({ body }) => {
            const start = body.indexOf(`${line}\n`);
            return [{ start, end: start + line.length, text: `edited ${i}` }];
          }),
        ),
      );
      assert.equal(await textAt(backend, "a"), `${lines.map((_, i) => `edited ${i}`).join("\n")}\n`);
    },
  },
  {
    name: "two sessions never both win from one version",
    async run(backend) {
      await write(backend, "a", "start\n");
      const workspace = new Workspace(backend);
      const sessions = [workspace.session(), workspace.session()];
      for (const session of sessions) await session.read("a");
      const results = await Promise.allSettled(
        sessions.map((session) => session.edit("a", () => [{ start: 0, end: 5, text: session.id }])),
      );
      assert.equal(results.filter(({ status }) => status === "fulfilled").length, 1);
      assert.equal((await backend.read(path("a")))?.size, 37);
    },
  },
];
