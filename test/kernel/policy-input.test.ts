// A policy with anything wrong in it is refused, and the refusal says what.
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { Refusal } from "../../src/core/failure.ts";
import { definePolicy } from "../../src/kernel/policy/policy.ts";
import { PROTECTED } from "../../src/kernel/policy/protected.ts";

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

const sparse = ["a"];
sparse[2] = "b";

describe("definePolicy refuses", () => {
  it.each<[unknown, string]>([
    [null, "policy: expected an object, found null."],
    ["read", 'policy: expected an object, found "read".'],
    [[], "policy: expected an object, found a list."],
    [new Map(), "policy: expected an object, found a object."],
    [{ deniedpaths: [] }, "policy.deniedpaths: expected only allowedActions"],
    [{ [Symbol("x")]: 1 }, "policy.Symbol(x)"],
    [JSON.parse('{"__proto__": {"readOnly": false}}'), "policy.__proto__"],
    [Object.create({ readOnly: true }), "policy: expected an object"],
    [{ deniedPaths: ["a"], denied_paths: [] }, "policy.denied_paths: expected deniedPaths only once"],
    [{ allowedActions: "read" }, "policy.allowedActions: expected a list"],
    [{ allowedActions: ["reed"] }, "policy.allowedActions[0]: expected one of read, list"],
    [{ allowedActions: [undefined] }, "policy.allowedActions[0]"],
    [{ deniedPaths: undefined }, "policy.deniedPaths: expected a list, found undefined."],
    [{ deniedPaths: "secret/**" }, "policy.deniedPaths: expected a list"],
    [{ deniedPaths: [""] }, "policy.deniedPaths[0]"],
    [{ deniedPaths: ["a", 7] }, "policy.deniedPaths[1]: expected a glob such as src/**, found 7."],
    [{ deniedPaths: sparse }, "policy.deniedPaths[1]"],
    [{ deniedPaths: [" a"] }, "policy.deniedPaths[0]"],
    [{ deniedPaths: ["/etc/**"] }, "policy.deniedPaths[0]: expected a glob from the root of the workspace"],
    [{ deniedPaths: ["C:/x"] }, "policy.deniedPaths[0]"],
    [{ deniedPaths: ["../x"] }, "leads upwards"],
    [{ deniedPaths: ["!src"] }, "starts with"],
    [{ deniedPaths: ["~/x"] }, "not expanded"],
    [{ deniedPaths: ["a\\b"] }, "backslash"],
    [{ deniedPaths: ["+(a)"] }, "extended pattern"],
    [{ deniedPaths: ["{a"] }, "braces"],
    [{ deniedPaths: ["{a/b,c}"] }, "braces"],
    [{ deniedPaths: ["{1..9}"] }, "range"],
    [{ deniedPaths: ["[a"] }, "set"],
    [{ deniedPaths: ["[z-a]"] }, "set"],
    [{ deniedPaths: ["[[:alpha:]]"] }, "set"],
    [{ deniedPaths: ["{{home}}/x"] }, "braces"],
    [{ deniedPaths: ["a\0"] }, "control characters"],
    [{ deniedPaths: ["a".repeat(600)] }, "longer than"],
    [{ deniedPaths: ["{a,b}".repeat(30)] }, "braces"],
    [{ deniedPaths: ["*a".repeat(30)] }, "stars"],
    [{ deniedPaths: ["**/a/".repeat(30)] }, "**"],
    [{ allowedPaths: ["{a"] }, "policy.allowedPaths[0]"],
    [{ maxFileBytes: 0 }, "policy.maxFileBytes: expected a whole number"],
    [{ maxFileBytes: Number.POSITIVE_INFINITY }, "policy.maxFileBytes"],
    [{ maxFileBytes: "10" }, "policy.maxFileBytes"],
    [{ readOnly: "false" }, "policy.readOnly: expected true or false"],
    [{ readOnly: 0 }, "policy.readOnly"],
    [{ protect: true }, "policy.protect: expected an object"],
    [{ protect: { remove: ["nope"] } }, "policy.protect.remove[0]: expected one of git"],
    [{ protect: { remove: ["stet"] } }, "always holds"],
    [{ protect: { delete: [] } }, "policy.protect.delete"],
    [{ protect: ["**/.env"] }, "policy.protect[0]: expected an object"],
    [{ protect: [{ name: "stet", paths: [] }] }, "policy.protect[0].name"],
    [{ protect: [{ name: "x" }] }, "policy.protect[0].paths: expected a list"],
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
    for (const { name, deny, paths, reason } of PROTECTED) {
      expect(page).toContain(
        `| \`${name}\` | ${deny} | ${paths.map((path) => `\`${path}\``).join(", ")} | ${reason} |`,
      );
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
