// The borders of what an entry may hold.
import { expect, it } from "vitest";
import { isPath, whyUnfit } from "../../src/backends/journal/entry-form.ts";
import { JOURNAL_LIMITS, LIMITS } from "../../src/core/limits.ts";

const entry = {
  at: "2026-01-31T12:00:00.000Z",
  outcome: "note",
  session: "s",
  tool: "t",
  changes: [],
};

function nested(levels: number): unknown {
  return levels === 0 ? 1 : { in: nested(levels - 1) };
}

it("details have as many levels as they may, and not one more", () => {
  const { detailLevels } = JOURNAL_LIMITS;
  expect(whyUnfit({ ...entry, details: nested(detailLevels) })).toBeNull();
  expect(whyUnfit({ ...entry, details: nested(detailLevels + 1) })).toContain(`more than ${detailLevels} levels`);
});

it("names and messages are as long as they may be, and not longer", () => {
  const { nameChars, messageChars } = JOURNAL_LIMITS;
  for (const field of ["session", "tool", "agent", "call"]) {
    expect(whyUnfit({ ...entry, [field]: "x".repeat(nameChars) }), field).toBeNull();
    expect(whyUnfit({ ...entry, [field]: "x".repeat(nameChars + 1) }), field).toContain(`"${field}"`);
  }
  expect(whyUnfit({ ...entry, message: "x".repeat(messageChars) })).toBeNull();
  expect(whyUnfit({ ...entry, message: "x".repeat(messageChars + 1) })).toContain('"message"');
});

it("paths are counted in bytes", () => {
  const most = LIMITS.pathBytes;
  expect([isPath("x".repeat(most)), isPath("x".repeat(most + 1))]).toEqual([true, false]);
  const wide = "é".repeat(most / 2);
  expect([isPath(wide), isPath(`${wide}x`), isPath("x\0"), isPath("a/./b"), isPath("😀")]).toEqual([
    true,
    false,
    false,
    false,
    true,
  ]);
});

it("days are those that the calendar has", () => {
  const at = (day: string) => whyUnfit({ ...entry, at: `${day}T23:59:59.999Z` });
  for (const day of ["2026-02-28", "2024-02-29", "2026-04-30", "2026-12-31"]) expect(at(day), day).toBeNull();
  for (const day of ["2026-02-29", "2026-04-31", "2026-13-01", "2026-00-10"]) expect(at(day), day).toContain('"at"');
});
