// Many writers at once: from one version at most one of them wins, and nothing is lost.
import assert from "node:assert/strict";
import type { Refusal } from "../../kernel/failure.ts";
import { editFile } from "../../kernel/verbs.ts";
import { Workspace } from "../../kernel/workspace.ts";
import { AUTHOR, change, path, textAt, version, write } from "../assertions.ts";
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
    name: "parallel edits of different lines by one session are all kept",
    async run(backend) {
      const lines = Array.from({ length: 30 }, (_, i) => `line ${i}`);
      await write(backend, "a", `${lines.join("\n")}\n`);
      const session = new Workspace(backend).session();
      await session.read("a");
      await Promise.all(
        lines.map((line, i) =>
          editFile(session, "a", ({ body }) => {
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
        sessions.map((session) => editFile(session, "a", () => [{ start: 0, end: 5, text: session.id }])),
      );
      assert.equal(results.filter(({ status }) => status === "fulfilled").length, 1);
      assert.equal((await backend.read(path("a")))?.size, 37);
    },
  },
];
