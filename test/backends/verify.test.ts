// What verification finds: every way of tampering with a journal, with and without something known from elsewhere.
import { createPublicKey, hash } from "node:crypto";
import { type EntryDraft, generateSigningKeys, type Sha, type Verification, type VerifyOptions } from "stet";
import { createJournal, GENESIS, parseLine, seal, verifyLines } from "stet/backends/parts";
import { describe, expect, it } from "vitest";
import { path, version } from "../support/assertions.ts";

const draft = (name: string, text: string): EntryDraft => ({
  session: "s1",
  tool: "edit",
  outcome: "applied",
  changes: [{ path: path(name), from: null, to: version(text).sha }],
});

/** The lines of a journal of so many entries, and the journal. */
function journalOf(count: number) {
  const lines: string[] = [];
  const journal = createJournal({ store: (line) => void lines.push(line) });
  for (let n = 1; n <= count; n++) journal.append(draft(`file-${n % 3}`, `v${n}`));
  return { lines, journal };
}

const verified = (lines: readonly string[], options?: VerifyOptions): Verification =>
  verifyLines(
    lines.map((line) => Buffer.from(line)),
    options,
  );
const tampered = (change: (lines: string[]) => string[], options?: VerifyOptions) =>
  verified(change(journalOf(10).lines), options);
const seqsOf = ({ problems }: Verification) => problems.map(({ seq }) => seq);

/** Every line with the hash that it should have after `edit`. A string is the text of an entry, whole but for its hash. */
function resealed(lines: readonly string[], edit: (entry: Record<string, unknown>, seq: number) => object | string) {
  let prev: string = GENESIS;
  return lines.map((line) => {
    const { hash: _, ...entry } = JSON.parse(line) as Record<string, unknown>;
    const next = edit({ ...entry, prev }, entry.seq as number);
    const open = (typeof next === "string" ? next : JSON.stringify(next)).slice(0, -1);
    prev = hash("sha256", open);
    return `${open},"hash":"${prev}"}`;
  });
}

describe("tampering that the chain shows", () => {
  it("is none in an untouched journal", () => {
    const { lines, journal } = journalOf(10);
    const head = parseLine(lines[9]!);
    const whole = { ok: true, entries: 10, head: { seq: 10, hash: head.hash }, problems: [], signedHeads: 0 };
    expect(verified(lines)).toEqual(whole);
    expect(journal.verify()).toEqual(whole);
    expect(verified([], { expectedHead: `0:${GENESIS}` })).toMatchObject({ ok: true, entries: 0 });
  });

  it.each<[string, (lines: string[]) => string[], readonly number[], RegExp]>([
    ["a changed entry", (lines) => lines.with(4, lines[4]!.replace('"s1"', '"s2"')), [5], /Entry 5 was altered/],
    ["a removed entry", (lines) => lines.toSpliced(4, 1), [5], /Entry 5 is missing/],
    ["several removed entries", (lines) => lines.toSpliced(0, 3), [1], /Entries 1 to 3 are missing/],
    ["two swapped entries", (lines) => lines.with(4, lines[5]!).with(5, lines[4]!), [5, 5], /wrong place/],
    ["a duplicated entry", (lines) => lines.toSpliced(5, 0, lines[4]!), [5], /twice/],
    ["a line that is no entry", (lines) => lines.with(4, "{}"), [5], /not readable/],
    [
      "a changed entry with a hash to match",
      (lines) => {
        const { seq, at, prev, hash: _, ...entry } = parseLine(lines[4]!);
        return lines.with(4, seal({ ...entry, session: "s2" }, { seq, at, prev }).line);
      },
      [6],
      /does not follow/,
    ],
    [
      "an inserted entry",
      (lines) => {
        const before = parseLine(lines[4]!);
        return lines.toSpliced(5, 0, seal(draft("x", "v"), { seq: 6, at: before.at, prev: before.hash }).line);
      },
      [6, 7],
      /./,
    ],
  ])("%s", (_what, change, seqs, words) => {
    const found = tampered(change);
    expect([found.ok, seqsOf(found)]).toEqual([false, seqs]);
    expect(found.problems.map(({ problem }) => problem).join(" ")).toMatch(words);
  });

  it("tells no more than a hundred problems, however many there are", () => {
    const found = verified(journalOf(300).lines.map((line) => line.replace('"s1"', '"s2"')));
    expect(found.problems).toHaveLength(100);
  });
});

describe("an entry that chains and is none otherwise", () => {
  type Entry = Record<string, unknown>;
  const changed = (entry: Entry, fields: Entry): Entry => ({
    ...entry,
    changes: (entry.changes as Entry[]).map((change) => ({ ...change, ...fields })),
  });
  const withDeepDetails = (entry: Entry, levels: number): string =>
    `${JSON.stringify(entry).slice(0, -1)},"details":${'{"a":'.repeat(levels)}1${"}".repeat(levels)}}`;
  const FORGINGS: readonly (readonly [what: string, forging: (entry: Entry) => Entry | string])[] = [
    ["a change that is null", (entry) => ({ ...entry, changes: [null] })],
    ["changes that are no list", (entry) => ({ ...entry, changes: { 0: {} } })],
    ["a change without a path", (entry) => ({ ...entry, changes: [{ from: null, to: null }] })],
    ["a path that leads up", (entry) => changed(entry, { path: "../../victim" })],
    ["an absolute path", (entry) => changed(entry, { path: "/etc/passwd" })],
    ["the root as a path", (entry) => changed(entry, { path: "" })],
    ["half a character in a path", (entry) => changed(entry, { path: "a\ud800" })],
    ["a path longer than any", (entry) => changed(entry, { path: "x/".repeat(5000).slice(0, -1) })],
    ["a path that is a number", (entry) => changed(entry, { path: 5 })],
    ["a move from above", (entry) => changed(entry, { movedFrom: "a/../../b" })],
    ["a version that is a path", (entry) => changed(entry, { from: "../../../victim.txt" })],
    ["a version that is left out", (entry) => changed(entry, { to: undefined })],
    ["a size below nothing", (entry) => changed(entry, { toSize: -1 })],
    ["a mode that is a text", (entry) => changed(entry, { toMode: "0644" })],
    ["a mode that no file has", (entry) => changed(entry, { toMode: 2 ** 40 })],
    ["a mode of a link that is almost that of links", (entry) => changed(entry, { toMode: 0o120777 })],
    ["a mode with the kind of a file", (entry) => changed(entry, { fromMode: 0o100644 })],
    ["a proof that is a list", (entry) => changed(entry, { proof: [] })],
    ["of that is a number", (entry) => ({ ...entry, of: 5 })],
    ["of with a text in it", (entry) => ({ ...entry, of: ["1"] })],
    ["of with a zero in it", (entry) => ({ ...entry, of: [0] })],
    ["details of 100,000 levels", (entry) => withDeepDetails(entry, 100_000)],
    ["details that are a list", (entry) => ({ ...entry, details: [] })],
    ["a time with an escape in it", (entry) => ({ ...entry, at: "\u001b[2J2026-01-31T12:00:00Z" })],
    ["a day that does not exist", (entry) => ({ ...entry, at: "2026-02-30T12:00:00.000Z" })],
    ["a time without its end", (entry) => ({ ...entry, at: "2026-02-20T12:00:00" })],
    ["an outcome of its own", (entry) => ({ ...entry, outcome: "approved" })],
    ["a session that is a number", (entry) => ({ ...entry, session: 5 })],
    ["an agent that is an object", (entry) => ({ ...entry, agent: {} })],
    ["a tool of a million characters", (entry) => ({ ...entry, tool: "t".repeat(1_000_000) })],
    ["a call that is null", (entry) => ({ ...entry, call: null })],
    ["a message that is a list", (entry) => ({ ...entry, message: ["x"] })],
    ["an error that is a sentence", (entry) => ({ ...entry, error: "no such thing" })],
  ];

  it.each(FORGINGS)("is told: %s", (_what, forging) => {
    const lines = resealed(journalOf(6).lines, (entry, seq) => (seq === 3 ? forging(entry) : entry));
    const problems = [{ seq: 3, problem: expect.stringMatching(/^Entry 3 has a "/) }];
    expect(verified(lines)).toMatchObject({ ok: false, entries: 6, head: { seq: 6 }, problems });
  });

  it("is none of which only something is unknown here", () => {
    const lines = resealed(journalOf(6).lines, (entry) => changed({ ...entry, later: ["thing"] }, { owner: "x" }));
    expect(verified(lines)).toMatchObject({ ok: true, entries: 6 });
  });
});

describe("tampering that only something known from elsewhere shows", () => {
  const cut = (lines: string[]) => lines.slice(0, -3);
  const rewrite = (lines: string[]) =>
    resealed(lines, (entry, seq) => (seq === 4 ? { ...entry, session: "x" } : entry));

  it.each([
    ["a cut tail", cut],
    ["a rewritten log", rewrite],
  ])("%s: unseen by the chain alone, found with an expected head", (_, forge) => {
    const { lines } = journalOf(10);
    const { seq, hash: head } = parseLine(lines[9]!);
    expect(verified(forge(lines)).ok).toBe(true);
    for (const expectedHead of [`${seq}:${head}`, head]) {
      const found = verified(forge(lines), { expectedHead });
      expect(found.ok).toBe(false);
      expect(found.problems[0]?.problem).toMatch(/cut off|rewritten/);
    }
  });

  it("an expected head that has been passed is no problem, and one that is none is refused", () => {
    const { lines, journal } = journalOf(10);
    const { seq, hash: head } = parseLine(lines[9]!);
    journal.append(draft("a", "v"));
    for (const expectedHead of [`${seq}:${head}`, head])
      expect(verified(lines, { expectedHead })).toMatchObject({ ok: true, entries: 11 });
    for (const expectedHead of ["", "7", "7:abc", "x".repeat(64)])
      expect(() => verified(lines, { expectedHead })).toThrow(expect.objectContaining({ kind: "invalid_input" }));
  });
});

describe("signed heads", () => {
  const [keys, others] = [generateSigningKeys(), generateSigningKeys()];
  const publicKeys = [keys.publicKey];

  /** Five entries, signed; one more, signed. */
  function signed() {
    const { lines, journal } = journalOf(5);
    const first = journal.sign(keys.privateKey);
    journal.append(draft("a", "v"));
    return { lines, journal, first, second: journal.sign(keys.privateKey) };
  }

  it("are one line of text each, and count for those who have the key, in any form", () => {
    const { lines, first, second } = signed();
    expect(first.text).toMatch(/^stet1:5:[0-9a-f]{64}:[\dT:.-]+Z:[\w-]+$/);
    expect(second.entry).toMatchObject({ seq: 8, outcome: "note" });
    const raw = Buffer.from(createPublicKey(keys.publicKey).export({ format: "jwk" }).x!, "base64url");
    for (const key of [keys.publicKey, raw.toString("hex"), raw.toString("base64"), raw.toString("base64url")])
      expect(verified(lines, { publicKeys: [others.publicKey, key] })).toMatchObject({ ok: true, signedHeads: 2 });
    expect(verified(lines)).toMatchObject({ ok: true, signedHeads: 0 });
    expect(verified(lines, { publicKeys: [others.publicKey] }).ok).toBe(false);
    for (const key of ["", "abc", "abc".repeat(99)])
      expect(() => verified(lines, { publicKeys: [key] })).toThrow(expect.objectContaining({ kind: "invalid_input" }));
  });

  it("show a cut tail, by what is kept elsewhere", () => {
    const { lines, first, second } = signed();
    const cut = lines.slice(0, 6);
    expect(verified(cut, { publicKeys, expectedHead: first.text }).ok).toBe(true);
    for (const how of [{ publicKeys, expectedHead: second.text }, { expectedHead: second.text }])
      expect(verified(cut, how).ok).toBe(false);
    expect(verified(lines, { publicKeys, expectedHead: first.text })).toMatchObject({ ok: true, signedHeads: 2 });
    const altered = first.text.replace("stet1:5:", "stet1:4:");
    expect(verified(lines, { publicKeys, expectedHead: altered }).ok).toBe(false);
  });

  it("show a rewritten log: signed heads kept, forged with another key, or left out", () => {
    const { lines, first } = signed();
    const rewritten = resealed(lines, (entry) => ({ ...entry, session: "forged" }));
    const forged = journalOf(5);
    forged.journal.sign(others.privateKey);
    const left = resealed(lines.slice(0, 5), (entry) => ({ ...entry, session: "forged" }));
    for (const log of [rewritten, forged.lines]) expect(verified(log, { publicKeys }).ok).toBe(false);
    for (const log of [rewritten, forged.lines, left])
      expect(verified(log, { expectedHead: first.text }).ok).toBe(false);
  });

  it("show one that was replayed elsewhere in the journal", () => {
    const { lines, journal, first } = signed();
    const { seq: _, at: __, prev: ___, hash: ____, ...note } = first.entry as typeof first.entry & { hash: Sha };
    journal.append(note);
    expect(verified(lines, { publicKeys }).problems).toEqual([
      { seq: 9, problem: expect.stringContaining("not of the entry before it") },
    ]);
  });
});
