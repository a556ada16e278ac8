// Properties of diff and patch together: a unified diff of two texts, parsed and applied to the first, gives the second.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { Refusal } from "stet";
import { applySplices, parsePatch, planPatch, splitLines, unifiedDiff } from "stet/edit";
import { describe, expect, test } from "vitest";

type FilePlan = ReturnType<typeof planPatch>[number];

const RUNS = process.env.STET_HEAVY === "1" ? 3000 : 300;

const word = fc.constantFrom(
  "a",
  "b",
  "c",
  "",
  " ",
  "-- x",
  "++ y",
  "@@",
  "\\ z",
  "*** End Patch",
  "diff --git a b",
  "é𝄞",
  "\uFEFFm",
);
const line = fc.tuple(word, fc.constantFrom("\n", "\n", "\n", "\r\n", "\r")).map(([text, eol]) => text + eol);
const text = fc
  .tuple(fc.array(line, { maxLength: 25 }), fc.constantFrom("", "end", "\r", "a"))
  .map(([lines, open]) => lines.join("") + open);

/** Two texts that share most of their lines. */
const pair = fc
  .tuple(text, fc.array(fc.tuple(fc.nat(30), fc.nat(3), text), { maxLength: 3 }))
  .map(([before, edits]) => {
    const lines = before.split(/(?<=\n)/);
    for (const [at, remove, insert] of edits) lines.splice(at, remove, ...insert.split(/(?<=\n)/).slice(0, 4));
    return [before, lines.join("")] as const;
  });
const anyPair = fc.oneof(pair, fc.tuple(text, text));

describe("unifiedDiff and planPatch", () => {
  test("an update round trips, bytes and all", () => {
    fc.assert(
      fc.property(anyPair, fc.integer({ min: 1, max: 4 }), ([before, after], context) => {
        const diff = unifiedDiff(before, after, { path: "dir/a file.txt", context });
        if (before === after) {
          expect(diff.text).toBe("");
          return;
        }
        const plan = only(planPatch(parsePatch(diff.text), () => before));
        if (plan.op !== "update") throw new Error(plan.op);
        expect(plan.newText).toBe(after);
        expect(applySplices(before, plan.splices)).toBe(after);
      }),
      { numRuns: RUNS },
    );
  });

  test("a byte order mark in front stays, whether the patch spells it out or not", () => {
    fc.assert(
      fc.property(anyPair, fc.boolean(), ([before, after], spelledOut) => {
        const mark = "\uFEFF";
        fc.pre(before !== after && before !== "" && !`${before}${after}`.includes(mark));
        const [from, to] = spelledOut ? [mark + before, mark + after] : [before, after];
        const diff = unifiedDiff(from, to, { path: "f" }).text;
        const plan = only(planPatch(parsePatch(diff), () => mark + before));
        if (plan.op !== "update") throw new Error(plan.op);
        expect(plan.newText).toBe(mark + after);
        expect(applySplices(mark + before, plan.splices)).toBe(mark + after);
      }),
      { numRuns: RUNS },
    );
  });

  test("without context it round trips, added lines with their neighbour's line ends, or is refused", () => {
    fc.assert(
      fc.property(anyPair, ([before, after]) => {
        // A lone CR before a blank line becomes one CRLF as soon as that line ends in LF.
        fc.pre(before !== after && !/\r[\r\n]/.test(after.replaceAll("\r\n", "\n")));
        const { text } = unifiedDiff(before, after, { path: "p", context: 0 });
        const result = orRefusal(() => planPatch(parsePatch(text), () => before));
        if (result instanceof Refusal) return;
        const plan = only(result);
        if (plan.op !== "update") throw new Error(plan.op);
        expect(splitLines(plan.newText).map((line) => line.text)).toEqual(splitLines(after).map((line) => line.text));
      }),
      { numRuns: RUNS },
    );
  });

  test("creating, deleting and moving round trip", () => {
    fc.assert(
      fc.property(anyPair, fc.string({ minLength: 1 }).filter(isPlainName), ([before, after], name) => {
        const created = unifiedDiff("", after, { fromPath: null, toPath: name }).text;
        const add = only(planPatch(parsePatch(created), () => null));
        expect(add).toMatchObject({ op: "add", path: name, newText: after });
        const deleted = unifiedDiff(before, "", { fromPath: name, toPath: null }).text;
        expect(only(planPatch(parsePatch(deleted), () => before))).toMatchObject({ op: "delete", path: name });
        const moved = unifiedDiff(before, after, { fromPath: name, toPath: `${name}2` }).text;
        const move = only(planPatch(parsePatch(moved), (path) => (path === name ? before : null)));
        expect(move).toMatchObject({ op: "move", path: name, toPath: `${name}2`, newText: after });
      }),
      { numRuns: RUNS },
    );
  });

  const git = spawnSync("git", ["--version"]).status === 0;
  test.skipIf(!git)("git applies our diffs, and we apply git's", { timeout: 60_000 }, () => {
    const dir = mkdtempSync(join(tmpdir(), "stet-diff-"));
    try {
      for (const [before, after] of fc.sample(anyPair, { numRuns: 25, seed: 7 })) {
        if (before === after) continue;
        writeFileSync(join(dir, "f"), before);
        writeFileSync(join(dir, "g"), after);
        const raw = run(dir, "", "diff", "--no-index", "--no-color", "f", "g");
        const named = raw.replace(/^(diff --git a\/f |\+\+\+ )b\/g$/gm, "$1b/f");
        expect(only(planPatch(parsePatch(named), () => before))).toMatchObject({ path: "f", newText: after });
        run(dir, unifiedDiff(before, after, { path: "f" }).text, "apply", "--whitespace=nowarn", "-");
        expect(readFileSync(join(dir, "f"), "utf8")).toBe(after);
      }
    } finally {
      rmSync(dir, { recursive: true });
    }
  });
});

function only(plans: readonly FilePlan[]): FilePlan {
  expect(plans).toHaveLength(1);
  return plans[0]!;
}

function orRefusal<T>(call: () => T): T | Refusal {
  try {
    return call();
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
}

function isPlainName(name: string): boolean {
  return name.trimEnd() === name && !/[\ud800-\udfff]/u.test(name) && !/^\/|\/\/|(^|\/)\.{1,2}(\/|$)/.test(name);
}

function run(cwd: string, input: string, ...args: string[]): string {
  const { status, stdout, stderr } = spawnSync("git", args, { cwd, input, encoding: "utf8" });
  if (args[0] === "apply" && status !== 0) throw new Error(stderr);
  return stdout;
}
