// After the end: a closed backend is asked for nothing any more, and says so instead of answering as if it were empty.
import assert from "node:assert/strict";
import type { Backend, Sha } from "../../backends/backend.ts";
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
    notice: () => backend.notice(path("a"), AUTHOR),
    recall: () => backend.recall(known),
    keep: () => backend.keep(version("3")),
    kept: () => all(backend.kept()),
    forget: () => backend.forget([known]),
    head: () => backend.head(path("a")),
    log: () => all(backend.log()),
    verify: () => backend.verify(),
  };
}
