// For any policy: deny beats allow, no spelling gets round a rule, and nothing malformed yields more than it says.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { definePolicy, policyUnlessRefused } from "../support/policy.ts";

const RUNS = process.env.STET_HEAVY === "1" ? 1000 : 200;
const ACTIONS = definePolicy().allowedActions;
const isGlob = (text: string): boolean => policyUnlessRefused({ deniedPaths: [text] }) !== undefined;
const namesOf = (text: string): string[] => text.split("/").filter((name) => name !== "" && name !== ".");
/** Whether a path is open where nothing but this glob is. */
const matches = (text: string, at: string): boolean =>
  definePolicy({ protect: false, allowedPaths: [text] }).allows(at, "read");

const name = fc.oneof(
  fc.constantFrom(
    "a",
    "b",
    "src",
    ".git",
    ".env",
    "x.ts",
    "Ünï",
    "(group)",
    "c++",
    "$x^",
    "a|b",
    "@s",
    "!n",
    "a b",
    '"q"',
    "#",
    "~t",
  ),
  fc.stringMatching(/^[\w@!+$^|()'"#%&;=~. -]{1,8}$/).filter((text) => text.trim() !== "" && !/^\.+$/.test(text)),
);
const path = fc.array(name, { minLength: 1, maxLength: 4 }).map((names) => names.join("/"));
const glob = fc
  .array(fc.oneof(name, fc.constantFrom("*", "**", "*.ts", "s*", "?", "[a-c]", "{a,b}")), {
    minLength: 1,
    maxLength: 4,
  })
  .map((names) => names.join("/"))
  .filter((text) => isGlob(text) && text === text.trim());
const action = fc.constantFrom(...ACTIONS);

describe("globs", () => {
  it("without wildcards match themselves and nothing else", () => {
    fc.assert(
      fc.property(path, path, (one, other) => {
        fc.pre(isGlob(one));
        expect(matches(one, one)).toBe(true);
        expect(matches(one, other)).toBe(namesOf(one).join("/") === namesOf(other).join("/"));
      }),
      { numRuns: RUNS },
    );
  });

  it("match as a slow and obvious matcher does", () => {
    fc.assert(
      fc.property(glob, path, (text, candidate) => {
        expect(matches(text, candidate)).toBe(slowMatch(namesOf(text), namesOf(candidate)));
      }),
      { numRuns: RUNS },
    );
  });
});

describe("policies", () => {
  it("deny what a deny rule matches, whatever is allowed, in any spelling", () => {
    const spelling = fc.constantFrom<(text: string) => string>(
      (text) => text,
      (text) => text.toUpperCase(),
      (text) => text.replace(/^(.)/u, "$1\u200b"),
      (text) => `${text}. .`,
      (text) => `${text}::$DATA`,
      (text) => `${text}/below/it`,
      (text) => `./${text.replaceAll("/", "//")}`,
      (text) => text.normalize("NFD"),
    );
    fc.assert(
      fc.property(path, spelling, action, fc.boolean(), (target, spell, what, throughProtect) => {
        fc.pre(isGlob(target) && target === target.trim() && !/[. ~:](\/|$)/.test(target) && !target.includes("~"));
        const denying = throughProtect
          ? { protect: [{ name: "x", paths: [target] }] }
          : { deniedPaths: [target], protect: false as const };
        const policy = definePolicy({ ...denying, allowedPaths: ["**", target], allowedActions: ACTIONS });
        expect(policy.allows(spell(target), what)).toBe(false);
      }),
      { numRuns: RUNS },
    );
  });

  it("never allow more with a rule than without it", () => {
    fc.assert(
      fc.property(
        path,
        action,
        fc.array(glob, { maxLength: 3 }),
        fc.array(glob, { maxLength: 3 }),
        (target, what, allowed, denied) => {
          const open = definePolicy({ protect: false });
          const narrow = definePolicy({ protect: false, allowedPaths: allowed, deniedPaths: denied });
          if (narrow.allows(target, what)) {
            expect(open.allows(target, what)).toBe(true);
            expect(definePolicy({ protect: false, allowedPaths: allowed }).allows(target, what)).toBe(true);
            expect(definePolicy({ protect: false, deniedPaths: denied }).allows(target, what)).toBe(true);
          }
        },
      ),
      { numRuns: RUNS },
    );
  });

  it("refuse malformed input instead of allowing more than an empty policy does", () => {
    const key = fc.oneof(
      fc.constantFrom(
        "allowedActions",
        "allowedPaths",
        "deniedPaths",
        "maxFileBytes",
        "readOnly",
        "protect",
        "readonly",
        "denied_paths",
      ),
      fc.string({ maxLength: 12 }),
    );
    const alwaysClosed = [".stet/journal", "../x", "/x", ""];
    const closed = [...alwaysClosed, ".env", ".git/hooks/x", "id_rsa"];
    fc.assert(
      fc.property(fc.oneof(fc.anything(), fc.dictionary(key, fc.anything())), (input) => {
        const policy = policyUnlessRefused(input);
        if (policy === undefined) return;
        const says = input as { protect?: unknown } | undefined;
        for (const probe of says?.protect === undefined ? closed : alwaysClosed)
          expect(policy.allows(probe, "write")).toBe(false);
        expect(Number.isSafeInteger(policy.maxFileBytes) && policy.maxFileBytes > 0).toBe(true);
      }),
      { numRuns: RUNS },
    );
  });

  it("hold one wrong thing against the whole policy", () => {
    const wrong = fc
      .anything()
      .filter((value) => !Array.isArray(value) && typeof value !== "boolean" && typeof value !== "number");
    const keys = fc.constantFrom("allowedActions", "allowedPaths", "deniedPaths", "maxFileBytes", "readOnly");
    fc.assert(
      fc.property(keys, wrong, (key, value) => {
        expect(policyUnlessRefused({ allowedPaths: ["**"], [key]: value })).toBeUndefined();
      }),
      { numRuns: RUNS },
    );
  });
});

function slowMatch(segments: readonly string[], names: readonly string[]): boolean {
  const [segment, ...rest] = segments;
  if (segment === undefined) return names.length === 0;
  if (segment === "**")
    return names.length === 0 ? slowMatch(rest, []) : slowMatch(rest, names) || slowMatch(segments, names.slice(1));
  const [first, ...others] = names;
  return first !== undefined && slowName(segment, first) && slowMatch(rest, others);
}

function slowName(segment: string, text: string): boolean {
  if (segment === "[a-c]") return /^[a-c]$/.test(text);
  if (segment === "{a,b}") return /^[ab]$/.test(text);
  if (segment === "?") return text.length === 1;
  if (segment === "*") return true;
  if (segment === "*.ts") return text.endsWith(".ts");
  return segment === "s*" ? text.startsWith("s") : segment === text;
}
