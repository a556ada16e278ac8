// One commit of three files on a disk that fails at a given call, and what must hold afterwards.
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Refusal } from "stet";
import { disk } from "stet/backends/disk";
import { expect } from "vitest";
import { AUTHOR, all, change, inEffect, path, version } from "./assertions.ts";
import { type Fault, withFault } from "./faults.ts";
import { tempDir } from "./temp.ts";

const OLD = { a: "old a", b: "old b" };
const NEW = { a: "new a", "sub/deep/c": "new c" };

export interface FaultyRun {
  readonly durability: "full" | "fast";
  readonly commit: Fault;
  /** A second fault, while the next process recovers. */
  readonly recovery?: Fault;
}

/** `hit`, `hitAgain`: the calls that failed; undefined when there were not that many. */
export async function faultyCommit({ durability, commit, recovery }: FaultyRun) {
  const root = tempDir();
  for (const [name, text] of Object.entries(OLD)) writeFileSync(join(root, name), text);
  mkdirSync(join(root, "sub"));
  const backend = disk({ root, durability });
  await backend.record({ ...AUTHOR, outcome: "note", changes: [] });
  const changes = [
    change("a", version(OLD.a).sha, version(NEW.a)),
    change("b", version(OLD.b).sha, null),
    change("sub/deep/c", null, version(NEW["sub/deep/c"], 0o755), true),
  ];
  const { hit, result } = await withFault(commit, () => backend.commit(changes, AUTHOR));
  await backend.close().catch(() => undefined);
  const hitAgain = recovery === undefined ? undefined : await recoverUnder(recovery, root, durability);
  const where = `${hit}, then ${hitAgain}: ${result.status === "rejected" ? result.reason : "reported as done"}`;

  const again = disk({ root, durability });
  await again.record({ ...AUTHOR, outcome: "note", changes: [] });
  const state = stateOf(root);
  const applied = JSON.stringify(state) === JSON.stringify(NEW);
  expect([OLD, NEW], where).toContainEqual(state);
  if (applied) expect(statSync(join(root, "sub/deep/c")).mode & 0o111, where).not.toBe(0);
  if (result.status === "fulfilled") expect(applied, where).toBe(true);
  else expect(result.reason, where).toBeInstanceOf(Refusal);
  if (!commit.lasting && result.status === "rejected") expect(applied, where).toBe(false);

  expect((await again.verify()).problems, where).toEqual([]);
  const entries = inEffect(await all(again.log({ outcomes: ["applied", "aborted"] }))).map(({ outcome }) => outcome);
  expect(entries, where).toEqual(applied ? ["applied"] : []);
  expect((await again.head(path("a")))?.sha ?? null, where).toBe(applied ? version(NEW.a).sha : null);
  if (!commit.lasting) expect(existsSync(join(root, "sub/deep")), where).toBe(applied);
  for (const old of applied ? Object.values(OLD) : [])
    expect(await again.recall(version(old).sha), where).not.toBeNull();
  await again.close();
  return { hit, hitAgain, applied };
}

async function recoverUnder(fault: Fault, root: string, durability: "full" | "fast"): Promise<string | undefined> {
  const second = disk({ root, durability });
  const { hit } = await withFault(fault, () => second.record({ ...AUTHOR, outcome: "note", changes: [] }));
  await second.close().catch(() => undefined);
  return hit;
}

function stateOf(root: string): Record<string, string> {
  const files = readdirSync(root, { recursive: true, withFileTypes: true }).filter(
    (entry) => entry.isFile() && !entry.parentPath.includes(".stet"),
  );
  const found = files.map((entry) => join(entry.parentPath, entry.name)).sort();
  return Object.fromEntries(found.map((file) => [file.slice(root.length + 1), readFileSync(file, "utf8")]));
}
