// A policy with anything wrong in it is refused, and the refusal says what.
import { readFileSync } from "node:fs";
import { Refusal } from "stet";
import { describe, expect, it } from "vitest";
import { definePolicy } from "../support/policy.ts";

function messageOf(input: unknown): string {
  try {
    definePolicy(input, { root: "/work" });
  } catch (error) {
    expect(error).toBeInstanceOf(Refusal);
    expect((error as Refusal).kind).toBe("invalid_input");
    return (error as Refusal).failure.message;
  }
  return "accepted";
}

describe("definePolicy refuses", () => {
  it.each<[unknown, string]>([
    [null, "policy: expected an object, found null."],
    ["read", 'policy: expected an object, found "read".'],
    [{ deniedpaths: [] }, "policy.deniedpaths: expected only keys that a policy has"],
    [JSON.parse('{"__proto__": {"readOnly": false}}'), "policy.__proto__"],
    [{ deniedPaths: ["a"], denied_paths: [] }, "policy.denied_paths: expected deniedPaths only once"],
    [{ allowedActions: "read" }, "policy.allowedActions: expected a list"],
    [{ allowedActions: ["reed"] }, "policy.allowedActions[0]: expected one of read, list"],
    [{ deniedPaths: undefined }, "policy.deniedPaths: expected a value, found undefined."],
    [{ deniedPaths: "secret/**" }, "policy.deniedPaths: expected a list"],
    [{ deniedPaths: ["a", 7] }, "policy.deniedPaths[1]: expected a glob such as src/**, found 7."],
    [{ deniedPaths: ["/etc/**"] }, "policy.deniedPaths[0]: expected a glob from the root of the workspace"],
    [{ deniedPaths: ["../x"] }, "leads upwards"],
    [{ deniedPaths: ["!src"] }, "starts with"],
    [{ deniedPaths: ["~/x"] }, "not expanded"],
    [{ deniedPaths: ["a\\b"] }, "backslash"],
    [{ deniedPaths: ["+(a)"] }, "extended pattern"],
    [{ deniedPaths: ["{a"] }, "braces"],
    [{ deniedPaths: ["[a"] }, "set"],
    [{ deniedPaths: ["a\0"] }, "control characters"],
    [{ deniedPaths: ["a".repeat(600)] }, "longer than"],
    [{ deniedPaths: ["{a,b}".repeat(30)] }, "braces"],
    [{ deniedPaths: ["*a".repeat(30)] }, "stars"],
    [{ deniedPaths: ["**/a/".repeat(30)] }, "**"],
    [{ allowedPaths: ["{a"] }, "policy.allowedPaths[0]"],
    [{ maxFileBytes: 0 }, "policy.maxFileBytes: expected a whole number"],
    [{ readOnly: "false" }, "policy.readOnly: expected true or false"],
    [{ protect: true }, "policy.protect: expected false, a list of rules"],
    [{ protect: { remove: ["nope"] } }, "policy.protect.remove[0]: expected one of git"],
    [{ protect: { remove: ["stet"] } }, "always holds"],
    [{ protect: [{ name: "x", paths: ["a"], deny: "read" }] }, "policy.protect[0].deny"],
    [{ protect: { add: [{ name: "x", paths: ["a"], excepts: [] }] } }, "policy.protect.add[0].excepts"],
  ])("%j", (input, message) => {
    expect(messageOf(input)).toContain(message);
  });

  it("but accepts objects without prototype, and nothing at all", () => {
    expect(messageOf(Object.assign(Object.create(null), { readOnly: true }))).toBe("accepted");
    expect(messageOf(undefined)).toBe("accepted");
    expect(messageOf({})).toBe("accepted");
  });
});

describe("docs/policy.md", () => {
  it("lists the default protection as it is", () => {
    const page = readFileSync(new URL("../../docs/policy.md", import.meta.url), "utf8");
    const rows = [...page.matchAll(/^\| `([\w-]+)` \| (all|changes) \| (`[^|]+`) \|$/gm)];
    expect(rows.length).toBeGreaterThan(5);
    for (const [, name, deny, globs] of rows) {
      for (const [, glob] of globs!.matchAll(/`([^`]+)`/g)) {
        const at = glob!
          .replace("**/", "")
          .replaceAll(/\{([^,]+),[^}]*\}/g, "$1")
          .replaceAll("*", "x");
        const allowed = (["read", "write"] as const).map((action) => definePolicy().allows(at, action));
        expect([name, glob, ...allowed]).toEqual([name, glob, deny === "changes" && allowed[0], false]);
      }
    }
  });
});

describe("absolute globs around the workspace", () => {
  it("everything below a directory that holds the workspace means everything in it", () => {
    for (const glob of ["/tmp/**", "/tmp/ws/**", "/**"]) {
      expect(definePolicy({ allowedPaths: [glob] }, { root: "/tmp/ws" }).allows("src/a.ts", "read"), glob).toBe(true);
      expect(definePolicy({ deniedPaths: [glob] }, { root: "/tmp/ws" }).allows("src/a.ts", "read"), glob).toBe(false);
    }
    expect(definePolicy({ allowedPaths: ["/tmp/w/**"] }, { root: "/tmp/ws" }).allows("src/a.ts", "read")).toBe(false);
  });
});

describe("globs that are refused for what they would cost, or do", () => {
  it.each([
    ["{a,b,c,d,e}{a,b,c,d,e}{a,b,c}", "braces that spell out more than 64 names"],
    ["{a,b,c,d}{a,b,c,d}{a,b,c,d}", "accepted"],
    ["{a,{b,c}}{a,b,c,d}*", "accepted"],
    ["*a*b*", "more than 2 stars"],
    // In lower case, as deny rules are compared, it ends before it begins.
    ["[Z-a]", "a set that makes no sense"],
    ["{x{a,b}}*", "braces without a choice"],
    ["a}{b,c}", "braces that do not pair"],
  ])("%s", (glob, words) => {
    expect(messageOf({ deniedPaths: [glob] })).toContain(words);
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
