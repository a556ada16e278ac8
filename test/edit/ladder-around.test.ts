// Lines that are there already: only those around the old text are the edit made before.
import { applySplices, replaceText } from "stet/edit";
import { describe, expect, it } from "vitest";

const edited = (lines: readonly string[], oldLines: readonly string[], newLines: readonly string[]) => {
  const file = lines.map((line) => `  ${line}\n`).join("");
  const result = replaceText(file, oldLines.join("\n"), newLines.join("\n"));
  return result.ok ? result.text.replaceAll("  ", "").trim().split("\n") : result.kind;
};

describe("new lines around old text that differs in indentation", () => {
  const old = ["alpha();", "beta();"];

  it.each([
    ["behind it", [...old, "gamma();"]],
    ["before it", ["gamma();", ...old]],
    ["on both sides", ["gamma();", ...old, "delta();"]],
  ])("are the edit made before: %s", (_where, lines) => {
    expect(edited(["start();", ...lines, "stop();"], old, lines)).toBe("already_applied");
  });

  it("are another place where they stand above it or below it", () => {
    const block = ["gamma();", "delta();", "epsilon();"];
    expect(edited([...block, ...old], old, block)).toEqual([...block, ...block]);
    expect(edited([...old, ...block], old, block)).toEqual([...block, ...block]);
  });
});

describe("splices", () => {
  it("are applied by their place, whatever order they are given in", () => {
    const splices = [
      { start: 4, end: 5, text: "E" },
      { start: 0, end: 1, text: "A" },
    ];
    expect(applySplices("abcdef", splices)).toBe("AbcdEf");
  });

  it("insert before what is replaced at the same place, in the order they are given", () => {
    const splices = [
      { start: 2, end: 4, text: "CD" },
      { start: 2, end: 2, text: "1" },
      { start: 2, end: 2, text: "2" },
    ];
    expect(applySplices("abcdef", splices)).toBe("ab12CDef");
  });
});
