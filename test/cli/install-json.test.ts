// A server put into a client's JSON: whatever stood in the file stays, character by character.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { parse } from "jsonc-parser";
import { describe, expect, it } from "vitest";
import { stet } from "../support/cli.ts";
import { tempDir } from "../support/temp.ts";

/** Of Cursor, whose file has servers below mcpServers. */
async function installed(before: string, ...more: string[]) {
  const home = tempDir();
  mkdirSync(join(home, ".cursor"));
  writeFileSync(join(home, ".cursor/mcp.json"), before);
  const args = ["install", "--client", "cursor", "--write", "--no-check", ...more];
  const { code, err } = await stet(args, { cwd: tempDir(), env: { HOME: home } });
  return { code, err, after: readFileSync(join(home, ".cursor/mcp.json"), "utf8") };
}

async function added(before: string): Promise<string> {
  const { code, after } = await installed(before);
  expect(code).toBe(0);
  return after;
}

/** What was put down, as it is indented there. */
const entryIn = (text: string): object => parse(text.replace(/^\uFEFF/, "")).mcpServers.stet;

describe("a server put into JSON", () => {
  it("leaves neighbours and comments as they are", async () => {
    const before = `{
  // about everything
  "mcpServers": {
    "a": { "command":"x",   "args":[ "1","2" ] } // about a
    /* "old": {} */
    // the end
  },
  "theme":   "dark" // last
}
`;
    const after = await added(before);
    const entry = JSON.stringify(entryIn(after), null, 2).replaceAll("\n", "\n    ");
    expect(after).toBe(before.replace('"2" ] } //', `"2" ] },\n    "stet": ${entry} //`));
  });

  it("keeps to the form it finds: one line, tabs, CRLF, a trailing comma, a byte order mark, nothing", async () => {
    const one = await added('{"mcpServers":{"a":{}}}');
    expect(one).toBe(`{"mcpServers":{"a":{}, "stet": ${JSON.stringify(entryIn(one))}}}`);
    expect(await added('{\r\n\t"mcpServers": {\r\n\t\t"a": {},\r\n\t},\r\n}')).toMatch(
      /^\{\r\n\t"mcpServers": \{\r\n\t\t"a": \{\},\r\n\t\t"stet": \{\r\n\t\t\t"command": "[\s\S]*\r\n\t\t\},\r\n\t\},\r\n\}$/,
    );
    expect(await added("\uFEFF{}")).toMatch(/^\uFEFF\{\n {2}"mcpServers": \{\n {4}"stet": \{\n/);
    expect(await added('{"mcpServers": { // none yet\n}}')).toContain("// none yet\n");
  });

  it("replaces an entry of its name and nothing beside it", async () => {
    const before = '{\n  "mcpServers": {\n    "stet": [1, // x\n 2], // mine\n    "b":{}\n  }\n}';
    expect(await installed(before)).toMatchObject({ code: 1, after: before });
    const { after } = await installed(before, "--force");
    expect(after.startsWith('{\n  "mcpServers": {\n    "stet": {\n      "command"')).toBe(true);
    expect(after.endsWith('}, // mine\n    "b":{}\n  }\n}')).toBe(true);
  });

  it.each([
    ["null", "it is not an object"],
    ["{} {}", "EndOfFileExpected in line 1"],
    ["[".repeat(200_000), "it is nested too deeply"],
    ['{"mcpServers":{},"mcpServers":{"a":{}}}', "a form that cannot be changed safely"],
  ])("refuses %.40s in words", async (text, why) => {
    expect(await installed(text)).toMatchObject({ code: 1, err: expect.stringContaining(why), after: text });
  });

  it("adds only: every character of what was there is still there, in its order", async () => {
    await fc.assert(
      fc.asyncProperty(document(), async (before) => {
        const after = await added(before);
        expect(isSubsequence(before, after), after).toBe(true);
        const was = parse(before) as { mcpServers?: object };
        expect(parse(after)).toEqual({ ...was, mcpServers: { ...was.mcpServers, stet: entryIn(after) } });
      }),
      { numRuns: 60 },
    );
  });
});

function isSubsequence(part: string, whole: string): boolean {
  let at = 0;
  for (const char of whole) if (char === part[at]) at++;
  return at === part.length;
}

/** An object with spaces and comments anywhere, and perhaps servers in it. */
function document(): fc.Arbitrary<string> {
  const gap = fc
    .array(fc.constantFrom(" ", "\n", "\r\n", "\t", "  ", "// c, } {\n", "/* d, } { */", '/* "e": 1 */'), {
      maxLength: 3,
    })
    .map((parts) => parts.join(""));
  const leaf = fc.constantFrom("1", '"x, }"', "null", "true", "[1,[2] , 3]", '{"command" :"y"}', "{}");
  const object = (value: fc.Arbitrary<string>, key: fc.Arbitrary<string>) =>
    fc
      .tuple(
        fc.uniqueArray(fc.tuple(key, gap, gap, gap, value, gap), { maxLength: 3, selector: ([name]) => name }),
        fc.boolean(),
        gap,
      )
      .map(([properties, trailing, last]) => {
        const texts = properties.map(([name, a, b, c, json, d]) => `${a}"${name}"${b}:${c}${json}${d}`);
        return `{${texts.join(",")}${trailing && texts.length > 0 ? "," : ""}${last}}`;
      });
  const servers = object(leaf, fc.constantFrom("a", "b", "c"));
  const whole = fc.oneof(
    object(leaf, fc.constantFrom("p", "q", "r")),
    object(servers, fc.constantFrom("p", "mcpServers")),
  );
  return fc.tuple(gap, whole, gap).map((parts) => parts.join(""));
}
