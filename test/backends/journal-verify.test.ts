// What verification finds: every way of tampering with a journal, with and without something known from elsewhere.
import fs from "node:fs";
import { describe, expect, it } from "vitest";
import { verifyJournal } from "../../src/backends/disk/journal/verify.ts";
import { verifyLines } from "../../src/backends/journal/chain.ts";
import { GENESIS, parseLine, seal } from "../../src/backends/journal/entry.ts";
import type { EntryDraft, Verification, VerifyOptions } from "../../src/core/backend.ts";
import {
  change,
  filledJournal,
  journalIn,
  linesOf,
  segmentsOf,
  temporaryDirectory,
  writeLines,
} from "./journal-fixture.ts";

/** Changes the lines of an untouched journal of ten entries, and verifies. */
async function tampered(change: (lines: string[]) => string[], options: VerifyOptions = {}): Promise<Verification> {
  const { dir } = filledJournal(10);
  const [file] = segmentsOf(dir);
  writeLines(file!, change(linesOf(file!)));
  return verifyJournal(dir, options);
}

const at = (verification: Verification) => verification.problems.map(({ seq }) => seq);

function resealed(lines: readonly string[], edit: (draft: EntryDraft, seq: number) => EntryDraft): string[] {
  let prev = GENESIS;
  return lines.map((line) => {
    const { seq, at, prev: _, hash: __, ...draft } = parseLine(line);
    const { entry, line: forged } = seal(edit(draft, seq), { seq, at, prev });
    prev = entry.hash;
    return forged;
  });
}

describe("an untouched journal", () => {
  it("verifies, and says where it ends", async () => {
    const { dir, journal } = filledJournal(10);
    const expected = {
      ok: true,
      entries: 10,
      head: { seq: 10, hash: journal.tail.hash },
      problems: [],
      signedHeads: 0,
    };
    expect(await journal.verify()).toEqual(expected);
    expect(verifyLines(linesOf(segmentsOf(dir)[0]!).map((line) => Buffer.from(line)))).toEqual(expected);
  });

  it("verifies when empty", async () => {
    const empty = { ok: true, entries: 0, head: { seq: 0, hash: GENESIS }, problems: [], signedHeads: 0 };
    expect(await verifyJournal(temporaryDirectory())).toEqual(empty);
    expect(await verifyJournal(temporaryDirectory(), { expectedHead: `0:${GENESIS}` })).toEqual(empty);
  });

  it("verifies while another process appends", async () => {
    const { dir, journal } = filledJournal(2000, { segmentBytes: 100_000 });
    const verifying = verifyJournal(dir);
    const appending = setInterval(() => journal.append(change("a", null, "v")));
    const result = await verifying;
    clearInterval(appending);
    expect(result.problems).toEqual([]);
    expect(result.entries).toBeGreaterThanOrEqual(2000);
  });
});

describe("tampering that the chain shows", () => {
  it("a changed entry", async () => {
    const found = await tampered((lines) => lines.with(4, lines[4]!.replace('"s1"', '"s2"')));
    expect(found.problems).toEqual([{ seq: 5, problem: expect.stringContaining("Entry 5 was altered") }]);
  });

  it("a changed entry with a hash to match", async () => {
    const found = await tampered((lines) => {
      const { seq, at, prev, hash: _, ...draft } = parseLine(lines[4]!);
      return lines.with(4, seal({ ...draft, session: "s2" }, { seq, at, prev }).line);
    });
    expect(found.problems).toEqual([{ seq: 6, problem: expect.stringContaining("does not follow") }]);
  });

  it("a removed entry", async () => {
    const found = await tampered((lines) => lines.toSpliced(4, 1));
    expect(found).toMatchObject({ ok: false, entries: 9 });
    expect(found.problems).toEqual([{ seq: 5, problem: expect.stringContaining("Entry 5 is missing") }]);
  });

  it("several removed entries", async () => {
    const found = await tampered((lines) => lines.toSpliced(0, 3));
    expect(found.problems).toEqual([{ seq: 1, problem: expect.stringContaining("Entries 1 to 3 are missing") }]);
  });

  it("two swapped entries", async () => {
    const found = await tampered((lines) => lines.with(4, lines[5]!).with(5, lines[4]!));
    expect(at(found)).toEqual([5, 5]);
    expect(found.problems[1]?.problem).toContain("in the wrong place");
  });

  it("a duplicated entry", async () => {
    const found = await tampered((lines) => lines.toSpliced(5, 0, lines[4]!));
    expect(found.problems).toEqual([{ seq: 5, problem: expect.stringContaining("twice") }]);
  });

  it("an inserted entry", async () => {
    const found = await tampered((lines) => {
      const before = parseLine(lines[4]!);
      const forged = seal(change("x", null, "v"), { seq: 6, at: before.at, prev: before.hash }).line;
      return lines.toSpliced(5, 0, forged);
    });
    expect(at(found)).toEqual([6, 7]);
  });

  it("a line that is no entry, an empty line", async () => {
    expect(at(await tampered((lines) => lines.with(4, "{}")))).toEqual([5]);
    expect(at(await tampered((lines) => lines.toSpliced(4, 0, "")))).not.toEqual([]);
  });

  it("a torn tail", async () => {
    const { dir } = filledJournal(10);
    fs.appendFileSync(segmentsOf(dir)[0]!, '{"seq":11');
    const found = await verifyJournal(dir);
    expect(found.problems).toEqual([{ seq: 11, problem: expect.stringContaining("Torn tail: 9 bytes") }]);
    expect(found.head.seq).toBe(10);
  });

  it("no more than a hundred problems, however many there are", async () => {
    const { dir } = filledJournal(300);
    const [file] = segmentsOf(dir);
    writeLines(
      file!,
      linesOf(file!).map((line) => line.replace('"s1"', '"s2"')),
    );
    expect((await verifyJournal(dir)).problems).toHaveLength(100);
  });
});

describe("tampering with segments", () => {
  const setUp = (): { dir: string; files: string[] } => {
    const { dir } = filledJournal(20, { segmentBytes: 1500 });
    return { dir, files: segmentsOf(dir) };
  };

  it.each([0, 2])("segment %i missing", async (which) => {
    const { dir, files } = setUp();
    fs.unlinkSync(files[which]!);
    const first = Number.parseInt(files[which]!.split("/").at(-1)!, 10);
    const found = await verifyJournal(dir);
    expect(found.problems).toEqual([{ seq: first, problem: expect.stringContaining("missing") }]);
    const journal = journalIn(dir);
    for (const newestFirst of [false, true]) {
      expect(() => [...journal.entries({ newestFirst })]).toThrow(expect.objectContaining({ kind: "journal_damaged" }));
    }
    expect([...journal.entries({ newestFirst: true, limit: 3 })].map(({ seq }) => seq)).toEqual([20, 19, 18]);
  });

  it("the last line of a segment missing, or torn, or followed by the start of another", async () => {
    for (const end of ["missing", "torn", "followed"] as const) {
      const { dir, files } = setUp();
      const lines = linesOf(files[1]!);
      writeLines(files[1]!, end === "followed" ? lines : lines.slice(0, -1));
      if (end !== "missing") fs.appendFileSync(files[1]!, lines.at(-1)!.slice(0, 99));
      expect((await verifyJournal(dir)).ok).toBe(false);
      for (const newestFirst of [false, true]) {
        const reading = () => [...journalIn(dir).entries({ newestFirst })];
        expect(reading).toThrow(expect.objectContaining({ kind: "journal_damaged" }));
      }
    }
  });

  it("an entry moved from one segment to the one before", async () => {
    const { dir, files } = setUp();
    const [moved, ...rest] = linesOf(files[1]!);
    fs.appendFileSync(files[0]!, `${moved}\n`);
    writeLines(files[1]!, rest);
    expect((await verifyJournal(dir)).ok).toBe(false);
  });

  it("a segment copied under another name", async () => {
    const { dir, files } = setUp();
    fs.copyFileSync(files[0]!, `${dir}/${"21".padStart(16, "0")}.jsonl`);
    expect((await verifyJournal(dir)).ok).toBe(false);
  });
});

describe("tampering that only something known from elsewhere shows", () => {
  const cut = (lines: string[]) => lines.slice(0, -3);
  const rewrite = (lines: string[]) =>
    resealed(lines, (draft, seq) => (seq === 4 ? { ...draft, session: "x" } : draft));

  it.each([
    ["a cut tail", cut],
    ["a rewritten log", rewrite],
  ])("%s: unseen by the chain alone, found with an expected head", async (_, forge) => {
    expect((await tampered(forge)).ok).toBe(true);
    for (const form of ["seq and hash", "hash"]) {
      const { dir, journal } = filledJournal(10);
      const { seq, hash } = journal.tail;
      const [file] = segmentsOf(dir);
      writeLines(file!, forge(linesOf(file!)));
      const found = await verifyJournal(dir, { expectedHead: form === "hash" ? hash : `${seq}:${hash}` });
      expect(found.ok).toBe(false);
      expect(found.problems[0]?.problem).toMatch(/cut off|rewritten/);
    }
  });

  it("an expected head that has been passed is no problem", async () => {
    const { journal } = filledJournal(10);
    const { seq, hash } = journal.tail;
    journal.append(change("a", null, "v"));
    expect(await journal.verify({ expectedHead: `${seq}:${hash}` })).toMatchObject({ ok: true, entries: 11 });
    expect((await journal.verify({ expectedHead: hash })).ok).toBe(true);
  });

  it.each(["", "7", "7:abc", "x".repeat(64)])("refuses %j as an expected head", async (expectedHead) => {
    const verifying = verifyJournal(temporaryDirectory(), { expectedHead });
    await expect(verifying).rejects.toMatchObject({ kind: "invalid_input" });
  });
});
