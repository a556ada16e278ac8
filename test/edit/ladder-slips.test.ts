import { replaceText } from "stet/edit";
import { describe, expect, it } from "vitest";

/** An edit beside a line in which the old text has something else than the file. */
function editBeside(wrote: string, file: string, seen: boolean) {
  const block = (line: string) => `start_of(all);\n${line}\nfinish_with(all);\nreport(done);\n`;
  const oldText = block(wrote);
  const result = replaceText(block(file), oldText, oldText.replace("done", "over"), { seen });
  return result.ok ? result.text === block(file).replace("done", "over") : result.kind;
}

describe("slips of the pen", () => {
  it("letters that changed places are read as the file has them", () => {
    expect(editBeside("retrun x;", "return x;", false)).toBe(true);
  });

  it.each([
    ["exec_apram(1)", "exec_param(1)"],
    ["occured(when)", "occurred(when)"],
    ["calcuate(total)", "calculate(total)"],
    ["say('a')", 'say("a")'],
    ["call(a, b)", "call(a, b);"],
  ])("letters or marks: %s for %s, where the file was seen", (wrote, file) => {
    expect(editBeside(wrote, file, true)).toBe(true);
  });

  it.each([
    ["saveUser(u)", "saveUsers(u)", "a plural"],
    ["next()", "next2()", "a number"],
    ["const y = 99;", "const y = 2;", "another number"],
    ["Foo(bar)", "foo(bar)", "another case"],
    ["ab(1)", "ba(1)", "a short name"],
    ["RBGA(1)", "RGBA(1)", "an acronym"],
    ["call(a, b)", "call(a)", "a word more"],
    ["上海东方(x)", "海上东方(x)", "characters that are words"],
  ])("not a slip: %s for %s, %s", (wrote, file) => {
    expect(editBeside(wrote, file, false)).not.toBe(true);
  });
});

const FILE = "function save(user) {\n  validate(user);\n  db.write(user);\n  return true;\n}\n";
const edit = (wrong: (text: string) => string, options = {}, file = FILE) => {
  const oldText = wrong(FILE);
  return replaceText(file, oldText, oldText.replace("return true", "return false"), options);
};
const CHANGED = FILE.replace("return true", "return false");

describe("spelling: letters exchanged or doubled in one word of one line", () => {
  it("is read as the word of the file, which stays, and reported", () => {
    const result = edit((text) => text.replace("validate", "vaildate"));
    expect(result).toMatchObject({ ok: true, strategy: "spelling", text: CHANGED });
    expect(result.ok && result.warnings).toEqual([
      "Line 2: the old text says `vaildate`, the file `validate`; taken for a typo.",
    ]);
    expect(result.ok && result.similarity).toBeGreaterThan(0.95);
  });

  it("is refused when the misspelt word is in the file", () => {
    expect(edit((text) => text.replace("validate", "vaildate"), {}, `${FILE}vaildate();\n`)).toMatchObject({
      kind: "old_text_not_found",
    });
  });

  it("is refused when the slip would be written into the file", () => {
    const oldText = FILE.replace("validate(user)", "vaildate(user)");
    expect(replaceText(FILE, oldText, oldText.replace("vaildate(user)", "vaildate(user, db)"))).toMatchObject({
      kind: "old_text_not_found",
    });
  });

  it("is refused when another place resembles it, too", () => {
    const sibling = FILE.replace("save", "send");
    expect(edit((text) => text.replace("validate", "vaildate"), {}, `${FILE}${sibling}`)).toMatchObject({
      kind: "old_text_not_found",
    });
  });

  it("is refused in less than three lines", () => {
    expect(replaceText(FILE, "  vaildate(user);\n  db.write(user);", "  x();")).toMatchObject({
      kind: "old_text_not_found",
    });
  });
});

describe("fuzzy block: only for bytes that the caller has seen", () => {
  const slip = (text: string) => text.replace("validate", "validte").replace("db.write(user);", "db.write(user)");

  it("reads slips as what the file says, and reports similarity and text", () => {
    expect(edit(slip)).toMatchObject({ kind: "old_text_not_found" });
    const result = edit(slip, { seen: true });
    expect(result).toMatchObject({ ok: true, strategy: "fuzzy_block", text: CHANGED });
    expect(result.ok && result.matchedText).toBe(FILE.trimEnd());
    expect(result.ok && result.similarity).toBeGreaterThan(0.85);
    expect(result.ok && result.warnings).toHaveLength(2);
  });

  it("is turned off by a threshold of 1, and stricter with a higher one", () => {
    expect(edit(slip, { seen: true, fuzzyThreshold: 1 })).toMatchObject({ kind: "old_text_not_found" });
    expect(edit(slip, { seen: true, fuzzyThreshold: 0.99 })).toMatchObject({ kind: "old_text_not_found" });
  });

  it("never takes one name for another, however alike the blocks are", () => {
    for (const [from, to] of [
      ["save", "saves"],
      ["user", "user2"],
      ["validate", "invalidate"],
      ["true", "null"],
    ] as const) {
      expect(edit((text) => text.replace(from, to), { seen: true })).toMatchObject({ ok: false });
    }
  });

  it("needs a clear distance to the runner-up", () => {
    expect(edit(slip, { seen: true }, `${FILE}${FILE}`)).toMatchObject({ kind: "old_text_not_found" });
    expect(edit(slip, { seen: true }, `${FILE}\n${FILE.replace("save", "send")}`)).toMatchObject({
      kind: "old_text_not_found",
    });
  });

  it("needs three lines", () => {
    expect(replaceText("validate(user);\n", "validte(user);", "x", { seen: true })).toMatchObject({ ok: false });
    const line = "const answer = computeTheFinalAnswer(question, context);";
    expect(replaceText(`${line}\n`, line.replace("Final", "Fianl"), "x", { seen: true })).toMatchObject({ ok: false });
  });
});

it("a slip is taken beside a stretch that differs in three lines", () => {
  const block = (more: string) =>
    [
      "validate(user);",
      `store.write${more}(user);`,
      `cache.clear${more}(user);`,
      "mailer.send(user);",
      "return done;",
    ].join("\n");
  const file = `${block("")}\n\n${block("Later")}\n`;
  const oldText = block("").replace("return", "retrun");
  expect(replaceText(file, oldText, oldText.replace("write", "put"))).toMatchObject({
    strategy: "spelling",
    text: file.replace("write", "put"),
  });
});

it("a slip that stands in the file only within a longer word is still one; a word of the file is none", () => {
  const text = "first_step(one);\nsecond_step(total);\nthird_step(three);\n";
  const oldText = text.replace("total", "toatl");
  const edit = (more: string) => replaceText(text + more, oldText, oldText.replace("third", "last"));
  expect(edit("call(toatlity);\n")).toMatchObject({
    ok: true,
    text: `${text.replace("third", "last")}call(toatlity);\n`,
  });
  expect(edit("call(toatl);\n")).toMatchObject({ ok: false });
});

it("a line that would be rewritten, and is not given as the file has it, is named", () => {
  const result = replaceText(
    "a();\nsay(“hi”, now);\nb();\n",
    'a();\nsay("hi", now);\nb();',
    'a();\nsay("bye", now);\nb();',
  );
  expect(result).toMatchObject({ ok: false, message: expect.stringMatching(/\bline 2\b/i) });
});
