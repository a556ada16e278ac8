// The most alike block, for callers who saw the file: which stretches compete, and what is too little or too many.
import { replaceText } from "stet/edit";
import { describe, expect, it } from "vitest";

const text = (...lines: string[]): string => `${lines.join("\n")}\n`;

/** The strategy, or the kind of the refusal, for old lines of which one word is replaced. */
function outcome(file: string, oldLines: readonly string[], from: string, to: string): string {
  const old = oldLines.join("\n");
  const result = replaceText(file, old, old.replace(from, to), { seen: true });
  return result.ok ? result.strategy : result.kind;
}

describe("a block that is like the old text", () => {
  const LONG = "configuration.of.the.program.as.it.was.read.from.the.file.at.its.very.beginning.and.never.since";
  const BLOCK = [
    "  // reads both parts, by name",
    `  const first = read(${LONG}.first);`,
    "  i++;",
    `  const second = read(${LONG}.second);`,
    "  }",
  ];
  const OLD = ["  // reads both parts, in order", ...BLOCK.slice(1)];
  const change = (file: string) => outcome(file, OLD, ".second", ".last");
  const both = (other: readonly string[]) => text("a {", ...BLOCK, "}", "", "b {", ...other, "}");

  it("is taken when it is alone, or when the other is clearly less alike", () => {
    expect(change(text("a {", ...BLOCK, "}"))).toBe("fuzzy_block");
    expect(change(both(["  // reads it all", `  return read(${LONG});`]))).toBe("fuzzy_block");
  });

  it("is not taken beside one that is as alike, though its lines can be paired in several ways", () => {
    expect(change(both([...BLOCK.slice(0, 3), "  i++;", ...BLOCK.slice(3)]))).toBe("old_text_not_found");
  });

  it("is compared as a whole: what lies beyond its last line does not make it less alike", () => {
    const parts = [
      "  const first = read(config.first);",
      "  i++;",
      "  const second = read(config.second);",
      "  return merge(first, second, config);",
    ];
    const file = text(
      "function a() {",
      "  // reads the two parts",
      ...parts,
      "}",
      "",
      "function b() {",
      "  // reads the two parts",
      ...parts.toSpliced(1, 0, "  i++;"),
      "}",
    );
    expect(outcome(file, ["  // reads both parts of it", ...parts], "config.second", "config.last")).toBe(
      "fuzzy_block",
    );
  });

  it("is not taken when no stretch has half of its lines in their places", () => {
    const lines = ["alpha", "beta", "gamma"].flatMap((name) => [`${name}.start(config);`, `${name}.load(config.one);`]);
    const file = text(...lines.slice(0, 2), "x();", ...lines.slice(2, 4), "y();", ...lines.slice(4));
    expect(outcome(file, lines, "gamma.load(config.one)", "gamma.load(config.two)")).toBe("old_text_not_found");
  });

  it("of two long lines with a blank line between them is too little", () => {
    const lines = ["const someLongName = anotherLongName.method();", "const otherName = someLongName.value();"];
    expect(outcome(text(lines[0]!, "", lines[1]!), lines, "value", "worth")).toBe("old_text_not_found");
  });
});

it("a block that fifty others resemble is taken, and not one that more do", () => {
  const name = (n: number) => String.fromCharCode(97 + (n % 26), 97 + Math.floor(n / 26)).repeat(9);
  const block = (n: number) => [
    "open(session);",
    `  // step ${name(n)}`,
    `  run${name(n)}(session);`,
    "close(session);",
  ];
  const file = (count: number) => text(...Array.from({ length: count }, (_, n) => [...block(n), ""]).flat());
  const old = block(7).with(1, `  // part: ${name(7)}`);
  expect(outcome(file(50), old, "(session);\nclose", "(session, true);\nclose")).toBe("fuzzy_block");
  expect(outcome(file(51), old, "(session);\nclose", "(session, true);\nclose")).toBe("old_text_not_found");
});
