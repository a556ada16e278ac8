// A server put into a client's JSON: whatever stood in the file stays, character by character.
import fc from "fast-check";
import { parse } from "jsonc-parser";
import { describe, expect, it } from "vitest";
import { mergeJson } from "../../src/cli/install/merge-json.ts";

const entry = { command: "node", args: ["stet.cjs", "mcp"] };
const merge = { file: "mcp.json", key: "mcpServers", name: "stet", entry };

describe("a server put into JSON", () => {
  it("leaves neighbours and comments as they are", () => {
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
    expect(mergeJson(before, merge)).toEqual({
      state: "added",
      existing: undefined,
      text: `{
  // about everything
  "mcpServers": {
    "a": { "command":"x",   "args":[ "1","2" ] }, // about a
    /* "old": {} */
    // the end
    "stet": {
      "command": "node",
      "args": [
        "stet.cjs",
        "mcp"
      ]
    }
  },
  "theme":   "dark" // last
}
`,
    });
  });

  it("keeps to the form it finds: one line, tabs, CRLF, a trailing comma, a byte order mark, nothing", () => {
    const one = JSON.stringify(entry);
    expect(added('{"mcpServers":{"a":{}}}')).toBe(`{"mcpServers":{"a":{}, "stet": ${one}}}`);
    expect(added('{"mcpServers":{}}')).toBe(`{"mcpServers":{"stet": ${one}}}`);
    expect(added('{\r\n\t"mcpServers": {\r\n\t\t"a": {},\r\n\t},\r\n}')).toMatch(
      /^\{\r\n\t"mcpServers": \{\r\n\t\t"a": \{\},\r\n\t\t"stet": \{\r\n\t\t\t"command": "node",[\s\S]*\r\n\t\t\}\r\n\t\},\r\n\}$/,
    );
    expect(added("\uFEFF{}")).toMatch(/^\uFEFF\{\n {2}"mcpServers": \{\n {4}"stet": \{\n/);
    expect(added("")).toBe(`${JSON.stringify({ mcpServers: { stet: entry } }, null, 2)}\n`);
    expect(added('{"mcpServers": { // none yet\n}}')).toContain("// none yet\n");
  });

  it("replaces an entry of its name and nothing beside it", () => {
    const before = '{\n  "mcpServers": {\n    "stet": [1, // x\n 2], // mine\n    "b":{}\n  }\n}';
    const { text, state, existing } = mergeJson(before, merge);
    expect([state, existing]).toEqual(["differs", [1, 2]]);
    expect(text.startsWith('{\n  "mcpServers": {\n    "stet": {\n      "command"')).toBe(true);
    expect(text.endsWith('}, // mine\n    "b":{}\n  }\n}')).toBe(true);
    expect(mergeJson(text, merge)).toEqual({ text, state: "same" });
  });

  it.each([
    ['{"mcpServers":null}', "mcpServers is not an object in it"],
    ['{"mcpServers":[]}', "mcpServers is not an object in it"],
    ["[]", "it is not an object"],
    ["null", "it is not an object"],
    ["{} {}", "EndOfFileExpected in line 1"],
    ["[".repeat(200_000), "it is nested too deeply"],
    ['{"mcpServers":{},"mcpServers":{"a":{}}}', "a form that cannot be changed safely"],
  ])("refuses %.40s in words", (text, why) => {
    expect(() => mergeJson(text, merge)).toThrow(why);
  });

  it("adds only: every character of what was there is still there, in its order", () => {
    fc.assert(
      fc.property(document(), (before) => {
        const after = added(before);
        expect(isSubsequence(before, after), after).toBe(true);
        const was = parse(before) as { mcpServers?: object };
        expect(parse(after)).toEqual({ ...was, mcpServers: { ...was.mcpServers, stet: entry } });
      }),
      { numRuns: 300 },
    );
  });
});

function added(before: string): string {
  const { text, state } = mergeJson(before, merge);
  expect(state).toBe("added");
  return text;
}

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
