// States that stet made, and then somebody forged: well-hashed lines of any content.
import { hash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Workspace } from "stet";
import { disk } from "stet/backends/disk";
import { GENESIS } from "stet/backends/parts";
import { markOf } from "../../../src/backends/disk/commit/pending.ts";
import { openRegister, registerDirectory } from "../../../src/backends/disk/trust/register.ts";
import { encode } from "../../../src/backends/journal/entry.ts";
import { directoryWith } from "../../support/workspace.ts";

export interface Used {
  readonly root: string;
  readonly state: string;
  readonly segment: string;
}

/** Six entries: `a` made and written twice, `b` made, `c` made and deleted. */
export async function usedWorkspace(): Promise<Used> {
  const root = directoryWith({});
  const workspace = opened(root);
  const session = workspace.session({ id: "s1" });
  await session.create("a", "first line of a\n");
  await session.write("a", "second line of a\n");
  await session.create("b", "only line of b\n");
  await session.write("a", "third line of a\n");
  await session.create("c", "only line of c\n");
  await session.delete("c");
  await workspace.close();
  forgetHead(root);
  const state = join(root, ".stet");
  return { root, state, segment: join(state, "journal/0000000000000001.jsonl") };
}

/** As if stet had never noted what the journal held: else every forgery of it is refused before it is read. */
export function forgetHead(root: string): void {
  const id = readFileSync(join(root, ".stet/id"), "utf8").trim();
  openRegister(registerDirectory(), { flush: false }).note(id, ({ head: _, ...rest }) => rest);
}

/** Where this state itself would put what a commit with this number has not finished. */
export function pendingPath(root: string, seq: number, n: number, kind: string): string {
  const id = readFileSync(join(root, ".stet/id"), "utf8").trim();
  const { key } = openRegister(registerDirectory(), { flush: false }).find(id)!;
  return join(root, `.stet/pending/${seq}-${n}-${kind}-${markOf(key, seq)}`);
}

export const opened = (root: string): Workspace => new Workspace(disk({ root, durability: "fast", lockMs: 50 }));

export type Forging = (entry: Record<string, unknown>, seq: number) => Record<string, unknown> | string;

/** Every line with the hash that it should have, after the entries were changed. A string is the text of an entry, whole but for its hash. */
export function forge(segment: string, forging: Forging): void {
  const lines = readFileSync(segment, "utf8").split("\n").slice(0, -1);
  let prev: string = GENESIS;
  const forged = lines.map((line) => {
    const { hash: _, ...entry } = JSON.parse(line) as Record<string, unknown>;
    const next = forging({ ...entry, prev }, entry.seq as number);
    const open = (typeof next === "string" ? next : encode(next)).slice(0, -1);
    prev = hash("sha256", open);
    return `${open},"hash":"${prev}"}\n`;
  });
  writeFileSync(segment, forged.join(""));
}
