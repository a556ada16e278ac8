import fs from "node:fs";
import path from "node:path";
import type { EntryDraft, LogFilter } from "stet";
import { describe, expect, it } from "vitest";
import { change, journalIn, linesOf, segmentsOf, sha, temporaryDirectory, writeLines } from "./journal-fixture.ts";

const KEY = "a".repeat(64);
const SMALL = { segmentBytes: 4000, key: KEY };
const RARE = [7, 40, 77];

/** Entries of agent "often", and three of "rare", each in a segment of its own, that delete a file. */
function journalWithRare(options = SMALL): string {
  const dir = temporaryDirectory();
  const journal = journalIn(dir, options);
  for (let seq = 1; seq <= 100; seq++) journal.append(draftOf(seq));
  journal.close();
  expect(segmentsOf(dir).length).toBeGreaterThan(8);
  return dir;
}

function draftOf(seq: number): EntryDraft {
  const rare = RARE.includes(seq);
  return { ...change(`file-${seq % 9}`, `v${seq}`, rare ? null : `v${seq + 1}`), agent: rare ? "rare" : "often" };
}

const seqs = (dir: string, filter: LogFilter, key = KEY): number[] =>
  [...journalIn(dir, { ...SMALL, key }).entries(filter)].map(({ seq }) => seq);

/** Turns the lines of segments without a rare entry into something that no reader passes. */
function breakOthers(dir: string): number {
  const others = segmentsOf(dir)
    .slice(0, -1)
    .filter((file) => !fs.readFileSync(file, "utf8").includes('"rare"'));
  for (const file of others)
    writeLines(
      file,
      linesOf(file).map((line, n, all) => (n === all.length - 1 ? line : line.replace('{"seq"', '{"sqe"'))),
    );
  return others.length;
}

const indexes = (dir: string): string[] =>
  fs
    .readdirSync(dir)
    .filter((name) => /\.(?:index|uses)$/.test(name))
    .sort();

describe("an index of a closed segment", () => {
  it("is made when the next one is started, and spares reading segments without an answer", () => {
    const dir = journalWithRare();
    expect(indexes(dir).length).toBe((segmentsOf(dir).length - 1) * 2);
    expect(breakOthers(dir)).toBeGreaterThan(3);
    expect(seqs(dir, { agent: "rare" })).toEqual(RARE);
    expect(seqs(dir, { only: "trash", newestFirst: true })).toEqual(RARE.toReversed());
    expect(seqs(dir, { outcomes: ["aborted"] })).toEqual([]);
    expect(() => seqs(dir, {})).toThrow("not in its place");
  });

  it("spares them too when versions are asked for", async () => {
    const dir = journalWithRare();
    breakOthers(dir);
    const used: unknown[] = [];
    for await (const use of journalIn(dir, SMALL).uses(new Set([sha("v40")]))) used.push(use);
    expect(used).toMatchObject([
      { seq: 39, path: "file-3" },
      { seq: 40, path: "file-4" },
    ]);
  });

  it("is made by the first question where it is missing, and not without the key", () => {
    const dir = journalWithRare();
    const made = indexes(dir);
    for (const name of made) fs.rmSync(path.join(dir, name));
    const { key: _, ...keyless } = SMALL;
    expect([...journalIn(dir, keyless).entries({ agent: "rare" })].length).toBe(3);
    expect(indexes(dir)).toEqual([]);
    expect(seqs(dir, { agent: "rare" })).toEqual(RARE);
    expect(indexes(dir)).toEqual(made);
  });

  it("is not believed when somebody else made it, or of other entries", () => {
    const dir = journalWithRare();
    const others = temporaryDirectory();
    const forged = journalIn(others, { ...SMALL, key: "b".repeat(64) });
    for (let seq = 1; seq <= 100; seq++) forged.append({ ...draftOf(seq), agent: "often" });
    for (const name of indexes(dir)) fs.copyFileSync(path.join(others, name), path.join(dir, name));
    expect(seqs(dir, { agent: "rare" })).toEqual(RARE);

    const alike = temporaryDirectory();
    const known = journalIn(alike, SMALL);
    for (let seq = 1; seq <= 100; seq++) known.append({ ...draftOf(seq), agent: "none" });
    for (const name of indexes(dir)) fs.copyFileSync(path.join(alike, name), path.join(dir, name));
    expect(seqs(dir, { agent: "rare" })).toEqual(RARE);
  });

  it("does not let an altered entry pass for what it was", () => {
    const dir = journalWithRare();
    for (const file of segmentsOf(dir))
      writeLines(
        file,
        linesOf(file).map((line) => line.replace('"to":null', '"to":nul1')),
      );
    expect(() => seqs(dir, { agent: "rare" })).toThrow(/was altered/);
  });

  it("is done without where it cannot be kept", () => {
    const dir = journalWithRare();
    for (const name of indexes(dir)) {
      fs.rmSync(path.join(dir, name));
      fs.mkdirSync(path.join(dir, name));
    }
    expect(seqs(dir, { agent: "rare" })).toEqual(RARE);
    expect(seqs(dir, { only: "trash" })).toEqual(RARE);
  });
});
