// Whatever becomes of the files in which a history is kept: no wrong bytes, no wrong story, nothing outside touched or shown, nothing that waits for ever.
import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { type Entry, openWorkspace, Refusal, type Sha, type Workspace } from "stet";
import { beforeAll, describe, expect, it } from "vitest";
import { all, version } from "../support/assertions.ts";
import { tempDir } from "../support/temp.ts";
import { directoryWith } from "../support/workspace.ts";

const SECRET = "the line that nobody may see\n";
const TEXTS = ["first line of a\n", "second line of a\n", "third line of a\n", "only line of c\n"];

interface Used {
  readonly root: string;
  readonly stateDir: string;
}

const opened = ({ root, stateDir }: Used): Workspace =>
  openWorkspace({ root, stateDir, durability: "fast", limits: { lockMs: 200 } });

/** `a` written three times, `c` made and deleted. */
async function used(): Promise<Used> {
  const at = { root: directoryWith({ a: TEXTS[0]! }), stateDir: join(tempDir(), "state") };
  const workspace = opened(at);
  const session = workspace.session({ id: "s1" });
  await session.read("a");
  for (const text of TEXTS.slice(1, 3)) await session.write("a", text);
  await session.create("c", TEXTS[3]!);
  await session.delete("c");
  await workspace.close();
  return at;
}

/** Where its one history lies. */
const historyIn = ({ stateDir }: Used): string => join(stateDir, readdirSync(stateDir)[0]!);

const filesIn = (directory: string): string[] =>
  readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(directory.length + 1))
    .sort();

/** Refused in words, or what it gives. */
async function asked<T>(work: () => Promise<T>): Promise<T | string> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return JSON.stringify(error.failure);
  }
}

const told = (entries: readonly Entry[] | string): unknown =>
  typeof entries === "string" ? entries : entries.map(({ seq, outcome, changes }) => [seq, outcome, changes]);

/** What a history may say after it was tampered with: what it said before, or that it is damaged. Its words are given back. */
async function staysTrue(at: Used, before: readonly Entry[]): Promise<string> {
  const workspace = opened(at);
  try {
    const words: unknown[] = [];
    const verified = await asked(() => workspace.verify());
    const isDamaged = typeof verified === "string" || !verified.ok;
    words.push(isDamaged ? verified : "");
    const log = await asked(() => all(workspace.log()));
    words.push(log);
    if (typeof log !== "string" && !isDamaged) expect(told(log)).toEqual(told(before));
    for (const text of TEXTS) {
      const { sha } = version(text);
      const recalled = await asked(() => workspace.backend.recall(sha as Sha));
      if (recalled === null || typeof recalled === "string") words.push(recalled);
      else expect(Buffer.concat(recalled.parts as Uint8Array[]).toString()).toBe(text);
    }
    const session = workspace.session();
    const read = await asked(() => session.read("a"));
    if (typeof read === "string") words.push(read);
    else expect(read.body).toBe(TEXTS[2]);
    words.push(await asked(() => session.create("d", "only line of d\n")));
    words.push(await asked(() => session.undo({ entry: 2 })));
    const now = readFileSync(join(at.root, "a"), "utf8");
    expect(TEXTS).toContain(now);
    return JSON.stringify(words);
  } finally {
    await asked(() => workspace.close());
  }
}

let before: readonly Entry[];
beforeAll(async () => {
  const workspace = opened(await used());
  before = await all(workspace.log());
  await workspace.close();
  expect(before).toHaveLength(4);
});

describe("every file of a history", () => {
  const flipped = (bytes: Buffer, at: number): Buffer => {
    const changed = Buffer.from(bytes);
    changed[at]! ^= 1;
    return changed;
  };
  const DAMAGES: readonly (readonly [string, (path: string, bytes: Buffer) => void])[] = [
    ["with one bit changed in its middle", (path, bytes) => writeFileSync(path, flipped(bytes, bytes.length >> 1))],
    ["cut in half", (path, bytes) => truncateSync(path, bytes.length >> 1)],
    ["emptied", (path) => truncateSync(path)],
    ["of zeros", (path, bytes) => writeFileSync(path, Buffer.alloc(bytes.length))],
    ["deleted", (path) => rmSync(path)],
    ["with more behind it", (path, bytes) => writeFileSync(path, Buffer.concat([bytes, Buffer.from("{}\n")]))],
  ];

  it.each(DAMAGES)("%s is found or harmless", async (_what, damage) => {
    const names = filesIn(historyIn(await used()));
    expect(names.length).toBeGreaterThan(2);
    for (const name of names) {
      const at = await used();
      const path = join(historyIn(at), name);
      damage(path, readFileSync(path));
      await staysTrue(at, before).catch((error: Error) => expect.fail(`${name}: ${error.message}`));
    }
  });

  const KINDS: readonly (readonly [string, (path: string, outside: string) => void])[] = [
    ["a link", (path, outside) => symlinkSync(outside, path)],
    ["a link to nowhere", (path, outside) => symlinkSync(`${outside}.not-there`, path)],
    ["a pipe", (path) => execFileSync("mkfifo", [path])],
    ["a directory", (path) => mkdirSync(path)],
    [
      "a file of 20 GB",
      (path) => {
        writeFileSync(path, "");
        truncateSync(path, 20 * 2 ** 30);
      },
    ],
  ];

  it.each(KINDS)("that became %s touches and shows nothing outside, and nothing waits for it", async (_what, plant) => {
    for (const name of filesIn(historyIn(await used()))) {
      const at = await used();
      const outside = join(tempDir(), "outside.txt");
      writeFileSync(outside, SECRET);
      const path = join(historyIn(at), name);
      rmSync(path, { force: true });
      plant(path, outside);
      const words = await staysTrue(at, before);
      expect(words, name).not.toContain(SECRET.slice(0, 10));
      expect(readFileSync(outside, "utf8"), name).toBe(SECRET);
      expect(existsSync(`${outside}.not-there`), name).toBe(false);
    }
  });
});
