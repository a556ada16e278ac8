// The end of a journal after a crash or a failed write: nothing whole is lost, nothing half stays.
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import { describe, expect, it } from "vitest";
import {
  change,
  filledJournal,
  journalIn,
  linesOf,
  segmentsOf,
  temporaryDirectory,
  writeLines,
} from "./journal-fixture.ts";

describe("a torn last line", () => {
  it("is moved aside and noted, wherever it was cut", async () => {
    const { dir, journal } = filledJournal(2);
    journal.append({ session: "s", tool: "t", outcome: "note", changes: [] });
    const file = segmentsOf(dir)[0]!;
    const whole = fs.readFileSync(file);
    const lastLine = linesOf(file)[2]!.length + 1;
    const before = [...journal.entries({ untilSeq: 2 })];
    journal.close();
    for (let kept = 1; kept < lastLine; kept++) {
      const torn = whole.subarray(whole.length - lastLine, whole.length - lastLine + kept);
      fs.writeFileSync(file, whole.subarray(0, whole.length - lastLine + kept));
      const damaged = journalIn(dir);
      expect(damaged.tail.seq).toBe(2);
      expect(damaged.tornBytes).toBe(kept);
      const note = damaged.repairTail();
      expect(note).toMatchObject({ seq: 3, outcome: "note", tool: "recovery", details: { bytes: kept } });
      expect(fs.readFileSync(`${dir}/${note?.details?.file}`)).toEqual(torn);
      expect([...damaged.entries({ untilSeq: 2 })]).toEqual(before);
      expect(damaged.repairTail()).toBeNull();
      damaged.close();
      fs.unlinkSync(`${dir}/${note?.details?.file}`);
    }
    expect(await journalIn(dir).verify()).toMatchObject({ ok: true, entries: 3 });
  });

  it("of zeros is moved aside too", () => {
    const { dir, journal } = filledJournal(3);
    journal.close();
    fs.appendFileSync(segmentsOf(dir)[0]!, Buffer.alloc(40_000));
    expect(journalIn(dir).repairTail()).toMatchObject({ seq: 4, details: { bytes: 40_000 } });
  });

  it("in a segment just started leaves the segment before as the end", async () => {
    const { dir, journal } = filledJournal(2, { segmentBytes: 10 });
    journal.close();
    fs.writeFileSync(`${dir}/${"3".padStart(16, "0")}.jsonl`, '{"seq":3,');
    const damaged = journalIn(dir);
    expect(damaged.tail.seq).toBe(2);
    expect(damaged.append(change("a", null, "v")).seq).toBe(4);
    expect([...damaged.entries()].map(({ tool }) => tool)).toEqual(["edit", "edit", "recovery", "edit"]);
    expect((await damaged.verify()).ok).toBe(true);
  });

  it("is repaired by the next append of a process that was there before the crash", async () => {
    const { dir, journal } = filledJournal(3);
    fs.appendFileSync(segmentsOf(dir)[0]!, '{"seq":4,"at"');
    journal.follow();
    expect(journal.tail.seq).toBe(3);
    expect(journal.append(change("a", null, "v")).seq).toBe(5);
    expect((await journal.verify()).ok).toBe(true);
  });

  it("seen without the lock may be a line under way: repair looks again before it moves anything", () => {
    const { dir, journal: writer } = filledJournal(3);
    const file = segmentsOf(dir)[0]!;
    const line = linesOf(file)[2]!;
    writeLines(file, linesOf(file).slice(0, 2));
    fs.appendFileSync(file, line.slice(0, 50));
    const reader = journalIn(dir);
    expect(reader.tornBytes).toBe(50);
    fs.appendFileSync(file, `${line.slice(50)}\n`);
    expect(reader.repairTail()).toBeNull();
    expect(reader.tail).toEqual(writer.tail);
  });
});

describe("a damaged last line", () => {
  it("is not taken for a torn one", () => {
    const { dir, journal } = filledJournal(3);
    journal.close();
    const file = segmentsOf(dir)[0]!;
    const text = fs.readFileSync(file, "utf8");
    fs.writeFileSync(file, text.replace(/"v":|"s1"(?!.*"s1")/s, '"s2"'));
    const before = fs.readFileSync(file);
    expect(() => journalIn(dir)).toThrow(expect.objectContaining({ kind: "journal_damaged" }));
    expect(fs.readFileSync(file)).toEqual(before);
  });

  it("is told while following", () => {
    const { dir, journal } = filledJournal(3);
    fs.appendFileSync(segmentsOf(dir)[0]!, "{}\n");
    expect(() => journal.follow()).toThrow(expect.objectContaining({ kind: "journal_damaged" }));
  });
});

describe("a write that does not fit", () => {
  // Node ignores SIGXFSZ, so under a limit on file size a write ends short and the next one fails, as on a full disk.
  it("is refused and leaves the journal as it was", async () => {
    const dir = temporaryDirectory();
    const script = `
      const { openJournal } = await import(${JSON.stringify(new URL("../../../dist/backends/disk/journal/journal.js", import.meta.url).href)});
      const journal = openJournal(process.argv[1]);
      const draft = { session: "s", tool: "t", outcome: "applied", changes: [] };
      for (let i = 0; i < 3; i++) journal.append(draft);
      let refused;
      try { journal.append({ ...draft, diff: "x".repeat(100_000) }); } catch (error) { refused = error.kind; }
      const after = journal.append(draft);
      process.stdout.write(JSON.stringify({ refused, seq: after.seq, torn: journal.tornBytes }));
    `;
    const { stdout, stderr } = spawnSync(
      "sh",
      ["-c", 'ulimit -f 64; exec "$@"', "sh", process.execPath, "--input-type=module", "-e", script, dir],
      { encoding: "utf8" },
    );
    expect(stderr).toBe("");
    expect(JSON.parse(stdout)).toEqual({ refused: "disk_full", seq: 4, torn: 0 });
    expect(await journalIn(dir).verify()).toMatchObject({ ok: true, entries: 4 });
  });
});
