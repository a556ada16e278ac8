// Warnings are a field of every tool's data, and words of its text: a program and a model are told the same.
import { expect, it } from "vitest";
import { z } from "zod";
import { call } from "../../src/surfaces/call.ts";
import { bind, defineTool, outputSchema, type Surface, surfaceNamed, surfaceNames } from "../../src/surfaces/index.ts";
import { memoryWorkspace } from "../support/workspace.ts";

const tool = defineTool({
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
const surface = { name: "warning", title: "", guidance: "", tools: [tool] } as const satisfies Surface;

it("are in the data, also where there are none", async () => {
  const { warns } = bind(surface, memoryWorkspace({}).session());
  expect((await warns({ times: 0 })).data.warnings).toEqual([]);
  const { data, text } = await warns({ times: 2 });
  expect(data).toEqual({ times: 2, warnings: ["warning 1", "warning 2"] });
  expect(text).toBe("2 times\nWarning: warning 1\nWarning: warning 2");
});

it("are told by the schema of every tool's data", () => {
  for (const each of [surface, ...surfaceNames.map((name) => surfaceNamed(name))].flatMap(
    ({ tools }): readonly object[] => tools,
  )) {
    const { properties, required } = outputSchema(each as typeof tool);
    expect(properties).toMatchObject({ warnings: { type: "array", items: { type: "string" } } });
    expect(required).toContain("warnings");
  }
});

it("take no part in what the tool itself is handed", async () => {
  const seen: unknown[] = [];
  const looking = { ...tool, text: (data: object) => `${seen.push(data)}` };
  await call(memoryWorkspace({}).session(), { ...surface, tools: [looking] }, "warns", { times: 1 });
  expect(seen).toEqual([{ times: 1 }]);
});
