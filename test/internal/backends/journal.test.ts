import fs from "node:fs";
import { GENESIS } from "stet/backends/parts";
import { describe, expect, it } from "vitest";
import { START } from "../../../src/backends/journal/entry.ts";
import {
  at,
  change,
  filledJournal,
  journalIn,
  linesOf,
  segmentsOf,
  sha,
  temporaryDirectory,
} from "./journal-fixture.ts";

describe("appending", () => {
  it("chains entries from the first one on", () => {
    const journal = journalIn(temporaryDirectory());
    expect(journal.tail).toEqual(START);
    const first = journal.append(change("a", null, "v1"));
    const second = journal.append(change("a", "v1", "v2"));
    expect([first.seq, first.prev, second.seq, second.prev]).toEqual([1, GENESIS, 2, first.hash]);
    expect(journal.tail).toEqual({ seq: 2, hash: second.hash, at: second.at });
    expect([...journal.entries()]).toEqual([first, second]);
  });

  it("goes on where a journal opened earlier stopped", () => {
    const { dir, journal } = filledJournal(5);
    const { tail } = journal;
    journal.close();
    const again = journalIn(dir);
    expect(again.tail).toEqual(tail);
    expect(again.append(change("a", null, "v")).prev).toBe(tail.hash);
  });

  it("starts a new segment when the old one is full, and chains across", async () => {
    const { dir, journal } = filledJournal(20, { segmentBytes: 1500 });
    const files = segmentsOf(dir);
    expect(files.length).toBeGreaterThan(4);
    for (const file of files) expect(fs.statSync(file).size).toBeLessThanOrEqual(1500);
    expect(linesOf(files[1]!)[0]).toContain(`"seq":${Number.parseInt(files[1]!.split("/").at(-1)!, 10)},`);
    expect([...journal.entries()].map(({ seq }) => seq)).toEqual(Array.from({ length: 20 }, (_, i) => i + 1));
    expect(await journal.verify()).toMatchObject({ ok: true, entries: 20, head: { seq: 20, hash: journal.tail.hash } });
  });

  it("takes an entry larger than a segment", async () => {
    const { dir, journal } = filledJournal(2, { segmentBytes: 1000 });
    journal.append({ ...change("a", null, "v"), diff: "x".repeat(600_000) });
    journal.append(change("a", "v", "w"));
    expect(segmentsOf(dir)).toHaveLength(3);
    expect([...journal.entries({ newestFirst: true })].map(({ seq }) => seq)).toEqual([4, 3, 2, 1]);
    expect((await journal.verify()).ok).toBe(true);
  });

  it("says when the directory has to be synced", () => {
    const { journal } = filledJournal(1);
    expect(journal.directoryChanged).toBe(true);
    journal.directorySynced();
    journal.append(change("a", null, "v"));
    expect(journal.directoryChanged).toBe(false);
    fs.fdatasyncSync(journal.fd);
  });

  it("refuses when the journal that it appended to was removed", () => {
    const { dir, journal } = filledJournal(3);
    for (const file of segmentsOf(dir)) fs.unlinkSync(file);
    for (let i = 0; i < 2; i++) {
      expect(() => journal.follow()).toThrow(expect.objectContaining({ kind: "journal_damaged" }));
      expect(() => journal.append(change("a", null, "v"))).toThrow(
        expect.objectContaining({ kind: "journal_damaged" }),
      );
    }
  });
});

describe("taking the last entry back", () => {
  it("leaves no trace of it", async () => {
    const { dir, journal } = filledJournal(3);
    expect(journal.head(at("file-0"))).toEqual({ seq: 3, sha: sha("v3") });
    const { tail } = journal;
    const before = fs.readFileSync(segmentsOf(dir)[0]!);
    journal.append(change("file-0", "v3", "never"));
    journal.unappend();
    expect(fs.readFileSync(segmentsOf(dir)[0]!)).toEqual(before);
    expect(journal.tail).toEqual(tail);
    expect(journal.head(at("file-0"))).toEqual({ seq: 3, sha: sha("v3") });
    expect(journal.append(change("file-0", "v3", "v4")).seq).toBe(4);
    expect((await journal.verify()).ok).toBe(true);
  });

  it("works for the first entry of a segment and of the journal", async () => {
    const { dir, journal } = filledJournal(1, { segmentBytes: 10 });
    journal.append(change("a", null, "v"));
    journal.unappend();
    expect(journal.tail.seq).toBe(1);
    expect(journalIn(dir).tail.seq).toBe(1);
    journal.append(change("a", null, "w"));
    expect(segmentsOf(dir)).toHaveLength(2);
    expect((await journal.verify()).ok).toBe(true);

    const fresh = journalIn(temporaryDirectory());
    fresh.append(change("a", null, "v"));
    fresh.unappend();
    expect(fresh.head(at("a"))).toBeNull();
    expect(fresh.append(change("a", null, "v")).prev).toBe(GENESIS);
  });

  it("works for several that were appended together, also when another process goes on from there", async () => {
    const { dir, journal } = filledJournal(3);
    const { tail } = journal;
    const [first, ...others] = journal.appendTogether(["a", "b", "c", "d"].map((name) => change(name, null, "v")));
    expect(others).toHaveLength(3);
    expect((await journal.verify()).ok).toBe(true);
    journal.unappend(first);
    expect([journal.tail, journalIn(dir).tail]).toEqual([tail, tail]);
    expect(["a", "b", "c", "d"].map((name) => journal.head(at(name)))).toEqual([null, null, null, null]);
    const other = journalIn(dir);
    other.append(change("a", null, "w"));
    journal.follow();
    other.unappend();
    other.append(change("a", null, "x"));
    journal.follow();
    expect(journal.tail).toEqual(other.tail);
    expect((await journal.verify()).ok).toBe(true);
  });

  it("gives no place in another file to what is appended together", () => {
    const { dir, journal } = filledJournal(1, { segmentBytes: 10 });
    const drafts = ["a", "b"].map((name) => change(name, null, "v"));
    expect(journal.appendTogether(drafts).map(({ seq }) => seq)).toEqual([2]);
    expect([journal.tail.seq, segmentsOf(dir).length]).toEqual([2, 2]);
  });

  it("is only for the entry just appended", () => {
    const { journal } = filledJournal(2);
    journal.unappend();
    expect(() => journal.unappend()).toThrow("Only the entry just appended");
  });
});

describe("following another process", () => {
  it("sees what it appended, across segments", () => {
    const { dir, journal: writer } = filledJournal(3, { segmentBytes: 1000 });
    const [cold, warm] = [journalIn(dir), journalIn(dir)];
    expect(warm.head(at("file-0"))).toEqual({ seq: 3, sha: sha("v3") });
    for (let i = 4; i <= 12; i++) writer.append(change("file-0", `v${i - 1}`, `v${i}`));
    for (const reader of [cold, warm]) {
      reader.follow();
      expect(reader.tail).toEqual(writer.tail);
      expect(reader.head(at("file-0"))).toEqual({ seq: 12, sha: sha("v12") });
    }
    expect(warm.append(change("a", null, "v")).seq).toBe(13);
  });

  it("sees the first entry ever", () => {
    const dir = temporaryDirectory();
    const [reader, writer] = [journalIn(dir), journalIn(dir)];
    writer.append(change("a", null, "v"));
    reader.follow();
    expect(reader.tail).toEqual(writer.tail);
  });

  it.each([false, true])("notices that an entry it had read was taken back (heads in memory: %s)", (warm) => {
    const { dir, journal: writer } = filledJournal(3);
    const reader = journalIn(dir);
    if (warm) reader.head(at("a"));
    writer.append(change("a", null, "v1"));
    reader.follow();
    expect(reader.tail.seq).toBe(4);
    writer.unappend();
    writer.append(change("a", null, "v2"));
    reader.follow();
    expect(reader.tail).toEqual(writer.tail);
    expect(reader.head(at("a"))).toEqual({ seq: 4, sha: sha("v2") });
  });
});

describe("the last word on a path", () => {
  it("comes from applied and external entries only", () => {
    const { journal } = filledJournal(0);
    journal.append(change("a", null, "v1"));
    journal.append({ ...change("a", "v1", "no"), outcome: "refused", error: "stale_file" });
    expect(journal.head(at("a"))).toEqual({ seq: 1, sha: sha("v1") });
    journal.append({ ...change("a", "v1", null), outcome: "external" });
    expect(journal.head(at("a"))).toEqual({ seq: 3, sha: null });
    expect(journal.head(at("b"))).toBeNull();
  });

  it("forgets entries that were aborted, also those before the newest snapshot", () => {
    const { dir, journal } = filledJournal(0, { segmentBytes: 1000, snapshotEntries: 4 });
    journal.append(change("a", null, "v1"));
    for (let i = 0; i < 5; i++) journal.append(change("b", null, `w${i}`));
    const lost = [journal.append(change("a", "v1", "v2")), journal.append(change("a", "v2", "v3"))].map(
      ({ seq }) => seq,
    );
    for (let i = 5; i < 10; i++) journal.append(change("b", null, `w${i}`));
    const reader = journalIn(dir);
    journal.append({ session: "s", tool: "recovery", outcome: "aborted", changes: [], of: lost });
    expect(journal.head(at("a"))).toEqual({ seq: 1, sha: sha("v1") });
    expect(reader.head(at("a"))).toEqual({ seq: 8, sha: sha("v3") });
    reader.follow();
    expect(reader.head(at("a"))).toEqual({ seq: 1, sha: sha("v1") });
    expect(journalIn(dir).head(at("a"))).toEqual({ seq: 1, sha: sha("v1") });
  });

  it("does not need the snapshots", () => {
    const { dir, journal } = filledJournal(30, { segmentBytes: 1000, snapshotEntries: 4 });
    const snapshots = fs.readdirSync(dir).filter((name) => name.endsWith(".heads.json"));
    expect(snapshots).toHaveLength(2);
    fs.writeFileSync(`${dir}/${snapshots[0]}`, "{");
    const whole = fs.readFileSync(`${dir}/${snapshots[1]}`, "utf8");
    fs.writeFileSync(`${dir}/${snapshots[1]}`, whole.replace("file-0", "file-9"));
    const reader = journalIn(dir);
    for (const name of ["file-0", "file-1", "file-2", "file-9"]) {
      expect(reader.head(at(name))).toEqual(journal.head(at(name)));
    }
  });
});
