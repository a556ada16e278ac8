import { nearestPlaces, replaceText } from "stet/edit";
import { describe, expect, it } from "vitest";

const FILE = [
  "function load(id) {",
  "\tconst row = db.get(id);",
  "\treturn row;",
  "}",
  "",
  "function save(row) {",
  "\tvalidate(row);",
  "\tdb.put(row.id, row);",
  "}",
  "",
].join("\n");

describe("nearest places", () => {
  it("finds the block whose every line was touched", () => {
    const old = "function svae(row) {\n\tvalidte(row);\n\tdb.put(row.id, rows);\n}";
    const [nearest] = nearestPlaces(FILE, old);
    expect(nearest).toMatchObject({ startLine: 6, endLine: 9 });
    expect(nearest?.text).toBe("function save(row) {\n\tvalidate(row);\n\tdb.put(row.id, row);\n}");
  });

  it("finds a block that lacks a line, and says which", () => {
    const [nearest] = nearestPlaces(FILE, "function save(row) {\n\tdb.put(row.id, row);\n}\n");
    expect(nearest).toMatchObject({ startLine: 6, endLine: 9 });
    expect(nearest?.differences).toEqual(["line 7 `\tvalidate(row);` is not in the old text"]);
  });

  it("makes blanks visible where only they differ", () => {
    const [nearest] = nearestPlaces(FILE, "  const row = db.get(id);");
    expect(nearest?.differences).toEqual([
      "line 2: the file has `→const·row·=·db.get(id);`, the old text `··const·row·=·db.get(id);` (· is a space, → a tab)",
    ]);
  });

  it("names the newline that the file does not end with", () => {
    const missing = "the file has no newline at its end";
    expect(nearestPlaces("one\nfoo", "foo\n")).toMatchObject([{ startLine: 2, endLine: 2, differences: [missing] }]);
    expect(nearestPlaces("one\nfoo", "one\nfoo\n")).toMatchObject([{ startLine: 1, differences: [missing] }]);
    expect(nearestPlaces("foo\n", "foo\n\n")[0]?.differences).toEqual(["the file has no empty line before line 2"]);
    expect(nearestPlaces("foo", "foo\n\n")[0]?.differences).toEqual([
      "the file has no empty line before line 2",
      missing,
    ]);
  });

  it.each([
    ["cafe\u0301", "café", "`cafe⟨U+0301⟩`, the old text `café` (· is a space, → a tab, é is U+00E9)"],
    ["café", "cafe\u0301", "`café`, the old text `cafe⟨U+0301⟩` (· is a space, → a tab, é is U+00E9)"],
  ])("finds a short part of a long line that writes its accents otherwise: %s", (has, wrote, differs) => {
    const text = `one\n${"x, ".repeat(100)}${has}${", y".repeat(100)}\n`;
    expect(nearestPlaces(text, wrote)).toMatchObject([
      { startLine: 2, endLine: 2, differences: [`line 2: the file has ${differs}`] },
    ]);
    expect(nearestPlaces(text, wrote, 0)).toEqual([]);
  });

  it("shows of long lines where they differ, and names a character that looks like another", () => {
    const line = (quotes: string) => `${"a ".repeat(200)}${quotes}${"b ".repeat(200)}`;
    const said = nearestPlaces(line("“c”"), line('"c"'))[0]?.differences.join() ?? "";
    expect(said).toMatch(/has `….*a “c”b .*…`, the old text `….*a "c"b .*…` \(“ is U\+201C\)$/);
    const astral = nearestPlaces(line("\u{1f600}"), line("\u{1f601}"))[0]?.differences.join();
    expect(astral).toMatch(/a \u{1f600}b .*, the old text `….*a \u{1f601}b [^(]*$/u);
    expect(nearestPlaces(line("x\u{1f600}".repeat(90)), line("x\u{1f601}"))[0]?.differences.join()).toMatch(
      /^\P{Surrogate}*$/u,
    );
  });

  it("finds part of a longer line", () => {
    expect(nearestPlaces(FILE, "db.putt(row.id")).toMatchObject([{ startLine: 8, endLine: 8 }]);
  });

  it("offers nothing that is less than half alike, and no more than asked for", () => {
    expect(nearestPlaces(FILE, "SELECT * FROM users WHERE id = 7")).toEqual([]);
    expect(nearestPlaces("let a = 1;\nlet b = 2;\nlet c = 3;\nlet d = 4;\n", "let x = 9;", 2)).toHaveLength(2);
    expect(nearestPlaces(FILE, FILE, 0)).toEqual([]);
  });

  it("offers both copies of a block, not one of them and a mixture of both", () => {
    // The window that starts with the last line of the first copy has the same lines as a copy, in another order.
    const block = ["  # We add another parameter", '  debug("Adding it")', '  comp = "x"', "}", "", 'debug("Calling")'];
    const copies = `before()\n${block.join("\n")}\n\n${block.join("\n")}\nafter()\n`;
    const places = nearestPlaces(copies, block.join("\n").replace("Adding", "Addnig"));
    expect(places.slice(0, 2).map(({ startLine, endLine }) => [startLine, endLine])).toEqual([
      [2, 7],
      [9, 14],
    ]);
  });

  it("a refusal shows the nearest text and one next action", () => {
    const result = replaceText(FILE, "function svae(row) {\n\tvalidte(row);\n}", "x");
    expect(result).toMatchObject({ ok: false, kind: "old_text_not_found", candidates: [{ startLine: 6 }] });
    expect(result.ok ? "" : result.message).toMatch(
      /Nearest: lines 6-\d, \d\d % alike[\s\S]*```[\s\S]*If lines 6-\d are meant, give their text/,
    );
  });

  it("a refusal offers as many places as asked for", () => {
    const text = "let a = 1;\nlet b = 2;\nlet c = 3;\nlet d = 4;\nlet e = 5;\n";
    const count = (maxSuggestions?: number) => {
      const options = maxSuggestions === undefined ? {} : { maxSuggestions };
      const result = replaceText(text, "let x = 9;", "y", options);
      return result.ok ? -1 : result.candidates?.length;
    };
    expect([count(), count(1), count(0)]).toEqual([3, 1, 0]);
  });
});
