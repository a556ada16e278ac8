// Lines that differ as the names of siblings do: they tell one place from another.
import { describe, expect, it } from "vitest";
import { areSiblings, wordsOf } from "../../src/edit/ladder/compare/siblings.ts";
import { opensOther } from "../../src/edit/ladder/headings.ts";

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
  ])("%s", (_name, a, b) => {
    expect(areSiblings(a, b, false)).toBe(true);
    expect(areSiblings(b, a, false)).toBe(true);
  });

  it.each([
    ["nothing", "save(user)", "save(user)"],
    ["marks only", "save(user)", "save( user );"],
    ["case only", "userName", "user_name"],
    ["other words", "save(user)", "load(file)"],
    ["one of its words", "getUserName()", "getUserMail()"],
    ["a letter put on", "render()", "rendered()"],
    ["a short word put on", "at", "cat"],
    ["more words", "save(user)", "save(user, users)"],
    ["the letter of a string", 'f"user"', '"user"'],
  ])("are not lines that differ in %s", (_name, a, b) => {
    expect(areSiblings(a, b, false)).toBe(false);
  });

  it("in prose, where all that differs is of that kind", () => {
    expect(areSiblings("the user is new", "the users is new", true)).toBe(true);
    expect(areSiblings("the user is new", "the users are new", true)).toBe(false);
    expect(areSiblings("the user is new", "the users are new", false)).toBe(true);
  });

  it("the letter of a string is no word, that of a name is", () => {
    expect(wordsOf("f\"one\" rb'two' buf'three' x")).toEqual(["one", "two", "buf", "three", "x"]);
  });
});

it("lines that declare something, and not the same", () => {
  const declareOthers = (wrote: string, file: string) => opensOther([file], 0, wrote, true);
  expect(declareOthers("type Load = string;", "type Store = string;")).toBe(true);
  expect(declareOthers("function load(a) {", "function store(a) {")).toBe(true);
  expect(declareOthers('it("loads", () => {', 'it("stores", () => {')).toBe(true);
  expect(declareOthers("def load():", "def Load():")).toBe(false);
  expect(declareOthers("def load():", "load()")).toBe(false);
  expect(declareOthers("load()", "def load():")).toBe(false);
});
