// The Agents SDK of OpenAI with a model that is an object.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Agent, applyPatchTool, type Model, type ModelRequest, Runner } from "@openai/agents";
import { expect, it } from "vitest";
import { openaiEditor, openaiTools } from "../../src/adapters/openai.ts";
import { workspace as surface } from "../../src/surfaces/index.ts";
import { type Call, type Converse, describeFramework, type Offered, open, type Received } from "./support/cases.ts";
import { runsExample } from "./support/example.ts";

type Item = Awaited<ReturnType<Model["getResponse"]>>["output"][number];

/** Answers with the items that the next turn of a script asks for. */
function scripted(next: (request: ModelRequest) => Item[]): Model {
  return {
    async getResponse(request) {
      const items = next(request);
      const said: Item = {
        type: "message",
        role: "assistant",
        status: "completed",
        content: [{ type: "output_text", text: "done" }],
      };
      const usage = { requests: 1, inputTokens: 1, outputTokens: 1, totalTokens: 2 };
      return { usage: { ...usage, add() {} } as never, output: items.length > 0 ? items : [said] };
    },
    async *getStreamedResponse() {},
  };
}

const runner = new Runner({ tracingDisabled: true });

const converse: Converse = async ({ session, surface, script, signal, approve }) => {
  let received: Received[] = [];
  let offered: Offered[] = [];
  let turn = 0;
  const model = scripted(({ input, tools }) => {
    offered = tools.flatMap((tool) =>
      tool.type === "function"
        ? [{ name: tool.name, description: tool.description, schema: { ...tool.parameters } }]
        : [],
    );
    received = (Array.isArray(input) ? input : []).flatMap(resultIn);
    turn++;
    return script(received).map(([name, given], n) => ({
      type: "function_call",
      callId: `call_${turn}_${n}`,
      name,
      arguments: JSON.stringify(given),
      status: "completed",
    }));
  });
  const tools = openaiTools(session, surface, { approve });
  const agent = new Agent({ name: "scripted", instructions: "", model, tools });
  await runner.run(agent, "go", { ...(signal && { signal }) });
  return { received, offered };
};

// biome-ignore lint/suspicious/noExplicitAny: one of many kinds of items, of which a few fields are read
function resultIn(item: any): Received[] {
  if (item.type !== "function_call_result") return [];
  const parts: readonly { type: string; text?: string }[] = [item.output].flat();
  const text = parts.map((part) => (typeof part === "string" ? part : (part.text ?? ""))).join("");
  const images = parts.filter(({ type }) => /image/.test(type)).length;
  return [{ id: item.callId, text, images, error: undefined }];
}

describeFramework("openai", converse, { marksErrors: false, ids: true });

it("schemas are strict unless asked otherwise", () => {
  const { workspace } = open({});
  const session = workspace.session();
  const [strict] = openaiTools(session, surface);
  expect(strict).toMatchObject({ strict: true, parameters: { additionalProperties: false } });
  expect(strict!.parameters.required).toEqual(Object.keys(strict!.parameters.properties));
  const [open_] = openaiTools(session, surface, { strict: false });
  expect(open_).toMatchObject({ strict: false, parameters: { additionalProperties: true, required: ["path"] } });
});

it("asks before what takes something away, and then waits", async () => {
  const { workspace } = open({ "a.txt": "one\n" });
  const session = workspace.session();
  const script = ({ length }: readonly Received[]): Call[] =>
    length === 0 ? [["delete_file", { path: "a.txt" }]] : [];
  await converse({ session, surface, script, approve: ["destroy"] });
  expect((await session.read("a.txt")).body).toBe("one\n");
  await workspace.close();
});

it("applyPatchTool: creates, updates and deletes through the editor, one file at a time", async () => {
  const { root, workspace } = open({ "a.txt": "hello\nworld\n", "b.txt": "keep\n" });
  const session = workspace.session({ agent: "openai" });
  const operations = [
    { type: "update_file", path: "a.txt", diff: "@@\n hello\n-world\n+mars" },
    { type: "create_file", path: "new/c.txt", diff: "+one\n+two\n" },
    { type: "update_file", path: "a.txt", diff: "@@\n hello\n-world\n+venus" },
    { type: "update_file", path: "a.txt", diff: "@@\n-hello\n+hi\n*** Delete File: b.txt" },
    { type: "create_file", path: "d.txt", diff: "one\n" },
    { type: "delete_file", path: "new/c.txt" },
    { type: "update_file", path: "../x", diff: "@@\n-a\n+b" },
  ] as const;
  let results: { readonly status: string; readonly output: string }[] = [];
  const model = scripted(({ input }) => {
    // biome-ignore lint/suspicious/noExplicitAny: one of many kinds of items
    results = (input as readonly any[]).filter(({ type }) => type === "apply_patch_call_output");
    const operation = operations[results.length];
    if (operation === undefined) return [];
    return [{ type: "apply_patch_call", callId: `patch_${results.length}`, status: "completed", operation }];
  });
  const tools = [
    ...openaiTools(session, surface, { only: ["read_file"] }),
    applyPatchTool({ editor: openaiEditor(session) }),
  ];
  await runner.run(new Agent({ name: "scripted", instructions: "", model, tools }), "go");
  expect(results.map(({ status, output }) => [status, output])).toEqual([
    ["completed", expect.stringContaining("a.txt")],
    ["completed", expect.stringContaining("new/c.txt")],
    ["failed", expect.stringMatching(/^Patch rejected, no file changed\./)],
    ["failed", "Nothing was changed. A diff is about one file. Make a call for each file."],
    ["failed", "Nothing was changed. Every line of a new file begins with +."],
    ["completed", expect.stringContaining("new/c.txt")],
    ["failed", expect.stringMatching(/^Patch rejected, no file changed\. .*outside/)],
  ]);
  expect(readFileSync(join(root, "a.txt"), "utf8")).toBe("hello\nmars\n");
  expect(readFileSync(join(root, "b.txt"), "utf8")).toBe("keep\n");
  await session.undo({ session: session.id });
  expect(readFileSync(join(root, "a.txt"), "utf8")).toBe("hello\nworld\n");
  await workspace.close();
});

it("the example does it, and takes it back", () => runsExample("openai"));
