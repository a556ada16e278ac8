// What a search refuses, what it never shows, and how it ends: the same in memory, with ripgrep and without.
import { execFileSync } from "node:child_process";
import { chmodSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { type Path, Refusal } from "stet";
import type { GrepRequest } from "stet/search";
import { describe, expect, it } from "vitest";
import { directoryWith } from "../support/workspace.ts";
import { diskSession, PLACES, placeOf } from "./places.ts";

type Ask = Partial<GrepRequest> & { pattern: string };

const BAD_GREPS: readonly (readonly [name: string, ask: Ask, kind: string, message: RegExp])[] = [
  ["an open group", { pattern: "(a" }, "command_failed", /not a valid regular expression: unclosed group/],
  ["a line break", { pattern: "a\\nb" }, "command_failed", /line break/],
  ["a NUL", { pattern: "a\0b" }, "command_failed", /NUL/],
  ["huge repeats", { pattern: "(?:a{1000}){1000}" }, "pattern_too_complex", /repetitions/],
  ["an endless pattern", { pattern: "a".repeat(20_000) }, "pattern_too_complex", /longer/],
  ["a root that is not there", { pattern: "a", root: "none" as Path }, "not_found", /none does not exist/],
  ["an unknown type", { pattern: "a", type: "klingon" }, "invalid_input", /no file type "klingon"/],
  ["a glob of stars", { pattern: "a", include: ["*a*a*a*a*b"] }, "pattern_too_complex", /stars/],
  ["a large file that is named", { pattern: "a", root: "a" as Path, maxFileBytes: 3 }, "file_too_large", /40 bytes/],
];

const BAD_GLOBS: readonly (readonly [name: string, glob: string])[] = [
  ["a brace bomb", "{a,b}".repeat(30)],
  ["a star bomb", `${"*a".repeat(39)}b`],
  ["many any-depths", "**/a/**/b/**/c/**/d/**/e"],
  ["nested groups", "+(+(a|b)|c)"],
];

async function refusal(work: Promise<unknown>): Promise<Refusal> {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(Refusal);
  return error as Refusal;
}

describe.each(PLACES)("refusals, %s", (_name, open) => {
  const place = open({ a: `${"a".repeat(39)}!` });

  it.each(BAD_GREPS)("%s", async (_, ask, kind, message) => {
    const { failure } = await refusal(place.grep(ask));
    expect(failure).toMatchObject({ kind, message: expect.stringMatching(message) });
  });

  it.each(BAD_GLOBS)("%s", async (_, glob) => {
    expect((await refusal(place.find({ pattern: glob }))).kind).toBe("pattern_too_complex");
    expect((await refusal(place.find({ exclude: [glob] }))).kind).toBe("pattern_too_complex");
  });

  it("globs that only look dangerous are accepted", async () => {
    const pattern = ["{*.ts,*.tsx,*.js,*.jsx,*.mjs}", "**/*.test.*", "packages/*/src/*/x*", "*a*"];
    expect((await place.find({ pattern })).total).toBe(1);
  });

  it.each([["(a+)+$"], ["(a+a+)+y\\1"]])("no pattern hangs: %s", async (pattern) => {
    const outcome = await place.grep({ pattern }, { deadlineMs: 150 }).then(
      ({ hits }) => `${hits.length} hits`,
      (error: Refusal) => error.kind,
    );
    expect(["0 hits", "timeout", "pattern_too_complex"]).toContain(outcome);
    expect((await place.grep({ pattern: "a!" })).total).toBe(1);
  });

  it("a deadline that is over and a call that is cancelled are said", async () => {
    const cancelled = { signal: AbortSignal.abort() };
    expect((await refusal(place.grep({ pattern: "a" }, { deadlineMs: 0 }))).kind).toBe("timeout");
    expect((await refusal(place.grep({ pattern: "a" }, cancelled))).kind).toBe("cancelled");
    expect((await refusal(place.find({}, cancelled))).kind).toBe("cancelled");
  });

  it("what the policy denies is in no answer and in no count", async () => {
    const files = {
      ".env": "KEY=abc\n",
      "a.pem": "KEY=1\n",
      "b.txt": "KEY=2\n",
      "private/c": "KEY=3\n",
      ".stet/d": "KEY=4\n",
    };
    const guarded = open(files, { policy: { deniedPaths: ["private"] } });
    const all = { hidden: true, gitignore: false };
    const { hits, total } = await guarded.grep({ pattern: "KEY=", ...all });
    expect([hits.map(({ path }) => path), total]).toEqual([["b.txt"], 1]);
    expect((await guarded.grep({ pattern: "KEY=", ...all, limit: 1 })).truncated).toBe(false);
    for (const mode of ["files", "count"] as const) {
      expect((await guarded.grep({ pattern: "KEY=", mode, ...all })).files.map(({ path }) => path)).toEqual(["b.txt"]);
    }
    expect((await guarded.find({ kind: "any", ...all })).files.map(({ path }) => path)).toEqual(["b.txt"]);
    expect((await guarded.find(all)).total).toBe(1);
    expect((await refusal(guarded.grep({ pattern: "KEY=", root: "private" as Path }))).kind).toBe("permission_denied");
    expect((await refusal(guarded.grep({ pattern: "KEY=", root: ".env" as Path }))).kind).toBe("permission_denied");
  });

  it("only what the policy allows is in an answer", async () => {
    const narrow = open({ "a/b/x": "foo\n", "a/y": "foo\n", z: "foo\n" }, { policy: { allowedPaths: ["a/b/**"] } });
    expect((await narrow.grep({ pattern: "foo" })).hits.map(({ path }) => path)).toEqual(["a/b/x"]);
    expect((await narrow.find({})).files.map(({ path }) => path)).toEqual(["a/b/x"]);
  });
});

describe.each(PLACES.slice(1))("on a real disk, %s", (name) => {
  const engine = name === "disk" ? "ripgrep" : "javascript";

  it("no link out of the workspace is crossed", async () => {
    const outside = directoryWith({ "secret.txt": "SECRET\n" });
    const root = directoryWith({ "a.txt": "x\n" });
    symlinkSync(outside, join(root, "d"));
    symlinkSync(join(outside, "secret.txt"), join(root, "s.txt"));
    const place = placeOf(diskSession(root), engine);
    expect((await place.grep({ pattern: "SECRET", hidden: true, gitignore: false })).hits).toEqual([]);
    expect((await place.find({ pattern: "**/*.txt" })).files.map(({ path }) => path)).toEqual(["a.txt"]);
    expect((await refusal(place.grep({ pattern: "SECRET", root: "d" as Path }))).kind).toBe("outside_workspace");
  });

  it("a pipe in the tree is passed over, and as the root refused", async () => {
    const root = directoryWith({ "a.txt": "x\n" });
    execFileSync("mkfifo", [join(root, "p")]);
    const place = placeOf(diskSession(root), engine);
    expect((await place.grep({ pattern: "x" })).total).toBe(1);
    expect((await place.find({})).total).toBe(1);
    expect((await refusal(place.grep({ pattern: "x", root: "p" as Path }))).kind).toBe("not_a_file");
  });

  it("options cannot be smuggled in by names, patterns, globs or types", async () => {
    const root = directoryWith({ "--pre=sh": "x\n", "-e": "x\n", "a b": "x\n" });
    const place = placeOf(diskSession(root), engine);
    expect((await place.grep({ pattern: "x", root: "--pre=sh" as Path })).total).toBe(1);
    expect((await place.grep({ pattern: "x", include: ["--pre=sh", "-*"] })).total).toBe(2);
    expect((await place.grep({ pattern: "x", exclude: ["--pre=sh", "-e"] })).hits.map(({ path }) => path)).toEqual([
      "a b",
    ]);
    expect((await place.grep({ pattern: "--pre=sh" })).total).toBe(0);
    expect((await refusal(place.grep({ pattern: "x", type: "--pre=sh" }))).kind).toBe("invalid_input");
  });

  it.skipIf(process.getuid?.() === 0)("what cannot be read is passed over", async () => {
    const root = directoryWith({ "a.txt": "x\n", "b.txt": "x\n", "dir/c": "x\n" });
    chmodSync(join(root, "b.txt"), 0);
    chmodSync(join(root, "dir"), 0);
    const place = placeOf(diskSession(root), engine);
    expect((await place.grep({ pattern: "x" })).hits.map(({ path }) => path)).toEqual(["a.txt"]);
    chmodSync(join(root, "dir"), 0o755);
  });

  it("is given no configuration from outside", async () => {
    const root = directoryWith({ "a.txt": "x\n", rc: "--invert-match\n" });
    process.env.RIPGREP_CONFIG_PATH = join(root, "rc");
    try {
      expect((await placeOf(diskSession(root), engine).grep({ pattern: "x" })).total).toBe(1);
    } finally {
      delete process.env.RIPGREP_CONFIG_PATH;
    }
  });
});
