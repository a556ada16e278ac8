// States that stet made, and then somebody forged: well-hashed lines of any content, and things that are no files.
import { execFileSync } from "node:child_process";
import { hash } from "node:crypto";
import { mkdirSync, readFileSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { markOf } from "../../src/backends/disk/commit/pending.ts";
import { disk } from "../../src/backends/disk/index.ts";
import { openRegister, registerDirectory } from "../../src/backends/disk/trust/register.ts";
import { encode, GENESIS } from "../../src/backends/journal/entry.ts";
import { createFile, deleteFile, writeFile } from "../../src/kernel/verbs.ts";
import { Workspace } from "../../src/kernel/workspace.ts";
import { directoryWith } from "./workspace.ts";

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
  await createFile(session, "a", "first line of a\n");
  await writeFile(session, "a", "second line of a\n");
  await createFile(session, "b", "only line of b\n");
  await writeFile(session, "a", "third line of a\n");
  await createFile(session, "c", "only line of c\n");
  await deleteFile(session, "c");
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

/** An entry with `details` nested this deep: more than any serialiser could write. */
export function withDeepDetails(entry: Record<string, unknown>, levels: number): string {
  const { details: _, ...rest } = entry;
  return `${encode(rest).slice(0, -1)},"details":${'{"a":'.repeat(levels)}1${"}".repeat(levels)}}`;
}

export const KINDS = ["a link", "a link to nowhere", "a pipe", "a directory", "a socket", "a device", "20 GB"] as const;

/** In the place of whatever is there. `outside` is where a link leads. */
export async function plant(kind: (typeof KINDS)[number], path: string, outside: string): Promise<() => void> {
  mkdirSync(dirname(path), { recursive: true });
  rmSync(path, { recursive: true, force: true });
  if (kind === "a link") symlinkSync(outside, path);
  if (kind === "a link to nowhere") symlinkSync(`${outside}.not-there`, path);
  if (kind === "a pipe") execFileSync("mkfifo", [path]);
  if (kind === "a directory") mkdirSync(path);
  if (kind === "a device") symlinkSync("/dev/zero", path);
  if (kind === "20 GB") {
    writeFileSync(path, "");
    truncateSync(path, 20 * 2 ** 30);
  }
  if (kind !== "a socket") return () => undefined;
  const server = createServer();
  // A socket has a short path only.
  const directory = process.cwd();
  process.chdir(dirname(path));
  await new Promise<void>((resolve) => server.listen(path.slice(dirname(path).length + 1), resolve));
  process.chdir(directory);
  return () => void server.close();
}
