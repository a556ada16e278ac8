// What every tool does with input, and how it answers.
import { Refusal } from "stet";
import { defineTool, inputSchema, type Surface, strictSchema } from "stet/surfaces";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { agentWith } from "../support/agent.ts";

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
      .array(z.strictObject({ n: z.number().describe("a number"), of: z.string().optional() }))
      .min(1)
      .optional()
      .describe("parts"),
    byPath: z
      .record(z.string().meta({ title: "path" }), z.string().meta({ title: "sha256" }))
      .optional()
      .describe("a map"),
    name: z.string().min(1).optional(),
    kind: z.enum(["a", "b"]).optional(),
    share: z.number().min(0).max(1).optional(),
    code: z
      .string()
      .regex(/^\d\d$/, "must be two digits")
      .optional(),
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
const say = (input: unknown, tool: Partial<typeof echo> = {}) =>
  agentWith({ ...surface, tools: [{ ...echo, ...tool }] }, {}).call("echo", input);
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

  it("takes null in a map as absent, in both of its forms", async () => {
    const byPath = { b: "1" };
    expect(await heard({ text: "a", byPath: { a: null, b: "1" } })).toMatchObject({ byPath });
    const entries = [
      { path: "a", sha256: null },
      { path: "b", sha256: "1" },
    ];
    expect(await heard({ text: "a", byPath: entries })).toMatchObject({ byPath });
  });

  it("what was warned of before a refusal is in its words and its details", async () => {
    const warner = defineTool({
      ...echo,
      async run({ warn }) {
        warn("this is not the disk");
        throw new Refusal("not_found", "There is nothing.", { details: { a: 1 } });
      },
    });
    const result = await agentWith({ ...surface, tools: [warner] }, {}).call("echo", { text: "a" });
    expect(result).toMatchObject({ ok: false, error: { details: { a: 1, warnings: ["this is not the disk"] } } });
    expect(result.text).toBe("Nothing echoed. There is nothing. Check the path.\nWarning: this is not the disk");
  });

  it("never turns a string into something else where a string is meant", async () => {
    for (const text of ["3", "true", "null", "[1]", "{}", " "]) expect(await heard({ text })).toMatchObject({ text });
  });

  it("says in words what is missing, wrong, unknown or cut off", async () => {
    const cases: readonly (readonly [unknown, RegExp])[] = [
      [{}, /The required parameter `text` is missing \(what to say\)/],
      [undefined, /`text` is missing/],
      [{ text: "a", times: 0 }, /`times` must be a whole number from 1 up; you gave 0\./],
      [{ text: "a", times: 1.5 }, /`times` must be a whole number from 1 up; you gave 1\.5\./],
      [{ text: "a", times: "often" }, /`times` must be a whole number from 1 up; you gave "often"\./],
      [{ text: "a", loud: "very" }, /`loud` must be true or false; you gave "very"\./],
      [{ text: ["a"] }, /`text` must be text; you gave a list of 1 item\./],
      [{ text: "a", name: "" }, /`name` must be text that is not empty; you gave ""\./],
      [{ text: "a", kind: "c" }, /`kind` must be one of "a", "b"; you gave "c"\./],
      [{ text: "a", share: 2 }, /`share` must be a number from 0 to 1; you gave 2\./],
      [{ text: "a", code: "x".repeat(80) }, /`code` must be two digits; you gave "x{60}" and more\./],
      [{ text: "a", parts: 7 }, /`parts` must be a list such as \[\{"n":1\}\]; you gave 7\./],
      [{ text: "a", parts: [] }, /`parts` must be a list such as \[\{"n":1\}\]; you gave a list of 0 items\./],
      [{ text: "a", byPath: 7 }, /`byPath` must be a map such as \{"path":"sha256"\}; you gave 7\./],
      [{ wrong: 1 }, /`text` is missing.* There is no parameter `wrong`; there are `text`, `times`/],
      [{ text: "a", parts: [{ n: 1 }, {}] }, /`parts\[1\]\.n` is missing \(a number\)\./],
      [{ text: "a", parts: [{ n: 1 }, { n: null }] }, /`parts\[1\]\.n` is missing/],
      [{ text: "a", parts: [{ n: "x" }] }, /`parts\[0\]\.n` must be a number; you gave "x"\./],
      [{ text: "a", parts: [{ m: 2 }] }, /`parts\[0\]` has no field `m`; there are `n`, `of`\./],
      [{ text: "a", parts: '[{"n":1},{"n' }, /`parts` is cut off: the JSON ends with "\[{\\"n\\":1},{\\"n"\./],
      [{ text: "a", parts: "[{n:1}]" }, /`parts` is no valid JSON: the JSON ends with "\[{n:1}\]"\./],
      [{ text: "a", byPath: { "src/a.ts": 1 } }, /`byPath\["src\/a\.ts"\]` must be text; you gave 1\./],
      [{ text: "a", byPath: [{ path: "a" }] }, /`byPath\.a`/],
      [{ text: "a", byPath: [{ sha256: "a" }] }, /`byPath\[0\]` must be \{path, sha256\}/],
      [
        {
          text: "a",
          byPath: [
            { path: "a", sha256: "1" },
            { path: "a", sha256: "2" },
          ],
        },
        /`byPath` names "a" twice/,
      ],
      ['{"text":"abc', /The arguments are cut off: the JSON ends with "{\\"text\\":\\"abc"/],
      [[1], /The arguments must be an object such as \{"text":"…"\}; you gave a list of 1 item\./],
    ];
    for (const [input, words] of cases) {
      const result = await say(input);
      expect(result).toMatchObject({ ok: false, error: { kind: "invalid_input", recoverable: true } });
      expect(result.text).toMatch(/^Nothing echoed\. /);
      expect(result.text).toMatch(words);
      expect(result.text).toMatch(/Call echo again with the arguments put right\.$/);
      expect(result.text).not.toMatch(/expected (?:string|number|int)|Too (?:small|big)|Invalid/);
    }
  });

  it("takes one object for a list of one, and other ways to write a name", async () => {
    for (const parts of [{ n: 1 }, '{"n":1}', [{ n: 1 }], [{ N: 1 }]])
      expect(await heard({ text: "a", parts })).toMatchObject({ parts: [{ n: 1 }] });
    const byPath = { a: "1" };
    for (const name of ["by_path", "bypath", "by-path", "BYPATH"])
      expect(await heard({ text: "a", [name]: byPath })).toMatchObject({ byPath });
    expect(await heard({ text: "a", by_path: { b: "2" }, byPath })).toMatchObject({ byPath });
  });

  it("ignores what nothing asked for, and says so in the text", async () => {
    const result = await say({ text: "a", instruction: "x", why: 1, parts: [{ n: 1 }, { n: 2, of: "b", m: 3 }] });
    expect(result).toMatchObject({ ok: true, data: { input: { text: "a", parts: [{ n: 1 }, { n: 2, of: "b" }] } } });
    expect(result.text).toBe(
      [
        "ok",
        "Warning: There are no parameters `instruction`, `why`; they were ignored.",
        "Warning: `parts[1]` has no field `m`; it was ignored.",
      ].join("\n"),
    );
    expect(JSON.stringify(result)).not.toContain('"m":3');
    const many = await say({ text: "a", parts: Array.from({ length: 1000 }, () => ({ n: 1, m: 2 })) });
    expect(many.text.split("\n")).toHaveLength(1 + 5);
    expect((await say({ text: "a", "\u001b[2J": 1 })).text).toContain("There is no parameter `\\u{1b}[2J`; it was");
    const refused = await say({ text: "no", instruction: "x" });
    expect(refused.text).toMatch(
      /Say something else\.\nWarning: There is no parameter `instruction`; it was ignored\.$/,
    );
  });

  it.each([
    "append",
    "onStale",
    "strict",
    "dry_run",
    "dryRun",
    "expectedVersion",
    "ifMatch",
    "sha1",
    "startLine",
    "new_text",
  ])("a tool that changes something does not ignore %s, which could change what is meant", async (name) => {
    const refused = await say({ text: "a", [name]: 1 }, { effect: "write" });
    expect(refused).toMatchObject({ ok: false, error: { kind: "invalid_input" } });
    expect(refused.text).toContain(
      `There is no parameter \`${name}\`, and without it the call could do something else`,
    );
    const nested = await say({ text: "a", parts: [{ n: 1, [name]: 1 }] }, { effect: "write" });
    expect(nested.text).toContain(`\`parts[0]\` has no field \`${name}\`, and without it`);
    expect(await say({ text: "a", [name]: false, instruction: "x" }, { effect: "write" })).toMatchObject({
      ok: true,
    });
    expect(await say({ text: "a", [name]: 1 })).toMatchObject({ ok: true });
    for (const [value, ok] of [
      [[], true],
      [{}, true],
      [null, true],
      ["", true],
      [["x"], false],
      [{ x: 1 }, false],
      [0, false],
    ] as const)
      expect([value, (await say({ text: "a", [name]: value }, { effect: "write" })).ok]).toEqual([value, ok]);
  });

  it("takes the one replacement that is expected for what happens anyway, and refuses more", async () => {
    for (const name of ["expected_replacements", "expectedReplacements", "expected_occurrences"]) {
      expect(await say({ text: "a", [name]: 1 }, { effect: "write" })).toMatchObject({ ok: true });
      expect(await say({ text: "a", [name]: 2 }, { effect: "write" })).toMatchObject({ ok: false });
    }
  });

  it("takes a map as a list of entries too, as its strict schema shows it", async () => {
    const strict = strictSchema(inputSchema(echo)).properties as Record<string, object>;
    expect(strict.byPath).toEqual({
      description: "a map",
      type: ["array", "null"],
      items: {
        type: "object",
        properties: { path: { type: "string" }, sha256: { type: "string" } },
        required: ["path", "sha256"],
        additionalProperties: false,
      },
    });
    const map = { a: "1", "b c": "" };
    const list = Object.entries(map).map(([path, sha256]) => ({ path, sha256 }));
    for (const byPath of [map, list, JSON.stringify(map), JSON.stringify(list)])
      expect(await heard({ text: "a", byPath })).toMatchObject({ byPath: map });
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

  it.each(["not_found", "cancelled", "unknown"] as const)("a bare %s gets a next action", async (kind) => {
    const bare = async () => {
      throw new Refusal(kind, "No.");
    };
    const result = await say({ text: "a" }, { run: bare });
    expect(result.text).toMatch(/^Nothing echoed\. No\. [A-Z].{10,}\.$/);
    expect(result).toMatchObject({ error: { suggestedAction: expect.stringMatching(/\.$/) } });
  });

  it("a defect is not dressed up as a refusal", async () => {
    await expect(say({ text: "defect" })).rejects.toThrow(TypeError);
  });

  it("an unknown tool is answered with the names there are", async () => {
    const result = await agentWith(surface, {}).call("nope", {});
    expect(result).toMatchObject({ ok: false, error: { kind: "invalid_input" } });
    expect(result.text).toContain("Use echo.");
  });
});
