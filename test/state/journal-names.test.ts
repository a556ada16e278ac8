// The last segment of a journal, and its name: entries that lie before the first that it can hold are not its own.
import { renameSync } from "node:fs";
import { expect, it } from "vitest";
import { openJournal } from "../../src/backends/disk/journal/journal.ts";
import { segmentPath } from "../../src/backends/disk/journal/segment.ts";
import { filledJournal, segmentsOf } from "../backends/journal-fixture.ts";

it("a last segment named 7 that ends with entry 3 is refused", () => {
  const { dir, journal } = filledJournal(3);
  journal.close();
  const reopened = openJournal(dir, {});
  expect(reopened.tail.seq).toBe(3);
  reopened.close();
  renameSync(segmentsOf(dir)[0]!, segmentPath(dir, 7));
  expect(() => openJournal(dir, {})).toThrow(
    expect.objectContaining({ kind: "journal_damaged", message: expect.stringContaining("last entry") }),
  );
});
