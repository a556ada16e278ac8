// Policies that were written to take long: a thousand globs and the names that suit them least.
import { describe, expect, it } from "vitest";
import { definePolicy, type PolicyInput } from "../../src/kernel/policy/policy.ts";

const many = (make: (n: number) => string): string[] => Array.from({ length: 1000 }, (_, n) => make(n));
const LONG = "a".repeat(250);
const DEEP = "a/".repeat(2000);
const WIDE = `${LONG}/`.repeat(16);

/** Of the processor, whatever else it does: far more than it takes, and far less than it took. */
const MOST_MS = 1000;

/** The best of three, after the first, which compiles. */
function msFor(policy: PolicyInput, path: string): number {
  const { allows } = definePolicy(policy);
  expect(allows("first", "read")).toBe(true);
  const times = [0, 1, 2].map((n) => {
    const began = process.cpuUsage();
    expect(allows(`${path}${n}`, "list")).toBe(true);
    return process.cpuUsage(began).user / 1000;
  });
  return Math.min(...times);
}

describe("one path takes no time to speak of", () => {
  it.each<readonly [what: string, globs: readonly string[], path: string]>([
    ["stars", many((n) => `*a*a*ab${n}`), LONG],
    ["stars at any depth", many((n) => `**/*a*a*ab${n}`), WIDE],
    ["long literals", many((n) => `*${"a".repeat(120)}b${n}*`), LONG],
    ["question marks", many((n) => `*${"a?".repeat(60)}b*c${n}`), LONG],
    ["sets", many((n) => `*${"[ab]".repeat(8)}*c${n}`), LONG],
    ["braces", many((n) => `*{a*,aa,ab}{a,aa,ab*}{a,aa,ab}${n}x`), LONG],
    ["letters of all kinds", many((n) => `*é*[!é]*${n}x`), "éöüßñøåæ".repeat(30)],
    ["depths", many((n) => `**/b${n}/**/a`), DEEP],
    ["depths and stars", many((n) => `**/a*/b${n}/**/*a`), DEEP],
  ])("for a thousand %s", (_what, globs, path) => {
    expect(msFor({ deniedPaths: globs }, path)).toBeLessThan(MOST_MS);
  });

  it("for a thousand exceptions", () => {
    const add = [{ name: "all", paths: ["**"], except: [...many((n) => `**/*a*a*ab${n}`), "**"] }];
    expect(msFor({ protect: { add } }, LONG)).toBeLessThan(MOST_MS);
  });

  it("for a thousand paths that are allowed", () => {
    const allowedPaths = [...many((n) => `*a*a*ab${n}`), "first", "a*"];
    expect(msFor({ allowedPaths }, LONG)).toBeLessThan(MOST_MS);
  });
});

describe("globs that are refused for what they would cost, or do", () => {
  const messageOf = (glob: string): string => {
    try {
      definePolicy({ deniedPaths: [glob] }).allows("x", "read");
      return "accepted";
    } catch (error) {
      return (error as Error).message;
    }
  };

  it.each([
    ["{a,b,c,d,e}{a,b,c,d,e}{a,b,c}", "braces that spell out more than 64 names"],
    ["{a,b,c,d}{a,b,c,d}{a,b,c,d}", "accepted"],
    ["{a,{b,c}}{a,b,c,d}*", "accepted"],
    ["[ab]".repeat(17), "more than 16 sets"],
    ["[ab]".repeat(16), "accepted"],
    // In lower case, as deny rules are compared, it ends before it begins.
    ["[Z-a]", "a set that makes no sense"],
    ["{x{a,b}}*", "braces without a choice"],
    ["a}{b,c}", "braces that do not pair"],
  ])("%s", (glob, words) => {
    expect(messageOf(glob)).toContain(words);
  });
});

it("a star stands for every character, line ends too", () => {
  const { allows } = definePolicy({ deniedPaths: ["*.pem", "?x"], protect: false });
  for (const end of ["\n", "\r", "\u2028", "\u2029"]) {
    expect(allows(`${end}a.pem`, "read")).toBe(false);
    expect(allows(`${end}x`, "read")).toBe(false);
  }
});

it("any directory on the way counts, whatever its depth", () => {
  const { explain } = definePolicy({
    deniedPaths: ["**/b/**/c", "a/**/d/e", "x/**"],
    protect: { add: [{ name: "f", paths: ["**/f/*"], except: ["**/q/f/*"] }] },
  });
  for (const [path, rule] of [
    ["a/b/a/c/z", "**/b/**/c"],
    ["b/c", "**/b/**/c"],
    ["c/b/a", "none"],
    ["a/d/e/z", "a/**/d/e"],
    ["a/d/d/e", "a/**/d/e"],
    ["d/e", "none"],
    ["x", "x/**"],
    ["q/f/g", "none"],
    ["q/f/f/g", "**/f/*"],
    ["f", "none"],
  ])
    expect([path, explain(path!, "read").rule]).toEqual([path, rule]);
});
