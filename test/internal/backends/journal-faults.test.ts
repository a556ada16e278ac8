// Every file-system call of the journal made to fail in turn: an entry is there or it is not, and the journal goes on.
import fs from "node:fs";
import { describe, expect, it } from "vitest";
import type { Journal } from "../../../src/backends/disk/journal/journal.ts";
import { type Fault, withFault } from "../../support/faults.ts";
import { at, change, filledJournal, journalIn, segmentsOf } from "./journal-fixture.ts";

const faults: Omit<Fault, "failAt">[] = [{ code: "EIO" }, { code: "ENOSPC" }, { code: "EIO", lasting: true }];

const works: [name: string, segmentBytes: number, work: (journal: Journal, dir: string) => void][] = [
  ["an append", 100_000, (journal) => void journal.append(change("a", null, "v"))],
  ["an append that starts a segment", 1000, (journal) => void journal.append(change("a", null, "v"))],
  [
    "an append taken back",
    1000,
    (journal) => {
      journal.append(change("a", null, "v"));
      journal.unappend();
    },
  ],
  [
    "the repair of a torn tail",
    100_000,
    (journal, dir) => {
      if (journal.tornBytes === 0) fs.appendFileSync(segmentsOf(dir).at(-1)!, '{"seq":5,"at"');
      journal.follow();
      journal.append(change("a", null, "v"));
    },
  ],
];

describe.each(works)("%s", (_, segmentBytes, work) => {
  it.each(faults)("survives %j at any call", async (fault) => {
    for (let failAt = 1; ; failAt++) {
      const { dir, journal } = filledJournal(4, { segmentBytes, snapshotEntries: 2 });
      journal.head(at("a"));
      const { hit, result } = await withFault({ ...fault, failAt }, async () => work(journal, dir));
      if (result.status === "rejected") expect(result.reason).toBeInstanceOf(Error);
      if (hit === undefined) expect(result.status).toBe("fulfilled");

      journal.follow();
      journal.append(change("b", null, "w"));
      expect(journal.head(at("b"))?.seq).toBe(journal.tail.seq);
      const reopened = journalIn(dir);
      expect(reopened.tail).toEqual(journal.tail);
      expect(reopened.head(at("a"))).toEqual(journal.head(at("a")));
      expect((await journal.verify()).problems).toEqual([]);
      if (hit === undefined) return;
    }
  });
});
