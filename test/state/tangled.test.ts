// What counts as nesting in a text of JSON, before it is parsed: brackets, but not those within strings.
import { expect, it } from "vitest";
import { isTangled } from "../../src/backends/journal/nesting.ts";

const tangled = (json: string) => isTangled(Buffer.from(json));
const MANY = "[".repeat(200);

it("brackets within a string are none, also behind a quote that is part of it", () => {
  for (const text of [`${MANY}`, `a"${MANY}`, `a\\"${MANY}`, `"${MANY}"${MANY}\\`])
    expect(tangled(JSON.stringify({ text })), JSON.stringify(text).slice(0, 20)).toBe(false);
});

it("brackets behind a string count, also where it ends in a backslash", () => {
  for (const text of ["a", "\\", 'a\\\\"'])
    expect(tangled(`[${JSON.stringify(text)},${MANY}${"]".repeat(200)}]`), text).toBe(true);
});

it("what is closed again is not nested", () => {
  expect(tangled(`[${Array.from({ length: 200 }, () => "[{}]").join()}]`)).toBe(false);
});
