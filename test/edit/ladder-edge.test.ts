// A line at one edge of old and new text that the file has not: left out and told, or refused.
import fc from "fast-check";
import { replaceText } from "stet/edit";
import { describe, expect, it } from "vitest";
import { dataMissing, trials } from "../support/edits.ts";

const FILE = `import { readFile } from "node:fs";

export function load(name) {
  const text = readFile(name, { encoding: settings });
  log("loaded", name);
  return parse(text);
}

export class Cache {
  limit = 10;
  directory = join(homedir(), ".cache", "loader");
}
`;

const lines = (...all: string[]): string => all.join("\n");
const body = ["  const text = readFile(name, { encoding: settings });", '  log("loaded", name);'];

describe("a line at one edge that the file has not", () => {
  it.each([
    [
      "one before",
      ["  // Reads it"],
      [],
      "The old text has `// Reads it` before line 4, the file has not: that line was",
    ],
    ["one after", [], ["  // no more"], "The old text has `// no more` after line 5"],
    ["one after, which opens something", [], ["export async function* store() {"], "after line 5"],
  ])("%s: left out, and told", (_name, head, tail, told) => {
    const old = lines(
      ...head,
      "  const text = readFile(name, { encoding: settings });",
      '  log("loaded", name);',
      ...tail,
    );
    const result = replaceText(FILE, old, old.replace("loaded", "read"));
    expect(result).toMatchObject({ ok: true, text: FILE.replace("loaded", "read"), strategy: "edge" });
    expect((result as { warnings: readonly string[] }).warnings[0]).toContain(told);
  });

  it("with newlines at the end, and line endings of the file", () => {
    const file = FILE.replaceAll("\n", "\r\n");
    const old = `  // Reads it\n  const text = readFile(name, { encoding: settings });\n  log("loaded", name);\n`;
    expect(replaceText(file, old, old.replace("loaded", "read"))).toMatchObject({
      ok: true,
      text: file.replace("loaded", "read"),
      strategy: "edge",
    });
  });

  it("that differs from the file's line in marks only", () => {
    const old = lines(...body, "  return parse[text];");
    expect(replaceText(FILE, old, old.replace("loaded", "read"))).toMatchObject({
      ok: true,
      text: FILE.replace("loaded", "read"),
    });
  });

  it("with a word in three, or as many, of the file's line there", () => {
    // Of three words one is shared: another line. Of two, one: perhaps the same.
    const edit = (line: string) => {
      const old = lines(...body, line);
      return replaceText(FILE, old, old.replace("loaded", "read"));
    };
    expect(edit("  [parse, [later]];//now")).toMatchObject({ ok: true, strategy: "edge" });
    expect(edit("  [text, [[]]]")).toMatchObject({ ok: false });
    // Half of its letters, and less.
    expect(edit("  returm_parse_1234567")).toMatchObject({ ok: false });
    expect(edit("  returm_parze_1234567")).toMatchObject({ ok: true });
  });

  it("beyond the first and the last line of the file", () => {
    const file = lines(...body);
    for (const old of [lines("  // imagined", file), lines(file, "  // imagined")]) {
      expect(replaceText(file, old, old.replace("loaded", "read"))).toMatchObject({
        ok: true,
        text: file.replace("loaded", "read"),
        strategy: "edge",
      });
    }
  });

  it("new lines behind the last line of the file, before a line that is not there", () => {
    const old = lines(
      "export class Cache {",
      "  limit = 10;",
      `  directory = join(homedir(), ".cache", "loader");`,
      "}",
      "```",
      "",
    );
    expect(replaceText(FILE, old, old.replace("```", "\nconst more = 1;\n```"))).toMatchObject({
      ok: true,
      text: `${FILE}\nconst more = 1;\n`,
      strategy: "edge",
    });
  });
});

it("a line that differs in a word is refused, unless it was seen: then the file's stays", () => {
  const old = lines(...body, "  return format(text);");
  const changed = old.replace("loaded", "read");
  expect(replaceText(FILE, old, changed)).toMatchObject({ ok: false });
  expect(replaceText(FILE, old, changed, { seen: true })).toMatchObject({
    strategy: "fuzzy_block",
    text: FILE.replace("loaded", "read"),
  });
});

describe("refused", () => {
  it.each([
    ["lines at both edges", ["  // Reads it", ...body, "  // no more"]],
    ["two lines before", ["  // Reads it", "  // as a whole", ...body]],
    ["two lines after", [...body, "  // no", "  // more"]],
    ["three lines", ["  // one", "  // two", "  // three", ...body]],
    ["the name of another function", ["export function store(name) {", ...body]],
    ["another function, built differently", ["async storeIt(name, options = {}) {", ...body]],
    ["a heading", ["# Loading", ...body]],
    ["a line that stands a little further up", ['import { readFile } from "node:fs";', ...body]],
    ["too little that is there", ["  // Reads it", "  limit = 10;"]],
  ])("%s", (_name, old) => {
    const text = old.join("\n");
    const changed = text.replace("loaded", "read").replace("= 10", "= 11");
    expect(changed).not.toBe(text);
    expect(replaceText(FILE, text, changed)).toMatchObject({ ok: false });
    expect(replaceText(FILE, text, changed, { seen: true })).toMatchObject({ ok: false });
  });

  it.each([
    ["built like the file's line, indented otherwise", "      zzzzzzz = qqqqq;", "  limit = 10;"],
    ["half of whose words the file's line has", "  keep(user, all, things);", "  [user][all][of][them] = 1;"],
    ["of which half is as in the file's line", "  abcdefghijklmnop.qrstuv();", "  abcdefghijklmnoq - x"],
  ])("a line %s", (_name, wrote, there) => {
    const file = FILE.replace("  const text", `${there}\n  const text`);
    const old = lines(wrote, ...body);
    expect(replaceText(file, old, old.replace("loaded", "read"))).toMatchObject({ ok: false });
    const unlike = lines("  // Reads it", ...body);
    expect(replaceText(file, unlike, unlike.replace("loaded", "read"))).toMatchObject({ ok: true, strategy: "edge" });
  });

  it("the line stands at the edge of old text only", () => {
    const rest = lines(...body);
    expect(replaceText(FILE, lines("  // Reads it", rest), rest.replace("loaded", "read"))).toMatchObject({
      ok: false,
    });
  });

  it("what is left stands in two places", () => {
    const twice = `${FILE}\n${FILE}`;
    const old = lines("  // Reads it", ...body);
    expect(replaceText(twice, old, old.replace("loaded", "read"))).toMatchObject({ ok: false });
  });

  it.each([
    ["far above", "  openSession(user);\n  charge(account, amount * 2);"],
    ["far above, with other blanks", "   openSession(user); \n  charge(account, amount * 2);"],
    ["far below", "  charge(account, amount * 2);\n  closeSession(user);"],
    ["a brace", "}\n  charge(account, amount * 2);"],
    ["blank lines", "\n\n  charge(account, amount * 2);"],
  ])("a line that the file has elsewhere: %s", (_name, old) => {
    const steps = Array.from({ length: 9 }, (_, n) => `  step${n}(${n});`);
    const open = lines("function a() {", "  openSession(user);", "}", "", ...steps, "  if (dry) return;");
    const close = lines("  done();", ...steps.toReversed(), "  closeSession(user);", "");
    const file = lines(open, "  charge(account, amount * 2);", close);
    const changed = old.replace("amount * 2", "0");
    expect(replaceText(file, old, changed)).toMatchObject({ ok: false });
    expect(replaceText(file, old, changed, { seen: true })).toMatchObject({ ok: false });
  });

  it("without its first line it stands in one place, without its last in another", () => {
    const between = Array.from({ length: 10 }, (_, n) => `  step(${n});`);
    const file = lines(
      "  // first of all",
      ...body,
      "  return parse(text);",
      ...between,
      "  await lock.release();",
      ...body,
      '  throw new Error("none");',
      "",
    );
    const old = lines("  // first of all", ...body, '  throw new Error("none");');
    expect(replaceText(file, old, old.replace("loaded", "read"))).toMatchObject({ ok: false });
  });

  it("what is left begins, or ends, within a line", () => {
    const file = lines("// limits", "export const limit = compute(all);", "run(limit); // at once", "");
    const head = lines("// sets it", "limit = compute(all);", "run(limit); // at once");
    expect(replaceText(file, head, head.replace("all", "some"))).toMatchObject({ ok: false });
    const tail = lines("export const limit = compute(all);", "run(limit);", "// and that is it");
    expect(replaceText(file, tail, tail.replace("all", "some"))).toMatchObject({ ok: false });
  });

  it("new lines between a line that is not there and what is left", () => {
    const old = lines("  // Reads it", ...body);
    expect(replaceText(FILE, old, old.replace("  const", "  check(name);\n  const"))).toMatchObject({ ok: false });
  });

  it("new lines between what is left and a line that is not there", () => {
    const old = lines(...body, "  // no more");
    expect(replaceText(FILE, old, old.replace("  // no", "  check(name);\n  // no"))).toMatchObject({ ok: false });
  });

  it.each([
    ["await push('one');\nexpect(await entriesOf(desk)).toHaveLength(2);", "expect(await run(['undo'])).toEqual([1]);"],
    ["init();\nreturn compute(total, limit);", "const sum = add(items);"],
  ])("what is left is one line, of another place: %j", (file, gone) => {
    const [last] = file.split("\n").slice(-1);
    const changed = `${gone}\n${last} changed`;
    expect(replaceText(`${file}\n`, `${gone}\n${last}`, changed)).toMatchObject({ ok: false });
  });

  it("what is left of a member of a list whose name differs", () => {
    const file = "jobs:\n  - name: web\n    image: registry/one:1\n    ports: [8080, 8443, 9090]\n";
    const old = "  - name: db\n    image: registry/one:1\n    ports: [8080, 8443, 9090]\n";
    expect(replaceText(file, old, old.replace("one:1", "one:2"))).toMatchObject({ ok: false });
  });
});

const WORDS = ["alpha", "config", "result", "buffer", "index", "total", "client", "value"];
const word = fc.constantFrom(...WORDS);
const statement = fc.oneof(
  fc.tuple(word, word, word, word).map(([a, b, c, d]) => `  const ${a} = ${b}(${c}, ${d});`),
  fc.tuple(word, word, word).map(([a, b, c]) => `  if (${a} === ${b}) return ${c};`),
  fc.tuple(word, word).map(([a, b]) => `  log("${a} ${b}");`),
  fc.constantFrom("", "  }", "  return;"),
);

it("somebody changed the place that is meant, and most of it stands elsewhere: nothing is changed there", () => {
  let refused = 0;
  fc.assert(
    fc.property(
      fc.array(statement, { minLength: 20, maxLength: 40 }),
      fc.tuple(fc.nat(), fc.nat(), fc.nat(), fc.nat()),
      fc.tuple(fc.integer({ min: 2, max: 3 }), fc.boolean()),
      statement,
      (all, [from, other, changedAt, copyAt], [count, first], theirs) => {
        const at = 3 + (from % (all.length - 8));
        const old = all.slice(at, at + count);
        const body = first ? old.slice(1) : old.slice(0, -1);
        const wanted = old.with((first ? 1 : 0) + (changedAt % body.length), "  CHANGED();");
        const now = all.with(at + (first ? 1 : 0) + (other % body.length), theirs);
        const below = copyAt % 2 === 0;
        const copy = below ? Math.min(at + count + (copyAt % 12), now.length) : Math.max(0, at - (copyAt % 12));
        now.splice(copy, 0, ...body);
        const file = `${lines(...now)}\n`;
        const result = replaceText(file, lines(...old), lines(...wanted), { maxSuggestions: 0 });
        if (!result.ok) refused++;
        else expect(result.strategy).not.toBe("edge");
      },
    ),
    { numRuns: 2_000, seed: 1 },
  );
  expect(refused).toBeGreaterThan(1_000);
});

describe.skipIf(dataMissing)("recorded trials (skipped where ../shared/data is absent)", () => {
  it("with any line of the file in place of an edge: the expected bytes, or a refusal", () => {
    const exact = dataMissing ? [] : trials().filter(({ cls }) => cls === "exact");
    const wrong: string[] = [];
    let applied = 0;
    fc.assert(
      fc.property(fc.nat(exact.length - 1), fc.nat(), fc.boolean(), (n, pick, first) => {
        const { content, old, new: changed, expected, id } = exact[n]!;
        const [a, b] = [old.split("\n"), changed.split("\n")];
        const at = first ? 0 : a.length - 1;
        const to = first ? 0 : b.length - 1;
        if (a[at] !== b[to] || a[at]!.trim() === "") return;
        const other = content.split("\n");
        a[at] = b[to] = other[pick % other.length]!;
        const result = replaceText(content, a.join("\n"), b.join("\n"), { maxSuggestions: 0 });
        if (!result.ok) return;
        applied++;
        if (result.text !== expected) wrong.push(`${id} ${result.strategy}`);
      }),
      { numRuns: 600, seed: 1 },
    );
    expect(wrong).toEqual([]);
    expect(applied).toBeGreaterThan(20);
  });
});
