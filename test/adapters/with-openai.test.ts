// The Agents SDK of OpenAI with a model that is an object.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Agent, applyPatchTool, type Model, type ModelRequest, Runner } from "@openai/agents";
import type { Session } from "stet";
import type { Approve } from "stet/adapters";
import { openaiEditor, openaiTools } from "stet/adapters/openai";
import { files, type Surface, workspace as surface } from "stet/surfaces";
import { describe, expect, it } from "vitest";
import {
  CASES,
  type Call,
  type Converse,
  describeFramework,
  type Offered,
  open,
  type Received,
} from "./support/cases.ts";
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

const BROKEN = ['{"path":"a.txt","cont', "", "no json"];
const NO_OBJECT = ["[1]", "null", '"x"', "7"];

/** What the model received of a call with these arguments, and how many questions the run ended with. */
async function called(name: string, given: string, approve?: Approve, on: Surface = surface) {
  const { workspace } = open({ "a.txt": "one\n" });
  let received: Received[] = [];
  const model = scripted(({ input }) => {
    received = (Array.isArray(input) ? input : []).flatMap(resultIn);
    if (received.length > 0) return [];
    return [{ type: "function_call", callId: "call_1", name, arguments: given, status: "completed" }];
  });
  const tools = openaiTools(workspace.session(), on, { approve });
  const { interruptions } = await runner.run(new Agent({ name: "scripted", instructions: "", model, tools }), "go");
  await workspace.close();
  return { text: received[0]?.text, questions: interruptions.length };
}

it.each([...BROKEN, ...NO_OBJECT])("arguments that are no object are answered, not asked about: %j", async (given) => {
  const { text, questions } = await called("create_file", given);
  expect(questions).toBe(0);
  expect(text).toMatch(/^Create rejected, nothing written\. .*Call create_file again|Please try again with valid JSON/);
});

it.each(BROKEN)("also where a person is asked about calls: %j", async (given) => {
  const { text, questions } = await called("delete_file", given, ["destroy"]);
  expect(questions).toBe(0);
  expect(text).toMatch(/Please try again with valid JSON/);
  expect(await called("delete_file", '{"path":"a.txt"}', ["destroy"])).toEqual({ text: undefined, questions: 1 });
});

it("asks where a function says so, and about those calls of a tool that do more than read", async () => {
  const picked: Approve = (_tool, { path }) => path === "a.txt";
  expect(await called("delete_file", '{"path":"a.txt"}', picked)).toEqual({ text: undefined, questions: 1 });
  expect(await called("delete_file", '{"path":"b.txt"}', picked)).toMatchObject({ questions: 0 });
  const one = files({ mode: "sandbox" });
  const { name } = one.tools[0]!;
  const asked = async (params: object, approve: Approve) =>
    (await called(name, JSON.stringify({ params }), approve, one)).questions;
  const [reads, writes] = [
    { command: "read", file_path: "a.txt" },
    { command: "write", file_path: "b.txt", content: "" },
  ];
  expect([await asked(reads, ["write"]), await asked(writes, ["write"])]).toEqual([0, 1]);
  expect([await asked(reads, ["read"]), await asked(writes, ["read"])]).toEqual([1, 0]);
});

/** What these operations came to, one turn of the model after the other. */
async function patched(session: Session, turns: readonly (readonly object[] | (() => void))[]) {
  const queue = [...turns];
  let results: { readonly status: string; readonly output: string }[] = [];
  let turn = 0;
  const model = scripted(({ input }) => {
    // biome-ignore lint/suspicious/noExplicitAny: one of many kinds of items
    results = (input as readonly any[]).filter(({ type }) => type === "apply_patch_call_output");
    let next = queue.shift();
    for (; typeof next === "function"; next = queue.shift()) next();
    turn++;
    return (next ?? []).map((operation, n) => {
      return { type: "apply_patch_call", callId: `patch_${turn}_${n}`, status: "completed", operation } as never;
    });
  });
  const tools = [
    ...openaiTools(session, surface, { only: ["read_file"] }),
    applyPatchTool({ editor: openaiEditor(session) }),
  ];
  await runner.run(new Agent({ name: "scripted", instructions: "", model, tools }), "go", { maxTurns: 30 });
  return results.map(({ status, output }) => [status, output]);
}

const update = (diff: string, path = "a.txt") => ({ type: "update_file", path, diff });
const create = (path: string, diff: string) => ({ type: "create_file", path, diff });

describe("openai: applyPatchTool", () => {
  it(CASES.loop, async () => {
    const { root, workspace } = open({ "a.txt": "hello\nworld\n" });
    const session = workspace.session({ agent: "openai" });
    const results = await patched(session, [
      [update("@@\n hello\n-world\n+mars")],
      () => writeFileSync(join(root, "a.txt"), "hello\nvenus\n"),
      [update("@@\n hello\n-mars\n+moon")],
      [update("@@\n hello\n-venus\n+moon")],
    ]);
    expect(results).toEqual([
      ["completed", expect.stringContaining("a.txt")],
      ["failed", expect.stringMatching(/^Patch rejected, no file changed\./)],
      ["completed", expect.stringContaining("a.txt")],
    ]);
    let last = 0;
    for await (const { seq, outcome } of workspace.log()) if (outcome === "applied") last = seq;
    expect(readFileSync(join(root, "a.txt"), "utf8")).toBe("hello\nmoon\n");
    await session.undo({ entry: last });
    expect(readFileSync(join(root, "a.txt"), "utf8")).toBe("hello\nvenus\n");
    await workspace.close();
  });

  it("creates, updates and deletes, one file at a time, and all of it can be undone", async () => {
    const { root, workspace } = open({ "a.txt": "hello\nworld\n", "b.txt": "keep\n" });
    const session = workspace.session({ agent: "openai" });
    const results = await patched(session, [
      [update("@@\n hello\n-world\n+mars")],
      [create("new/c.txt", "+one\n+two\n")],
      [{ type: "delete_file", path: "new/c.txt" }],
    ]);
    expect(results.map(([status]) => status)).toEqual(["completed", "completed", "completed"]);
    await session.undo({ session: session.id });
    expect(readFileSync(join(root, "a.txt"), "utf8")).toBe("hello\nworld\n");
    await workspace.close();
  });

  it(CASES.wrong, async () => {
    const { root, workspace } = open({ "a.txt": "hello\nworld\n", "b.txt": "keep\n" });
    const oneFile = "Nothing was changed. A diff is about one file. Make a call for each file.";
    const results = await patched(workspace.session(), [
      [update("@@\n-hello\n+hi\n*** Delete File: b.txt")],
      [update("@@\n-hello\n+hi\n*** End Patch\n*** Begin Patch\n*** Delete File: b.txt")],
      [update("@@\n-hello\n+hi", "a.txt\n*** Delete File: b.txt")],
      [update("*** Move to: c.txt\n@@\n-hello\n+hi")],
      [create("d.txt", "one\n")],
      [create("b.txt", "+other\n")],
      [create("../d.txt", "+one\n")],
      [update("@@\n-a\n+b", "../x")],
      [{ type: "delete_file", path: "../x" }],
      [{ type: "delete_file", path: "." }],
      [update("")],
    ]);
    expect(results.map(([status]) => status)).toEqual(results.map(() => "failed"));
    expect(results.slice(0, 4).map(([, output]) => output)).toEqual([oneFile, oneFile, oneFile, oneFile]);
    expect(results[4]![1]).toBe("Nothing was changed. Every line of a new file begins with +. Put it before each.");
    expect(results[7]![1]).toMatch(/^Patch rejected, no file changed\. .*outside/);
    expect(readdirSync(root).filter((name) => name !== ".stet")).toEqual(["a.txt", "b.txt"]);
    expect(readFileSync(join(root, "a.txt"), "utf8")).toBe("hello\nworld\n");
    await workspace.close();
  });

  it(CASES.parallel, async () => {
    const names = Array.from({ length: 6 }, (_, n) => `n${n}.txt`);
    const { root, workspace } = open({});
    const results = await patched(workspace.session(), [names.map((name) => create(name, `+${name}`))]);
    expect(results.map(([status]) => status)).toEqual(names.map(() => "completed"));
    expect(names.map((name) => readFileSync(join(root, name), "utf8"))).toEqual(names.map((name) => `${name}\n`));
    await workspace.close();
  });
});

it("the example does it, and takes it back", () => runsExample("openai"));
