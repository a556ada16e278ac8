// Every kind of refusal on every surface: what did not happen, why, and a next action that works with the tools at hand.
import type { FailureKind, PolicyInput } from "stet";
import { offeredTools, surfaceNamed } from "stet/surfaces";
import { describe, expect, it } from "vitest";
import { all } from "../support/assertions.ts";
import { memoryWorkspace } from "../support/workspace.ts";
import { expectNoLacks, knownFor, lacksOf } from "./walk/proper.ts";
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

/** Seed 000 has these kinds and no others; the kind of the kernel is the cause. */
const OF_WORKSPACE: readonly string[] = [
  "not_found",
  "already_exists",
  "permission_denied",
  "outside_workspace",
  "binary_file",
  "file_too_large",
  "stale_file",
  "old_text_not_found",
  "multiple_matches",
  "overlapping_edits",
  "patch_parse_error",
  "patch_apply_error",
  "timeout",
  "command_failed",
  "unknown",
];

/** What takes tools away. */
const NARROW: readonly PolicyInput[] = [
  { readOnly: true },
  { allowedActions: ["read"] },
  { allowedActions: ["read", "edit"] },
];

describe.each(SURFACES)("%s", (name) => {
  const rows = KINDS.flatMap((kind) =>
    typeof ROWS[kind][name] === "string" ? [] : [[kind, ROWS[kind][name]] as const],
  );
  /** An advice that was followed once need not be followed again. */
  const followed = new Set<string>();

  it.each(rows)("%s: the words are whole, and what they advise can be done", async (kind, cases) => {
    for (const given of cases) {
      const world = await made(name, given);
      const result = await refusedIn(world, given);
      if (result.ok) throw new Error(`not refused: ${result.text}`);
      const { error, text } = result;
      expect([error.details?.cause, error.kind], text).toContain(kind);
      if (name === "workspace") expect(OF_WORKSPACE).toContain(error.kind);
      expectNoLacks(lacksOf(world.surface, offeredIn(world), given.tool, result), knownFor(name, text), text);
      if (given.says !== undefined) expect(text).toMatch(given.says);
      await expectNoQuotes(world, given);

      const advice = error.suggestedAction ?? "";
      if (followed.has(`${given.tool} ${advice}`)) continue;
      followed.add(`${given.tool} ${advice}`);
      const ways = waysOf(advice);
      expect(ways, `nothing follows: ${text}`).toBeDefined();
      for (const follow of ways!) await follow(await refusalOf(name, given));
    }
  });

  it.each(NARROW)("what is advised under %j names only tools that are offered", async (narrow) => {
    for (const [, cases] of rows) {
      const given = cases.find((each) => isOffered(each, narrow));
      if (given === undefined) continue;
      const policy = { ...given.options?.policy, ...narrow };
      const world = await made(name, { ...given, options: { ...given.options, policy } });
      const result = await refusedIn(world, given);
      if (!result.ok)
        expectNoLacks(
          lacksOf(world.surface, offeredIn(world), given.tool, result),
          knownFor(name, result.text),
          result.text,
        );
    }
  });

  function isOffered(given: Case, narrow: PolicyInput): boolean {
    const { policy } = memoryWorkspace({}, { policy: { ...given.options?.policy, ...narrow } });
    const tools = offeredTools(given.surface?.() ?? surfaceNamed(name), policy);
    return given.before === undefined && tools.some((tool) => tool.name === given.tool);
  }

  it("what cannot be says why", () => {
    const reasons = KINDS.flatMap((kind) => (typeof ROWS[kind][name] === "string" ? [ROWS[kind][name]] : []));
    for (const reason of reasons) expect(reason).toMatch(/^[A-Z].*\.$/);
  });
});

function offeredIn({ surface, workspace }: World) {
  return offeredTools(surface, workspace.policy);
}

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

/** The journal quotes neither files nor arguments. */
async function expectNoQuotes({ workspace, ...world }: World, { input, files }: Case): Promise<void> {
  const given = typeof input === "function" ? await input({ workspace, ...world }) : input;
  const contents = Object.values({ ...FILES, ...files }).map((content) => Buffer.from(content).toString("latin1"));
  const lines = [...contents, ...textsIn(given)].flatMap((text) => text.split("\n")).filter((line) => line.length > 8);
  for (const entry of await all(workspace.log({ outcomes: ["refused"] }))) {
    const words = JSON.stringify(entry);
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
