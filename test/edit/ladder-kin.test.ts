// Blocks that are built alike: the fuzzy level does not take one for another that the file no longer has.
import { replaceText } from "stet/edit";
import { describe, expect, it } from "vitest";

const edited = (content: string, oldLines: readonly string[], newLines: readonly string[]) => {
  const result = replaceText(content, oldLines.join("\n"), newLines.join("\n"), { seen: true });
  return result.ok ? result.text : result.ok;
};
const text = (...blocks: (readonly string[])[]) => `${blocks.map((block) => block.join("\n")).join("\n\n")}\n`;

describe("a block whose name the file does not have", () => {
  const rule = (name: string, size: number) => [
    `.${name} {`,
    `  color: #${size}${size}${size};`,
    "  margin: 0;",
    `  padding: ${size}px;`,
    "}",
  ];
  const table = (name: string, amount: number) => [
    `CREATE TABLE ${name} (`,
    "  id INTEGER PRIMARY KEY,",
    "  name TEXT NOT NULL,",
    `  amount INTEGER DEFAULT ${amount}`,
    ");",
  ];

  it("is no rule with other selectors", () => {
    const old = rule("ticket-update", 5);
    const css = text(rule("ticket-check", 5), rule("account-save", 4));
    expect(edited(css, old, old.toSpliced(3, 0, "  border: 0;"))).toBe(false);
    expect(edited(text(rule("ticket-check", 5)), old, old.toSpliced(3, 0, "  border: 0;"))).toBe(false);
  });

  it("is no table with another name", () => {
    const old = table("reports_removed", 7);
    expect(edited(text(table("users_removed", 7), table("orders_made", 3)), old, old.toSpliced(1, 1))).toBe(false);
  });
});

describe("lines from the middle of a block", () => {
  const load = (noun: string, verb: string, step: number) => [
    `async function ${verb}_${noun}(db, id) {`,
    `  const ${noun} = await db.find("${noun}s", id);`,
    `  if (!${noun}) {`,
    `    throw new Error("no such ${noun}");`,
    "  }",
    `  ${noun}.count += ${step};`,
    `  log("${verb}", ${noun}.id);`,
    `  return ${noun};`,
    "}",
  ];
  const old = load("device", "load", 2).slice(1);
  const wanted = old.toSpliced(3, 0, "    stop();");

  it("are not those of another one that differs in its values", () => {
    expect(edited(text(load("device", "update", 6), load("order", "check", 9)), old, wanted)).toBe(false);
  });

  it("are still known by their slips where there are no others like them", () => {
    const file = text(load("device", "load", 2));
    const slipped = (lines: readonly string[]) => lines.map((line) => line.replace("no such device", "no device"));
    expect(edited(file, slipped(old), slipped(wanted))).toBe(file.replace("  }\n", "    stop();\n  }\n"));
  });
});

it("a row of a list that the file has not may be of another list", () => {
  const row = (name: string, limit: number) => `  { name: "${name}", verb: "check", limit: ${limit} },`;
  const file = text([row("product", 8), row("session", 3), row("ticket", 6), row("user", 2), row("report", 9)]);
  const old = [row("invoice", 6), row("user", 2), row("report", 9)];
  expect(edited(file, old, [old[0]!, row("user", 3), old[2]!])).toBe(false);
  expect(edited(file, old, [old[0]!, row("added", 1), ...old.slice(1)])).toBe(false);
});
