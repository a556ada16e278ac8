import { describe, expect, it } from "vitest";
import { indentRule } from "../../src/edit/text/indent.ts";

const rule = (...pairs: [wrote: string, file: string][]) => indentRule(pairs.map(([wrote, file]) => ({ wrote, file })));

describe("indentation rules", () => {
  it("leaves equal indentation alone", () => {
    expect(rule(["  ", "  "], ["\t", "\t"])?.("   ", 1)).toBe("   ");
  });

  it("adds one prefix to every line", () => {
    const add = rule(["", "    "], ["  ", "      "]);
    expect(add?.("", 0)).toBe("    ");
    expect(add?.("    ", 3)).toBe("        ");
  });

  it("removes one prefix, and says nothing where a line lacks it", () => {
    const remove = rule(["    ", "  "], ["      ", "    "]);
    expect(remove?.("        ", 1)).toBe("      ");
    expect(remove?.(" ", 1)).toBeUndefined();
  });

  it("exchanges tabs and spaces at the width that explains all lines", () => {
    expect(rule(["    ", "\t"], ["        ", "\t\t"])?.("            ", 1)).toBe("\t\t\t");
    expect(rule(["\t", "  "], ["\t\t", "    "])?.("\t\t\t", 1)).toBe("      ");
  });

  it("exchanges and shifts at once", () => {
    expect(rule(["", "\t"], ["    ", "\t\t"])?.("        ", 1)).toBe("\t\t\t");
  });

  it("keeps the space before the star of a block comment", () => {
    expect(rule(["    ", "\t"], ["     ", "\t "])?.("     ", 1)).toBe("\t ");
  });

  it("scales spaces when two depths show it", () => {
    expect(rule(["", ""], ["    ", "  "], ["        ", "    "])?.("            ", 1)).toBe("      ");
  });

  it("indents a first line that was copied without its indentation", () => {
    const first = rule(["", "    "], ["    ", "    "]);
    expect(first?.("", 0)).toBe("    ");
    expect(first?.("      ", 2)).toBe("      ");
    expect(first?.("  ", 0)).toBeUndefined();
  });

  it("has no rule where lines moved differently", () => {
    expect(rule(["  ", "    "], ["  ", "  "], ["  ", "      "])).toBeUndefined();
    expect(rule()).toBeUndefined();
  });

  it("does not mix tabs and spaces where the file does not", () => {
    expect(rule(["", "\t"])?.("    ", 1)).toBeUndefined();
  });
});
