// Tools as functions: what an editor shows of them, the data of a call and its warnings, and the refusal of one without data.
import { inspect } from "node:util";
import { Refusal } from "stet";
import {
  type AnyTool,
  bind,
  call,
  defineTool,
  type Surface,
  workspace as surface,
  surfaceNamed,
  surfaceNames,
} from "stet/surfaces";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { memoryWorkspace } from "../support/workspace.ts";

const { callsOf } = (await import("../../scripts/tool-calls.mjs" as string)) as {
  callsOf(surfaces: readonly Surface[]): string;
};

it("an editor explains every tool and every parameter", () => {
  const surfaces = surfaceNames.map((name) => surfaceNamed(name));
  const lines = callsOf(surfaces).split("\n");
  const members = lines.flatMap((line, n) => (/^ {2}\w/.test(line) ? [{ line, words: lines[n - 1]! }] : []));
  const tools = surfaces.flatMap((each) => each.tools as readonly AnyTool[]);
  const parameters = tools.flatMap(({ input }) => Object.keys(input.shape));
  expect(members).toHaveLength(tools.length + parameters.length);
  expect(members.filter(({ words }) => !/^ {2}\/\*\* \S.*\*\/$/.test(words))).toEqual([]);
  expect(lines).toContain("  /** Must not exist. */");
});

const session = memoryWorkspace({ a: "1\n" }).session();
const tool = bind(surface, session);

describe("the data of a refused call", () => {
  it("is the refusal, in the words that would help", async () => {
    const taking = async () => (await tool.read_file({ path: "server.ts" })).data.sha256;
    const refusal = await taking().catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(Refusal);
    const result = await tool.read_file({ path: "server.ts" });
    expect(result.ok).toBe(false);
    if (result.ok) return;
    expect((refusal as Refusal).failure).toEqual(result.error);
    expect((refusal as Refusal).message).toContain("server.ts does not exist. Check the path");
  });

  it("is the refusal of a tool that does not exist, too", async () => {
    const result = await call(session, surface, "no_such_tool", {});
    expect(() => result.data).toThrow('There is no tool "no_such_tool". Use one of');
  });

  it("is seen by nobody who does not ask for it", async () => {
    const result = await tool.read_file({ path: "no" });
    expect(Object.keys(result)).toEqual(["ok", "error", "text"]);
    expect(JSON.parse(JSON.stringify(result))).toEqual({ ...result });
    expect(structuredClone(result)).toEqual(result);
    expect(inspect(result)).not.toContain("data");
  });

  it("is there when the call succeeded", async () => {
    expect((await tool.read_file({ path: "a" })).data.content).toBe("1\n");
  });
});

const warner = defineTool({
  name: "warns",
  title: "Warns",
  description: "Warns as often as it is told to",
  effect: "read",
  actions: ["read"],
  input: z.object({ times: z.int() }),
  output: z.object({ times: z.int() }),
  refused: "Nothing.",
  async run({ warn }, { times }) {
    for (let n = 1; n <= times; n++) warn(`warning ${n}`);
    return { times };
  },
  text: ({ times }) => `${times} times`,
});
const warning = { name: "warning", title: "", guidance: "", tools: [warner] } as const satisfies Surface;

it("are in the data, also where there are none", async () => {
  const { warns } = bind(warning, memoryWorkspace({}).session());
  expect((await warns({ times: 0 })).data.warnings).toEqual([]);
  const { data, text } = await warns({ times: 2 });
  expect(data).toEqual({ times: 2, warnings: ["warning 1", "warning 2"] });
  expect(text).toBe("2 times\nWarning: warning 1\nWarning: warning 2");
});

it("take no part in what the tool itself is handed", async () => {
  const seen: unknown[] = [];
  const looking = { ...warner, text: (data: object) => `${seen.push(data)}` };
  await call(memoryWorkspace({}).session(), { ...warning, tools: [looking] }, "warns", { times: 1 });
  expect(seen).toEqual([{ times: 1 }]);
});
