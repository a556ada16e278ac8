// After the end: a closed backend is asked for nothing any more, and says so instead of answering as if it were empty.
import assert from "node:assert/strict";
import type { Backend, Sha } from "../../core/backend.ts";
import { Workspace } from "../../kernel/workspace.ts";
import { AUTHOR, all, change, path, refuses, version, write } from "../assertions.ts";
import type { Case } from "../index.ts";

export const closingCases: readonly Case[] = [
  {
    name: "a closed backend refuses every use, in words that say so",
    async run(backend) {
      const kept = await write(backend, "a", "1");
      const workspace = new Workspace(backend);
      const session = workspace.session();
      await workspace.close();
      const uses: Record<string, () => Promise<unknown>> = {
        ...usesOf(backend, kept.sha),
        "session.read": () => session.read("a"),
        "workspace.log": () => all(workspace.log()),
      };
      for (const [name, use] of Object.entries(uses)) {
        const { message } = await refuses("unsupported", use).catch((cause) => {
          throw new Error(`${name} of a closed backend`, { cause });
        });
        assert.match(message, /closed/, name);
      }
    },
  },
  {
    name: "closing waits for what is under way, and all of it counts",
    async run(backend) {
      const draft = { ...AUTHOR, outcome: "note", changes: [] } as const;
      await backend.record(draft);
      const done: string[] = [];
      const names = ["b", "c", "d", "e"];
      const commits = names.map(async (name) => {
        await backend.commit([change(name, null, version("2"))], AUTHOR);
        done.push(name);
      });
      const others = [backend.record(draft), backend.keep([version("3")]), backend.notice([path("a")], AUTHOR)];
      const first = backend.log()[Symbol.asyncIterator]().next();
      const closed = backend.close().then(() => done.push("closed"));
      await Promise.all([...commits, ...others, closed]);
      assert.equal((await first).value?.seq, 1);
      assert.deepEqual([done.slice(0, -1).sort(), done.at(-1)], [names, "closed"]);
    },
  },
  {
    name: "a walk through the history ends with a refusal at the first step after the close",
    async run(backend) {
      for (const name of ["a", "b", "c"]) await write(backend, name, "1");
      const walks = [backend.log(), backend.kept(), backend.list(path(""))].map((items) =>
        items[Symbol.asyncIterator](),
      );
      for (const walk of walks) assert.equal((await walk.next()).done, false);
      await backend.close();
      for (const walk of walks) {
        const { message } = await refuses("unsupported", () => walk.next());
        assert.match(message, /closed/);
      }
    },
  },
  {
    name: "a backend can be closed twice",
    async run(backend) {
      await write(backend, "a", "1");
      await backend.close();
      await backend.close();
    },
  },
];

function usesOf(backend: Backend, known: Sha): Record<string, () => Promise<unknown>> {
  const draft = { ...AUTHOR, outcome: "note", changes: [] } as const;
  return {
    resolve: () => backend.resolve("a"),
    read: () => backend.read(path("a")),
    stream: () => backend.stream(path("a")),
    list: () => all(backend.list(path("."))),
    commit: () => backend.commit([change("b", null, version("2"))], AUTHOR),
    record: () => backend.record(draft),
    notice: () => backend.notice([path("a")], AUTHOR),
    witness: () => backend.witness([{ path: path("a"), from: null }], AUTHOR),
    recall: () => backend.recall(known),
    keep: () => backend.keep([version("3")]),
    kept: () => all(backend.kept()),
    forget: () => backend.forget([known]),
    head: () => backend.head(path("a")),
    log: () => all(backend.log()),
    verify: () => backend.verify(),
  };
}
