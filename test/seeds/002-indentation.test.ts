// Seed 002, Edit: indentation-agnostic. Levels are compared by rank; new text is indented as the file is.
import { describe, expect, it } from "vitest";
import { textAt } from "../../src/testing/assertions.ts";
import { BACKENDS } from "../support/workspace.ts";
import { opened } from "./002-calling.ts";

const PYTHON = `class Shop:
    def total(self, rows):
        result = 0
        for row in rows:
            if row.paid:
                result += row.price
        return result
`;
const SCRIPT = `class Shop {
    total(rows) {
        let result = 0;
        for (const row of rows) {
            result += row.price;
        }
        return result;
    }
}
`;
const lines = (text: string, from: number, to: number): string => `${text.split("\n").slice(from, to).join("\n")}\n`;
const flat = (text: string): string => text.replaceAll(/^ +/gm, "");

describe.each(BACKENDS)("seed 002: indentation on %s", (_name, make) => {
  const edited = async (content: string, old_string: string, new_string: string) => {
    const { ok, workspace } = opened(make, { a: content });
    await ok("Read", { file_path: "a" });
    const { data } = await ok("Edit", { file_path: "a", old_string, new_string });
    expect(data.metadata.strategy).toBe("indentation");
    return textAt(workspace.backend, "a");
  };

  it("a two-space block at column 0 matches its four-space original deeper in the file", async () => {
    const old = "for row in rows:\n  if row.paid:\n    result += row.price\nreturn result\n";
    const next = old.replace("    result", "    if row.price:\n      count += 1\n    result");
    expect(await edited(PYTHON, old, next)).toBe(
      PYTHON.replace(
        "                result +=",
        "                if row.price:\n                    count += 1\n                result +=",
      ),
    );
  });

  it("the new text is re-indented by the file's own unit, also where the old text has one level", async () => {
    const old = "result = 0\nfor row in rows:\n";
    const next = "result = 0\nif not rows:\n  return None\nfor row in rows:\n";
    expect(await edited(PYTHON, old, next)).toBe(
      PYTHON.replace("        for", "        if not rows:\n            return None\n        for"),
    );
  });

  it("a flattened block matches; lines that are in both keep the file's indentation", async () => {
    const old = flat(lines(PYTHON, 1, 7));
    expect(await edited(PYTHON, old, old.replace("row.price", "row.net"))).toBe(PYTHON.replace("row.price", "row.net"));
  });

  it("flattened: a new line between two lines of one level, and a block in brackets, get theirs", async () => {
    const old = flat(lines(SCRIPT, 1, 8));
    const next = old.replace("let result = 0;\n", "let result = 0;\nif (!rows) {\nreturn 0;\n}\n");
    expect(await edited(SCRIPT, old, next)).toBe(
      SCRIPT.replace("let result = 0;\n", "let result = 0;\n        if (!rows) {\n            return 0;\n        }\n"),
    );
    const more = old.replace("row.price;\n", "row.price;\ncount++;\n");
    expect(await edited(SCRIPT, old, more)).toBe(SCRIPT.replace("row.price;\n", "row.price;\n            count++;\n"));
  });

  it.each(["misses++", "misses--", "++misses", "--misses"])(
    "flattened: `%s`, which is a whole line, gets its level",
    async (line) => {
      const go = "func get(id string) int {\n\tu, ok := users[id]\n\tif !ok {\n\t\treturn 0\n\t}\n\treturn u\n}\n";
      const old = go.replaceAll("\t", "");
      expect(await edited(go, old, old.replace("if !ok {\n", `if !ok {\n${line}\n`))).toBe(
        go.replace("if !ok {\n", `if !ok {\n\t\t${line}\n`),
      );
    },
  );

  it("flattened: a new line whose level cannot be known is refused", async () => {
    const { ok, refused, workspace } = opened(make, { a: PYTHON });
    await ok("Read", { file_path: "a" });
    const old_string = flat(lines(PYTHON, 1, 7));
    for (const added of ["count += 1\n", "if count:\ncount += 1\n"]) {
      const new_string = old_string.replace("return result", `${added}return result`);
      const failure = await refused("Edit", { file_path: "a", old_string, new_string });
      expect(failure.kind).toBe("indent_inconsistent");
    }
    expect(await textAt(workspace.backend, "a")).toBe(PYTHON);
  });

  it("flattened: refused where two places have these lines", async () => {
    const other = SCRIPT.replace("class Shop", "class Till").replaceAll(/^ {4}/gm, "  ");
    const { ok, refused } = opened(make, { a: SCRIPT + other });
    await ok("Read", { file_path: "a" });
    const old_string = flat(lines(SCRIPT, 1, 8));
    const failure = await refused("Edit", { file_path: "a", old_string, new_string: old_string.replace("0;", "1;") });
    expect(failure.kind).toBe("multiple_matches");
  });
});
