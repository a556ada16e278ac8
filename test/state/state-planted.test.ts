// Things in the place of the state's files that are no files, or far too large ones: refused in words, nothing outside touched or shown.
import {
  chmodSync,
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
import { describe, expect, it } from "vitest";
import { generateSigningKeys } from "../../src/backends/journal/signed-heads.ts";
import type { Path, Sha } from "../../src/core/backend.ts";
import { Refusal } from "../../src/core/failure.ts";
import { shaOf } from "../../src/core/version.ts";
import { purge } from "../../src/kernel/history/trash/trash.ts";
import { undo } from "../../src/kernel/history/undo/undo.ts";
import { createFile, writeFile } from "../../src/kernel/verbs.ts";
import type { Workspace } from "../../src/kernel/workspace.ts";
import { all } from "../../src/testing/assertions.ts";
import { forge, KINDS, opened, plant, usedWorkspace } from "../support/forged.ts";
import { tempDir } from "../support/temp.ts";

const SECRET = "the line that nobody may see\n";
const FIRST = shaOf([Buffer.from("first line of a\n")]);

function outsideFile(): string {
  const path = join(tempDir(), "outside.txt");
  writeFileSync(path, SECRET);
  return path;
}

/** Everything that uses the state; the words of what was refused. */
async function useAll(workspace: Workspace): Promise<string[]> {
  const session = workspace.session();
  const refused: string[] = [];
  const uses: (() => Promise<unknown>)[] = [
    () => session.read("a"),
    () => all(workspace.log()),
    () => all(workspace.log({ newestFirst: true, limit: 1 })),
    () => workspace.backend.head("a" as Path),
    () => workspace.verify(),
    () => workspace.backend.recall(FIRST),
    () => all(workspace.backend.kept()),
    () => createFile(session, "d", "only line of d\n"),
    () => writeFile(session, "a", "fourth line of a\n"),
    () => undo(session, { entry: 2 }),
    () => purge(session, "c"),
    () => workspace.backend.sign(generateSigningKeys().privateKey),
    () => workspace.backend.forget([FIRST]),
  ];
  for (const use of uses) {
    try {
      await use();
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      refused.push(JSON.stringify(error.failure));
    }
  }
  return refused;
}

const PLACES = [
  "journal/0000000000000001.jsonl",
  "journal/0000000000000007.jsonl",
  "journal/checkpoints.jsonl",
  "journal/0000000000000005.heads.json",
  "lock/lock-kind",
  "lock/held",
  "lock/waiting",
  `objects/${FIRST}`,
];

describe.each(PLACES)("in the place of %s", (place) => {
  it.each(KINDS)("%s is refused in words, or passed over", async (kind) => {
    const { root, state } = await usedWorkspace();
    const outside = outsideFile();
    const clear = await plant(kind, join(state, place), outside);
    const workspace = opened(root);
    const refused = await useAll(workspace);
    await workspace.close();
    clear();
    expect(refused.join("\n")).not.toContain(SECRET.slice(0, 10));
    expect(readFileSync(outside, "utf8")).toBe(SECRET);
    expect(existsSync(`${outside}.not-there`)).toBe(false);
  });
});

describe("a journal", () => {
  it("whose segment is no file is told by verification", async () => {
    const { root, segment } = await usedWorkspace();
    await plant("a link", segment, outsideFile());
    const workspace = opened(root);
    const { problems } = await workspace.verify();
    expect(problems).toEqual([{ seq: 1, problem: expect.stringContaining("is not a regular file") }]);
    await workspace.close();
  });

  it("with a line or a torn end of a gigabyte is refused", async () => {
    const { root, segment } = await usedWorkspace();
    truncateSync(segment, 1_000_000_000);
    const workspace = opened(root);
    await expect(all(workspace.log())).rejects.toMatchObject({
      kind: "journal_damaged",
      failure: { message: expect.stringContaining("far longer") },
    });
    expect((await workspace.verify()).problems).toEqual([{ seq: 1, problem: expect.stringContaining("far longer") }]);
    await workspace.close();
  });

  it("is not signed where the statement cannot be kept beside it", async () => {
    const { root, state } = await usedWorkspace();
    const outside = outsideFile();
    await plant("a link", join(state, "journal/checkpoints.jsonl"), outside);
    const workspace = opened(root);
    const signing = workspace.backend.sign(generateSigningKeys().privateKey);
    await expect(signing).rejects.toMatchObject({ kind: "journal_damaged" });
    expect(await all(workspace.log())).toHaveLength(6);
    const problem = expect.stringContaining("'checkpoints.jsonl' of the state is not a regular file");
    expect((await workspace.verify()).problems).toEqual([{ seq: 0, problem }]);
    await workspace.close();
  });

  it("among names that mean nothing is read as if they were not there", async () => {
    const { root, state } = await usedWorkspace();
    for (const name of ["0000000000000000.jsonl", "9999999999999999.jsonl", "1.jsonl", "x", "9.heads.json"])
      writeFileSync(join(state, "journal", name), "anything\n");
    for (let i = 0; i < 3000; i++) writeFileSync(join(state, "journal", `odd-${i}`), "");
    const workspace = opened(root);
    expect(await all(workspace.log())).toHaveLength(6);
    await createFile(workspace.session(), "d", "only line of d\n");
    expect(await workspace.verify()).toMatchObject({ ok: true, entries: 7 });
    await workspace.close();
  });
});

describe("a snapshot of the last words", () => {
  const lines = (header: unknown, body: unknown): string => {
    const text = JSON.stringify(body);
    return `${JSON.stringify({ ...(header as object), sha256: shaOf([Buffer.from(text)]) })}\n${text}\n`;
  };

  it.each<[string, unknown]>([
    ["leads outside", [["../../victim", 1, FIRST]]],
    ["is of a number", [[5, 1, FIRST]]],
    ["is of no entry", [["a", "1", FIRST]]],
    ["is of an entry that came later", [["a", 5, FIRST]]],
    ["names a version that is a path", [["a", 1, "../../victim"]]],
    ["is null", [null]],
    ["is no list", { a: 1 }],
  ])("in which one %s is passed over", async (_what, body) => {
    const { root, state, segment } = await usedWorkspace();
    const { prev } = JSON.parse(readFileSync(segment, "utf8").split("\n")[4]!) as { prev: string };
    writeFileSync(join(state, "journal/0000000000000005.heads.json"), lines({ seq: 5, prev }, body));
    const workspace = opened(root);
    expect(await workspace.backend.head("a" as Path)).toMatchObject({ seq: 4 });
    expect(await workspace.backend.head("../../victim" as Path)).toBeNull();
    await workspace.close();
  });

  it("is written under a name that nobody can have taken before, and leftovers of others go", async () => {
    const { root, state } = await usedWorkspace();
    const outside = outsideFile();
    for (let seq = 400; seq < 700; seq++)
      symlinkSync(outside, join(state, `journal/${String(seq).padStart(16, "0")}.heads.tmp`));
    const workspace = opened(root);
    await workspace.backend.head("a" as Path);
    const draft = { session: "s1", tool: "t", outcome: "note", changes: [] } as const;
    for (let i = 0; i < 600; i++) await workspace.backend.record(draft);
    await workspace.close();
    expect(readFileSync(outside, "utf8")).toBe(SECRET);
    const names = readdirSync(join(state, "journal")).sort();
    expect(names).toEqual(["0000000000000001.jsonl", expect.stringMatching(/^0000000000000[0-9]{3}\.heads\.json$/)]);
  });
});

describe("the store", () => {
  it("takes nothing for a name that is not a sha256", async () => {
    const { root, state, segment } = await usedWorkspace();
    const victim = join(root, "..", `victim-${process.pid}.txt`);
    writeFileSync(victim, SECRET);
    const name = `../../../victim-${process.pid}.txt` as Sha;
    forge(segment, (entry, seq) => (seq === 6 ? { ...entry, changes: [{ path: "c", from: name, to: null }] } : entry));
    const workspace = opened(root);
    await expect(purge(workspace.session(), "6")).rejects.toMatchObject({ kind: "not_found" });
    expect(await workspace.backend.forget([name])).toEqual({ dropped: 0, bytes: 0 });
    expect(await workspace.backend.recall(name)).toBeNull();
    const version = { sha: name, size: 5, parts: [Buffer.from("other")] };
    await expect(workspace.backend.keep(version)).rejects.toMatchObject({ kind: "invalid_input" });
    expect(readFileSync(victim, "utf8")).toBe(SECRET);
    rmSync(victim);
    expect(readdirSync(join(state, "objects")).every((each) => /^[0-9a-f]{64}$/.test(each))).toBe(true);
    await workspace.close();
  });

  it("keeps a version although something else has its name", async () => {
    const { root, state } = await usedWorkspace();
    const outside = outsideFile();
    // A link is as long as the path that it leads to.
    const bytes = Buffer.from(SECRET.padStart(outside.length, "more of "));
    const sha = shaOf([bytes]);
    symlinkSync(outside, join(state, "objects", sha));
    const workspace = opened(root);
    await workspace.backend.keep({ sha, size: bytes.length, parts: [bytes] });
    writeFileSync(outside, "something else entirely\n");
    expect(Buffer.concat((await workspace.backend.recall(sha))!.parts as Uint8Array[])).toEqual(bytes);
    await workspace.close();
  });

  it("says of a version that is no file, or too large, that it is damaged", async () => {
    for (const kind of ["a link", "a pipe", "a directory", "20 GB"] as const) {
      const { root, state } = await usedWorkspace();
      await plant(kind, join(state, "objects", FIRST), outsideFile());
      const workspace = opened(root);
      await expect(workspace.backend.recall(FIRST)).rejects.toMatchObject({ kind: "not_kept" });
      if (kind !== "20 GB") expect((await all(workspace.backend.kept())).map(({ sha }) => sha)).not.toContain(FIRST);
      await workspace.close();
    }
  });
});

describe("the lock", () => {
  it("never shows more of its kind than a name has, and nothing unprintable", async () => {
    const { root, state } = await usedWorkspace();
    writeFileSync(join(state, "lock/lock-kind"), `\u001b[2J\u202e${"k".repeat(300)}${SECRET}`);
    const workspace = opened(root);
    const refused = await createFile(workspace.session(), "d", "d").catch((error: Refusal) => error);
    expect(refused).toMatchObject({ kind: "unsupported" });
    const text = JSON.stringify((refused as Refusal).failure);
    expect(text).not.toMatch(/[\u001b\u202e]|k{30}|nobody/);
    await workspace.close();
  });

  it.concurrent.for<[string, (outside: string) => unknown]>([
    ["a path", (outside) => `x/../../../../${outside.split("/").at(-1)}/made`],
    ["a name that is taken", () => "x"],
    ["letters that no nonce has", () => "A".repeat(16)],
    ["a number", () => 5],
  ])("of which the holder has %s for a nonce makes no file of that name", async ([, nonceFor], { expect }) => {
    const { root, state } = await usedWorkspace();
    const outside = tempDir();
    writeFileSync(join(state, "lock/lock-kind"), "link\n");
    mkdirSync(join(state, "lock/dead-x"));
    const owner = { pid: 1, thread: 1, start: "1", boot: "another", pidNamespace: "x" };
    writeFileSync(join(state, "lock/held"), JSON.stringify({ ...owner, nonce: nonceFor(outside) }));
    chmodSync(join(state, "lock"), 0o700);
    const workspace = opened(root);
    await expect(createFile(workspace.session(), "d", "d")).rejects.toMatchObject({ kind: "busy" });
    await workspace.close();
    expect(readdirSync(outside)).toEqual([]);
  });

  it("of which the rights to replace a dead holder go round in circles is held, and nothing runs out", async () => {
    const { root, state } = await usedWorkspace();
    writeFileSync(join(state, "lock/lock-kind"), "link\n");
    const [one, two] = ["1".repeat(16), "2".repeat(16)] as const;
    const ownedBy = (nonce: string): string =>
      JSON.stringify({ pid: 1, thread: 1, start: "1", boot: "another", pidNamespace: "x", nonce });
    writeFileSync(join(state, "lock/held"), ownedBy(one));
    writeFileSync(join(state, `lock/dead-${one}`), ownedBy(two));
    writeFileSync(join(state, `lock/dead-${two}`), ownedBy(one));
    const workspace = opened(root);
    await expect(createFile(workspace.session(), "d", "d")).rejects.toMatchObject({ kind: "busy" });
    await workspace.close();
  });
});
