// Every kind of refusal on every surface: what did not happen, why, and a next action that works with the tools at hand.
import { describe, expect, it } from "vitest";
import type { FailureKind } from "../../src/core/failure.ts";
import { definePolicy, type PolicyInput } from "../../src/kernel/policy/policy.ts";
import { offeredTools, surfaceNamed } from "../../src/surfaces/index.ts";
import { all } from "../../src/testing/assertions.ts";
import { knownFor } from "./walk/known.ts";
import { expectNoLacks, lacksOf } from "./walk/proper.ts";
import { Refused } from "./walk/refused.ts";
import type { Rows } from "./walk/rows.ts";
import { CALLS } from "./walk/rows-calls.ts";
import { CONTENT } from "./walk/rows-content.ts";
import { EDITS } from "./walk/rows-edits.ts";
import { PATHS } from "./walk/rows-paths.ts";
import { waysOf } from "./walk/ways.ts";
import { type Case, FILES, made, SURFACES, type SurfaceName, type World } from "./walk/world.ts";

/** Complete: the compiler misses a kind that is not here. */
const ROWS: Rows = { ...PATHS, ...CONTENT, ...EDITS, ...CALLS };
const KINDS = Object.keys(ROWS) as FailureKind[];

/** What takes tools away. */
const NARROW: readonly (readonly [words: string, policy: PolicyInput])[] = [
  ["in a read-only workspace", { readOnly: true }],
  ["where only reading is allowed", { allowedActions: ["read"] }],
  ["where only reading and editing are allowed", { allowedActions: ["read", "edit"] }],
];

describe.each(SURFACES)("%s", (name) => {
  const cases = KINDS.flatMap((kind) => {
    const row = ROWS[kind][name];
    return typeof row === "string" ? [] : row.map((given, n) => ({ kind, given, n }));
  });

  it.each(cases)("$kind ($n): $given.tool", async ({ kind, given }) => {
    const world = await made(name, given);
    const result = await refusedIn(world, given);
    if (result.ok) throw new Error(`not refused: ${result.text}`);
    const { error } = result;
    expect([error.details?.cause, error.kind], result.text).toContain(kind);
    expectNoLacks(lacksOf(world, given.tool, result), knownFor(name, result.text), result.text);
    if (given.says !== undefined) expect(result.text).toMatch(given.says);
    await expectNoQuotes(world, given);
  });

  it.each(cases)("what $kind ($n) of $given.tool advises can be done", async ({ given }) => {
    const { error, text } = await refusalOf(name, given);
    const ways = waysOf(error.suggestedAction ?? "");
    expect(ways, `nothing follows: ${text}`).toBeDefined();
    for (const follow of ways!) await follow(await refusalOf(name, given));
  });

  describe.each(NARROW)("%s", (_words, narrow) => {
    const policyOf = (given: Case) => ({ ...given.options?.policy, ...narrow });
    const offered = cases.filter(({ given }) => {
      const tools = offeredTools(given.surface?.() ?? surfaceNamed(name), definePolicy(policyOf(given)));
      return given.before === undefined && tools.some((tool) => tool.name === given.tool);
    });

    it.each(offered)("$kind ($n): $given.tool", async ({ given }) => {
      const policy = policyOf(given);
      const world = await made(name, { ...given, options: { ...given.options, policy } });
      const result = await refusedIn(world, given);
      if (!result.ok) expectNoLacks(lacksOf(world, given.tool, result), knownFor(name, result.text), result.text);
    });
  });

  it("what cannot be says why", () => {
    const reasons = KINDS.flatMap((kind) => (typeof ROWS[kind][name] === "string" ? [ROWS[kind][name]] : []));
    for (const reason of reasons) expect(reason).toMatch(/^[A-Z].*\.$/);
  });
});

/** In a world of its own. */
async function refusalOf(name: SurfaceName, given: Case): Promise<Refused> {
  const world = await made(name, given);
  await given.before?.(world);
  const input = typeof given.input === "function" ? await given.input(world) : given.input;
  const result = await world.call(given.tool, input, given.call);
  if (result.ok) throw new Error(`not refused: ${result.text}`);
  return new Refused(name, world, given, input, result);
}

/** Whatever is refused leaves every file as it is. */
async function refusedIn(world: World, { tool, input, before, call }: Case) {
  await before?.(world);
  const given = typeof input === "function" ? await input(world) : input;
  const files = await world.versions();
  const result = await world.call(tool, given, call);
  expect(await world.versions()).toEqual(files);
  return result;
}

/** The words of the answer are kept apart from all else that the journal has of it, which quotes neither files nor arguments. */
async function expectNoQuotes({ workspace, ...world }: World, { input, files }: Case): Promise<void> {
  const given = typeof input === "function" ? await input({ workspace, ...world }) : input;
  const contents = Object.values({ ...FILES, ...files }).map((content) => Buffer.from(content).toString("latin1"));
  const lines = [...contents, ...textsIn(given)].flatMap((text) => text.split("\n")).filter((line) => line.length > 8);
  for (const { details, ...entry } of await all(workspace.log({ outcomes: ["refused"] }))) {
    const words = JSON.stringify({ ...entry, details: { ...details, told: "" } });
    expect(lines.filter((line) => words.includes(JSON.stringify(line).slice(1, -1)))).toEqual([]);
  }
}

const TEXTS = new Set(["oldText", "newText", "old_string", "new_string", "content", "patch"]);

function textsIn(given: unknown): string[] {
  if (typeof given !== "object" || given === null) return [];
  return Object.entries(given).flatMap(([key, value]) =>
    typeof value === "string" && TEXTS.has(key) ? [value] : textsIn(value),
  );
}
