import { hash } from "node:crypto";
import type { EntryDraft, LogFilter } from "stet";
import { GENESIS, matches, parseLine, seal } from "stet/backends/parts";
import { describe, expect, it } from "vitest";
import { path as at, version } from "../support/assertions.ts";

const sha = (name: string) => version(name).sha;
const change = (path: string, from: string | null, to: string | null): EntryDraft => ({
  session: "s1",
  tool: "edit",
  outcome: "applied",
  changes: [{ path: at(path), from: from === null ? null : sha(from), to: to === null ? null : sha(to) }],
});

const place = { seq: 7, at: "2026-01-31T12:00:00.000Z", prev: GENESIS };

describe("seal", () => {
  it("hashes the exact text before the hash", () => {
    const { entry, line } = seal(change("a", null, "v1"), place);
    const body = line.slice(0, line.indexOf(',"hash":'));
    expect(entry.hash).toBe(hash("sha256", body));
    expect(body).toContain(`"prev":"${GENESIS}"`);
  });

  it("gives the entry as a reader will find it, with no field undefined", () => {
    const draft: EntryDraft = {
      ...change("a", null, "v1"),
      agent: undefined as never,
      message: undefined as never,
      details: { kept: 1, gone: undefined, date: new Date(0) },
    };
    const { entry, line } = seal(draft, place);
    expect(entry).toStrictEqual(parseLine(line));
    expect(Object.keys(entry)).not.toContain("agent");
    expect(entry.details).toStrictEqual({ kept: 1, date: "1970-01-01T00:00:00.000Z" });
  });

  it("writes fields in one order, whatever order they came in", () => {
    const draft = change("a", null, "v1");
    const turned = Object.fromEntries(Object.entries(draft).reverse()) as unknown as EntryDraft;
    expect(seal(turned, place).line).toBe(seal(draft, place).line);
  });

  it.each([
    ["a forged field", 'x","outcome":"approved'],
    ["line separators", "x\u2028y\u2029z"],
    ["line ends and controls", "a\nb\rc\0d\u0085e\u009bf\u007f"],
    ["text direction", "a\u202eb\u2066c"],
    ["half a surrogate pair", "a\ud800b"],
    ["an entry of its own", `"}\n${seal(change("b", null, "v"), place).line}`],
  ])("keeps %s inside one line that reads back unchanged", (_, name) => {
    // No path has a NUL or half of a pair.
    const path = name.replace(/\0|\ud800/g, "");
    const { line } = seal({ ...change(path, null, "v1"), message: name }, place);
    expect(line).not.toMatch(/[\0-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]/);
    expect(parseLine(line)).toMatchObject({ changes: [{ path }], message: name, outcome: "applied" });
  });
});

describe("reading a line", () => {
  const { line } = seal(change("a", null, "v1"), place);

  it("refuses an altered line", () => {
    expect(() => parseLine(line.replace('"s1"', '"s2"'))).toThrow(expect.objectContaining({ kind: "journal_damaged" }));
  });

  it.each(["", "{}", "null", "[]", "{", "x".repeat(200), `${line.slice(0, -1)} }`])("refuses %j", (text) => {
    expect(() => parseLine(text)).toThrow(expect.objectContaining({ kind: "journal_damaged" }));
  });
});

describe("what an entry may hold", () => {
  const nested = (levels: number): unknown => (levels === 0 ? 1 : { in: nested(levels - 1) });
  const note = { session: "s", tool: "t", outcome: "note", changes: [] } as const;
  const sealed = (fields: object, more: object = {}) => seal({ ...note, ...fields }, { ...place, ...more });

  it.each<[string, object, object]>([
    ["levels of details", { details: nested(32) }, { details: nested(33) }],
    ["characters of a session", { session: "x".repeat(1000) }, { session: "x".repeat(1_000_000) }],
    ["bytes of a path", change("é".repeat(2048), null, "v"), change(`${"é".repeat(2048)}x`, null, "v")],
    ["parts of a path", change("a/b", null, "v"), change("a/../b", null, "v")],
  ])("has its limits: %s", (_what, most, more) => {
    expect(sealed(most).entry.seq).toBe(7);
    expect(() => sealed(more)).toThrow(expect.objectContaining({ kind: "invalid_input" }));
  });

  it("days are those that the calendar has", () => {
    const on = (day: string) => sealed({}, { at: `${day}T23:59:59.999Z` });
    for (const day of ["2026-02-28", "2024-02-29", "2026-12-31"]) expect(on(day).entry.at).toContain(day);
    for (const day of ["2026-02-29", "2026-04-31", "2026-13-01"]) expect(() => on(day), day).toThrow();
  });
});

describe("filters", () => {
  const moved = { path: at("new"), from: null, to: sha("v"), movedFrom: at('o"ld\u2028') };
  const draft: EntryDraft = { session: "s1", agent: "a1", tool: "move", outcome: "applied", changes: [moved] };
  const { entry } = seal(draft, place);

  it.each<[LogFilter, boolean]>([
    [{}, true],
    [{ sinceSeq: 7, untilSeq: 7 }, true],
    [{ sinceSeq: 8 }, false],
    [{ untilSeq: 6 }, false],
    [{ since: "2026-01-31T12:00:00Z", until: "2026-01-31T13:00:00+01:00" }, true],
    [{ since: "2026-01-31T12:00:00.001Z" }, false],
    [{ until: "2026-01-31" }, false],
    [{ session: "s1", agent: "a1", tool: "move" }, true],
    [{ session: "s" }, false],
    [{ agent: "s1" }, false],
    [{ tool: "mov" }, false],
    [{ path: at("new") }, true],
    [{ path: at('o"ld\u2028') }, true],
    [{ path: at("ne") }, false],
    [{ outcomes: ["applied"] }, true],
    [{ outcomes: ["note", "applied"] }, true],
    [{ outcomes: ["note", "refused"] }, false],
  ])("%j matches: %s", (filter, expected) => {
    expect(matches(entry, filter)).toBe(expected);
  });

  it("refuses what is not a time", () => {
    expect(() => matches(entry, { since: "yesterday" })).toThrow(expect.objectContaining({ kind: "invalid_input" }));
  });
});
