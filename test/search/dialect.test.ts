// A pattern means the same with ripgrep and without, or is refused in words: never another answer.
import { Refusal } from "stet";
import { describe, expect, it } from "vitest";
import { type Files, PLACES, type Place, shown } from "./places.ts";

const LINES = [
  "foo bar",
  "Foo BAR_baz 42",
  "aB ab ÄB äb",
  "k K \u212a s ſ S ß ẞ",
  "αβγ ΑΒΓ ς σ Σ",
  "tab\there nbsp\u00a0x",
  "x{2} }] {a} [b]",
  "",
  "😀 smile 😀",
  'foo.bar(1) "quoted" \\back',
  "foo foo abab",
];
const TEXTS: Files = {
  "lf.txt": `${LINES.join("\n")}\n`,
  "crlf.txt": LINES.join("\r\n"),
  "bytes.txt": Buffer.from("caf\xe9 foo\nab\xff\xfeB\nplain foo\n", "latin1"),
};

const ORDINARY = [
  "\\w+ \\w+$",
  "\\bab\\b",
  "(?i)FOO",
  "(?:foo|ba[rz])+",
  "[A-Z]\\w*_",
  "^foo\\.\\w+\\(\\d\\)",
  "[^a-z\\s]{2}",
  "o+?b?$",
  "\\p{Greek}+",
  "foo(?! bar)",
  "(\\w+) \\1",
  "^.{7}$",
  "\\{a\\}",
  "caf",
];

/** Dialects differ on these; to refuse them is right, to answer otherwise than ripgrep is not. */
const EXOTIC = ["[\\w--\\d]", "(?i)σ", "\\<a", "(?>a+)b", "(?-u)\\w", "a\\Kb", "(?|a|b)", "[[:^alpha:]]", "(?x) f o o"];

const WRONG = ["(a", "*a", "[z-a]", "\\p{Foo}"];

const [inMemory, withRipgrep, without] = PLACES.map(([, open]) => open(TEXTS)) as [Place, Place, Place];

async function answer(place: Place, pattern: string): Promise<readonly string[] | string> {
  try {
    return shown(await place.grep({ pattern }));
  } catch (error) {
    if (error instanceof Refusal && error.kind !== "io_error") return error.kind;
    throw error;
  }
}

describe("a pattern", () => {
  it("that is ordinary finds the same lines everywhere", async () => {
    for (const pattern of ORDINARY) {
      const expected = await answer(withRipgrep, pattern);
      expect(expected.length, pattern).toBeGreaterThan(0);
      expect([pattern, await answer(inMemory, pattern)]).toEqual([pattern, expected]);
      expect([pattern, await answer(without, pattern)]).toEqual([pattern, expected]);
    }
  });

  it("that is exotic finds the same lines or is refused", async () => {
    for (const pattern of EXOTIC) {
      const [expected, here] = [await answer(withRipgrep, pattern), await answer(inMemory, pattern)];
      expect([pattern, expected]).toEqual([pattern, expect.any(Array)]);
      expect([expected, "command_failed"], pattern).toContainEqual(here);
    }
  });

  it("that is not understood without ripgrep is refused by the part that is not", async () => {
    const message = expect.stringContaining('"\\\\K" is not supported');
    await expect(inMemory.grep({ pattern: "ab\\Kc" })).rejects.toMatchObject({ message });
  });

  it("that is none is refused everywhere", async () => {
    for (const pattern of WRONG)
      for (const place of [inMemory, withRipgrep, without])
        expect([pattern, await answer(place, pattern)]).toEqual([pattern, "command_failed"]);
  });
});
