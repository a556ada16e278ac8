// Joining surfaces, offering tools, and what every surface does with input.
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { Refusal } from "../../src/kernel/failure.ts";
import { call, defineTool, joinSurfaces, offeredTools, type Surface, surfaceNamed } from "../../src/surfaces/index.ts";
import { memoryWorkspace } from "../support/workspace.ts";

const echo = defineTool({
  name: "echo",
  title: "Echo",
  description: "Gives back what it got.",
  effect: "read",
  actions: ["read"],
  input: z.object({
    text: z.string().describe("what to say"),
    times: z.number().int().min(1).optional().describe("how often"),
    loud: z.boolean().default(false).describe("louder"),
    parts: z
      .array(z.object({ n: z.number() }))
      .optional()
      .describe("parts"),
    secret: z.string().optional(),
  }),
  hidden: ["secret"],
  aliases: { message: "text" },
  output: z.object({ input: z.unknown() }),
  refused: "Nothing echoed.",
  async run(_context, input) {
    if (input.text === "defect") throw new TypeError("a defect");
    if (input.text === "no") throw new Refusal("not_found", "There is nothing.", { next: "Say something else." });
    return { input };
  },
  text: () => "ok",
});
const surface: Surface = { name: "test", title: "Test", guidance: "", tools: [echo] };
const say = (input: unknown) => call(memoryWorkspace({}).session(), surface, "echo", input);
const heard = async (input: unknown) => ((await say(input)) as { data: { input: unknown } }).data.input;

describe("input", () => {
  it("takes null as absent, numbers and booleans in quotes, JSON in strings, other names", async () => {
    expect(await heard({ text: "a", times: null, loud: null })).toEqual({ text: "a", loud: false });
    expect(await heard({ text: "a", times: "3", loud: "True" })).toEqual({ text: "a", times: 3, loud: true });
    expect(await heard({ text: "a", parts: '[{"n":"1"}]' })).toEqual({ text: "a", parts: [{ n: 1 }], loud: false });
    expect(await heard({ message: "a" })).toEqual({ text: "a", loud: false });
    expect(await heard({ message: "b", text: "a" })).toEqual({ text: "a", loud: false });
    expect(await heard('{"text":"a"}')).toEqual({ text: "a", loud: false });
    expect(await heard({ text: "a", secret: "s" })).toEqual({ text: "a", secret: "s", loud: false });
  });

  it("never turns a string into something else where a string is meant", async () => {
    for (const text of ["3", "true", "null", "[1]", "{}", " "]) expect(await heard({ text })).toMatchObject({ text });
  });

  it("says in words what is missing, wrong, unknown or cut off", async () => {
    const cases: readonly (readonly [unknown, RegExp])[] = [
      [{}, /The required parameter `text` is missing \(what to say\)/],
      [undefined, /`text` is missing/],
      [{ text: "a", times: 0 }, /`times`: /],
      [{ text: "a", wrong: 1 }, /There is no parameter `wrong`; there are `text`, `times`/],
      ['{"text":"abc', /no complete JSON; they end with "{\\"text\\":\\"abc"/],
      [[1], /must be one JSON object/],
    ];
    for (const [input, words] of cases) {
      const result = await say(input);
      expect(result).toMatchObject({ ok: false, error: { kind: "invalid_input", recoverable: true } });
      expect(result.text).toMatch(/^Nothing echoed\. /);
      expect(result.text).toMatch(words);
      expect(result.text).toMatch(/Call echo again with the arguments put right\.$/);
    }
  });
});

describe("results", () => {
  it("a refusal says what did not happen, why, and what to do next", async () => {
    expect(await say({ text: "no" })).toMatchObject({
      ok: false,
      text: "Nothing echoed. There is nothing. Say something else.",
      error: { kind: "not_found" },
    });
  });

  it("a defect is not dressed up as a refusal", async () => {
    await expect(say({ text: "defect" })).rejects.toThrow(TypeError);
  });

  it("an unknown tool is answered with the names there are", async () => {
    const result = await call(memoryWorkspace({}).session(), surface, "nope", {});
    expect(result).toMatchObject({ ok: false, error: { kind: "invalid_input" } });
    expect(result.text).toContain("Use one of echo.");
  });
});

describe("joining surfaces", () => {
  it("works where names do not clash, and says so where they do", () => {
    expect(surfaceNamed("tracked,files").tools.map(({ name }) => name)).toEqual([
      "Read",
      "Write",
      "Edit",
      "Glob",
      "Grep",
      "files",
    ]);
    expect(() => surfaceNamed("tracked,compact")).toThrow(/both have a tool named Read/);
    expect(() => surfaceNamed("nope")).toThrow(/There is no surface named "nope"/);
    expect(joinSurfaces([surface, surface]).tools).toHaveLength(1);
  });
});

describe("offering tools", () => {
  it("read-only and allowed actions take tools away instead of refusing them", async () => {
    const names = (policy: object) =>
      offeredTools(surfaceNamed("workspace"), memoryWorkspace({}, { policy }).policy).map(({ name }) => name);
    expect(names({ readOnly: true })).not.toContain("edit_file");
    expect(names({ readOnly: true })).toContain("read_file");
    expect(names({ allowedActions: ["read"] })).toContain("read_file");
    expect(names({ allowedActions: ["read"] })).not.toContain("delete_file");
    const session = memoryWorkspace({}, { policy: { readOnly: true } }).session();
    expect(await call(session, surfaceNamed("workspace"), "edit_file", {})).toMatchObject({
      ok: false,
      error: { kind: "invalid_input" },
    });
  });
});
