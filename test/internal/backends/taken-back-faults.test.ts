// An entry that its writer takes back while another process reads the journal without the lock: no damage.
import fs, { readFileSync, truncateSync } from "node:fs";
import { join } from "node:path";
import type { Backend } from "stet";
import { disk } from "stet/backends/disk";
import { afterEach, describe, expect, it, vi } from "vitest";
import { all, path, refuses, write } from "../../support/assertions.ts";
import { tempDir } from "../../support/temp.ts";

afterEach(() => vi.restoreAllMocks());

/** A journal of three entries, and somebody who has followed it. */
async function followed(): Promise<{ reader: Backend; journal: string }> {
  const root = tempDir();
  const writer = disk({ root, durability: "fast" });
  for (const text of ["one", "two", "three"]) await write(writer, "a", text);
  const reader = disk({ root, durability: "fast" });
  await reader.head(path("other"));
  return { reader, journal: join(root, ".stet/journal/0000000000000001.jsonl") };
}

/** As the writer does it, at the moment at which the reader opens the segment to read it. */
function takeBackWhenRead(journal: string, cut: (text: string) => number): void {
  const open = fs.openSync;
  let isDone = false;
  vi.spyOn(fs, "openSync").mockImplementation((at, ...how) => {
    if (!isDone && String(at).endsWith("0000000000000001.jsonl")) {
      isDone = true;
      truncateSync(journal, cut(readFileSync(journal, "utf8")));
    }
    return open(at, ...how);
  });
}

const lastLine = (text: string): number => text.lastIndexOf("\n", text.length - 2) + 1;

describe.each([true, false])("newest first: %s", (newestFirst) => {
  it("the log is read without it", async () => {
    const { reader, journal } = await followed();
    takeBackWhenRead(journal, lastLine);
    const seqs = (await all(reader.log({ newestFirst }))).map(({ seq }) => seq);
    expect(seqs.sort()).toEqual([1, 2]);
  });

  it("what is damaged under the lock too is refused", async () => {
    const { reader, journal } = await followed();
    takeBackWhenRead(journal, () => 0);
    fs.writeFileSync(`${journal.slice(0, -22)}0000000000000003.jsonl`, "");
    await refuses("journal_damaged", () => all(reader.log({ newestFirst })));
  });
});
