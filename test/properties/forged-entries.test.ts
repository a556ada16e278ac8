// Whatever a well-hashed entry says: nothing but a refusal comes of it, and files can still be read and changed.
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { collectGarbage, listTrash, openCheckpoints, type Path, purge, Refusal, restore } from "stet";
import { describe, expect, it } from "vitest";
import { forge, opened, type Used, usedWorkspace } from "../internal/support/forged.ts";
import { all } from "../support/assertions.ts";

const FIELDS = ["at", "outcome", "session", "agent", "tool", "call", "changes", "error", "message", "of", "diff"];
const OF_CHANGE = ["path", "from", "to", "fromSize", "toSize", "fromMode", "toMode", "proof", "movedFrom"];
const NEAR = [
  "",
  ".",
  "..",
  "../x",
  "/x",
  "a/b",
  "a",
  ".stet/format",
  "aborted",
  "note",
  "0".repeat(64),
  -1,
  0,
  2 ** 53,
];

const anything = fc.oneof(fc.jsonValue({ maxDepth: 4 }), fc.constantFrom<unknown>(...NEAR), fc.constant(undefined));
const forgery = fc.record({
  seq: fc.integer({ min: 1, max: 6 }),
  fields: fc.dictionary(fc.constantFrom(...FIELDS, "details", "__proto__", "later"), anything, { maxKeys: 3 }),
  ofChange: fc.dictionary(fc.constantFrom(...OF_CHANGE), anything, { maxKeys: 3 }),
});

describe("a well-hashed entry with anything in it", () => {
  it(
    "never makes anything fail but in words, and files are read and changed all the same",
    async () => {
      const at = await usedWorkspace();
      const { root, segment } = at;
      const mark = join(dirname(segment), "../mark");
      const originals = [segment, mark, join(root, "a"), join(root, "b")].map(
        (path) => [path, readFileSync(path)] as const,
      );
      await fc.assert(
        fc.asyncProperty(forgery, async ({ seq: forged, fields, ofChange }) => {
          for (const [path, bytes] of originals) writeFileSync(path, bytes);
          forge(segment, (entry, seq) => {
            if (seq !== forged) return entry;
            const changes = (entry.changes as object[]).map((change) => ({ ...change, ...ofChange }));
            return { ...entry, changes, ...fields };
          });
          await useAll(at);
        }),
        { numRuns: process.env.STET_HEAVY ? 3000 : 12 },
      );
    },
    process.env.STET_HEAVY ? 900_000 : 60_000,
  );
});

async function useAll(at: Used): Promise<void> {
  const workspace = opened(at);
  const session = workspace.session();
  const name = `new-${process.hrtime.bigint()}`;
  try {
    await session.read("a");
    await session.write("a", `a line of ${name}\n`);
    await session.create(name, "only line of it\n");
    const entries = await all(workspace.log());
    expect(entries.length).toBeGreaterThanOrEqual(7);
    const { problems, entries: count } = await workspace.verify();
    expect(count - entries.length).toBe(problems.length);
    const uses: (() => Promise<unknown>)[] = [
      () => workspace.backend.head("a" as Path),
      () => all(listTrash(workspace)),
      () => openCheckpoints(workspace),
      () => collectGarbage(workspace, { maxVersionsPerPath: 1 }, Date.now(), { dryRun: true }),
      ...[1, 2, 3, 4, 5, 6].map((entry) => () => session.undo({ entry }, { onLaterChanges: "merge", dryRun: true })),
      () => session.undo({ session: session.id }),
      () => session.undo({ sinceSeq: 1 }, { dryRun: true }),
      () => restore(session, "c", { dryRun: true }),
      () => purge(session, "c"),
    ];
    for (const use of uses) await use().catch(onlyRefused);
  } finally {
    await workspace.close();
  }
}

function onlyRefused(error: unknown): void {
  if (!(error instanceof Refusal)) throw error;
}
