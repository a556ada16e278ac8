// Lines that differ as the names of siblings do tell one place from another: they are never taken for slips.
import { replaceText } from "stet/edit";
import { describe, expect, it } from "vitest";

/** An edit beside a line that the file has otherwise. */
function editBeside(wrote: string, file: string) {
  const block = (line: string) => `function handle(request) {\n  ${line};\n  audit.note(request);\n  return true;\n}\n`;
  const oldText = block(wrote);
  return replaceText(block(file), oldText, oldText.replace("return true", "return false"), { seen: true });
}

describe("siblings", () => {
  it.each([
    ["a plural", "saveUser(x)", "saveUsers(x)"],
    ["a plural within a name", "getUserName()", "getUsersName()"],
    ["a plural in -es", "getBoxSize()", "getBoxesSize()"],
    ["another number", "step1()", "step2()"],
    ["a number put on", "step()", "step2()"],
    ["a word put in", "getName()", "getUserName()"],
    ["another case of words, one put on", "user_name = 1", "userNameId = 1"],
    ["something before it", "valid(x)", "invalid(x)"],
    ["one of two words", "save(user, all)", "save(users, none)"],
    ["numbers alone", "f(1)", "f(2)"],
  ])("%s is refused, although all else is alike", (_name, a, b) => {
    expect(editBeside(a, b)).toMatchObject({ ok: false });
    expect(editBeside(b, a)).toMatchObject({ ok: false });
  });

  it.each([
    ["marks only", "save(user, all)", "save( user, all )"],
    ["letters that changed places", "validate(user)", "vaildate(user)"],
  ])("are not lines that differ in %s", (_name, a, b) => {
    expect(editBeside(b, a)).toMatchObject({ ok: true });
  });
});

it("a block that declares something else is another block", () => {
  for (const [wrote, file] of [
    ["function load(a) {", "function store(a) {"],
    ['it("loads", () => {', 'it("stores", () => {'],
  ] as const) {
    const text = `${file}\n  first(a);\n  second(a);\n  return third(a);\n}\n`;
    const oldText = text.replace(file, wrote);
    expect(replaceText(text, oldText, oldText.replace("third", "last"), { seen: true })).toMatchObject({ ok: false });
  }
});
