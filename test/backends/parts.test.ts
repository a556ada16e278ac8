// Parts for backends of others: a journal whose lines are stored elsewhere. examples/own-backend.ts is run as a whole.
import { type EntryDraft, generateSigningKeys, type LookedAt } from "stet";
import { createJournal, parseLine, usedSince, verifyLines } from "stet/backends/parts";
import { expect, it } from "vitest";
import { path, refuses, version } from "../support/assertions.ts";

const draft = (text: string): EntryDraft => ({
  session: "s",
  tool: "t",
  outcome: "applied",
  changes: [{ path: path("a"), from: null, to: version(text).sha }],
});

it("goes on from the lines that were stored", () => {
  const lines: string[] = [];
  const store = (line: string): void => void lines.push(line);
  const first = createJournal({ store });
  first.append(draft("1"));
  const { privateKey, publicKey } = generateSigningKeys();
  first.sign(privateKey);
  const second = createJournal({ lines, store });
  expect(second.append(draft("2")).seq).toBe(3);
  expect(second.head(path("a"))).toEqual({ seq: 3, sha: version("2").sha });
  expect([...second.log({ newestFirst: true, limit: 2 })].map(({ seq }) => seq)).toEqual([3, 2]);
  expect(second.verify({ publicKeys: [publicKey] })).toMatchObject({ ok: true, entries: 3, signedHeads: 1 });
  expect(verifyLines(lines.map((line) => Buffer.from(line)))).toMatchObject({ ok: true, entries: 3 });
  expect(parseLine(lines[2]!)).toEqual([...second.log()][2]);
});

it("what cannot be stored, or be an entry, is not in it", async () => {
  const journal = createJournal({
    store: () => {
      throw new Error("no room");
    },
  });
  expect(() => journal.append(draft("1"))).toThrow("no room");
  await refuses("invalid_input", async () => journal.prepare({ ...draft("1"), tool: 7 as unknown as string }));
  expect([...journal.log()]).toEqual([]);
  expect(journal.head(path("a"))).toBeNull();
});

it("lines that were altered are refused", async () => {
  const lines: string[] = [];
  createJournal({ store: (line) => void lines.push(line) }).append(draft("1"));
  await refuses("journal_damaged", async () => createJournal({ lines: [lines[0]!.replace('"t"', '"u"')] }));
});

it("what was used since a look is told by the entries behind the newest one of it", () => {
  const journal = createJournal();
  const newest = journal.append(draft("1"));
  journal.append(draft("2"));
  const used = (sinceSeq: number, looked?: LookedAt) => {
    const since = usedSince(journal.log({ sinceSeq }), looked);
    return ["1", "2", "3"].filter((text) => since.has(version(text).sha));
  };
  expect(used(newest.seq, { newest })).toEqual(["2"]);
  expect(used(1, { newest: null })).toEqual(["1", "2"]);
  expect(used(1)).toEqual([]);
});
