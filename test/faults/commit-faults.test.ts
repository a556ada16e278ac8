// Every file-system call of a commit made to fail in turn: afterwards all files are old or all are new, and the journal agrees.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { disk } from "../../src/backends/disk/index.ts";
import { Refusal } from "../../src/kernel/failure.ts";
import { AUTHOR, all, change, path, version } from "../../src/testing/assertions.ts";
import { withFault } from "../support/faults.ts";
import { tempDir } from "../support/temp.ts";

const OLD = { a: "old a", b: "old b" };
const NEW = { a: "new a", "sub/deep/c": "new c" };

describe.each([
  ["full", "EIO"],
  ["full", "ENOSPC"],
  ["fast", "EIO"],
] as const)("durability %s, %s", (durability, code) => {
  it.each([false, true])("each call fails once, then lasting: %s", async (lasting) => {
    const outcomes = { refused: 0, applied: 0 };
    for (let failAt = 1; ; failAt++) {
      const { hit, applied } = await oneRun({ durability, code, lasting, failAt });
      if (hit === undefined) break;
      outcomes[applied ? "applied" : "refused"]++;
    }
    expect(outcomes.refused).toBeGreaterThan(20);
  });
});

async function oneRun({
  durability,
  ...fault
}: {
  durability: "full" | "fast";
  code: "EIO" | "ENOSPC";
  lasting: boolean;
  failAt: number;
}) {
  const root = tempDir();
  for (const [name, text] of Object.entries(OLD)) writeFileSync(join(root, name), text);
  mkdirSync(join(root, "sub"));
  const backend = disk({ root, durability });
  await backend.record({ ...AUTHOR, outcome: "note", changes: [] });
  const changes = [
    change("a", version(OLD.a).sha, version(NEW.a)),
    change("b", version(OLD.b).sha, null),
    change("sub/deep/c", null, version(NEW["sub/deep/c"]), true),
  ];
  const { hit, result } = await withFault(fault, () => backend.commit(changes, AUTHOR));
  const where = `${hit}: ${result.status === "rejected" ? result.reason : "reported as done"}`;
  await backend.close().catch(() => undefined);

  const again = disk({ root, durability });
  await again.record({ ...AUTHOR, outcome: "note", changes: [] });
  const state = stateOf(root);
  const applied = JSON.stringify(state) === JSON.stringify(NEW);
  expect([OLD, NEW], where).toContainEqual(state);
  if (result.status === "fulfilled") expect(applied, where).toBe(true);
  else expect(result.reason, where).toBeInstanceOf(Refusal);
  if (!fault.lasting && result.status === "rejected") expect(applied, where).toBe(false);

  const verified = await again.verify();
  expect(verified.problems, where).toEqual([]);
  const entries = (await all(again.log({ outcomes: ["applied", "aborted"] }))).map(({ outcome }) => outcome);
  expect(entries, where).toEqual(applied ? ["applied"] : []);
  expect((await again.head(path("a")))?.sha ?? null, where).toBe(applied ? version(NEW.a).sha : null);
  expect(readdirSync(join(root, ".stet/pending")), where).toEqual([]);
  if (!fault.lasting) expect(existsSync(join(root, "sub/deep")), where).toBe(applied);
  for (const old of applied ? Object.values(OLD) : [])
    expect(await again.recall(version(old).sha), where).not.toBeNull();
  await again.close();
  return { hit, applied };
}

function stateOf(root: string): Record<string, string> {
  const files = readdirSync(root, { recursive: true, withFileTypes: true }).filter(
    (entry) => entry.isFile() && !entry.parentPath.includes(".stet"),
  );
  const found = files.map((entry) => join(entry.parentPath, entry.name)).sort();
  return Object.fromEntries(found.map((file) => [file.slice(root.length + 1), readFileSync(file, "utf8")]));
}
