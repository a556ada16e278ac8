// The tool runner of Anthropic's SDK, with the API in place of the network.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Anthropic from "@anthropic-ai/sdk";
import type { BetaContentBlockParam, BetaMessageParam } from "@anthropic-ai/sdk/resources/beta/messages/messages.mjs";
import type { Session } from "stet";
import { anthropicMemory, anthropicTextEditor, anthropicTools } from "stet/adapters/anthropic";
import { workspace as surface } from "stet/surfaces";
import { describe, expect, it } from "vitest";
import {
  CASES,
  type Converse,
  describeFramework,
  type Offered,
  open,
  type Received,
  type Script,
} from "./support/cases.ts";
import { runsExample } from "./support/example.ts";

interface Body {
  readonly messages: readonly BetaMessageParam[];
  readonly tools?: readonly { readonly name: string; readonly description: string; readonly input_schema: object }[];
}

type Tools = Parameters<Anthropic["beta"]["messages"]["toolRunner"]>[0]["tools"];

async function run(tools: Tools, script: Script, signal?: AbortSignal) {
  const received: Received[] = [];
  let offered: Offered[] = [];
  let turn = 0;
  const client = new Anthropic({
    apiKey: "none",
    async fetch(_url, init) {
      const body = JSON.parse(String(init?.body)) as Body;
      if (body.tools !== undefined)
        offered = body.tools.map(({ name, description, input_schema }) => ({
          name,
          description,
          schema: { ...input_schema },
        }));
      // After the first request the thread is known by its id: only what is new is sent.
      for (const { content = "" } of body.messages)
        if (typeof content !== "string") received.push(...content.flatMap(resultIn));
      turn++;
      const calls = script(received).map(([name, input], n) => ({
        type: "tool_use",
        id: `toolu_${turn}_${n}`,
        name,
        input,
      }));
      const content = calls.length > 0 ? calls : [{ type: "text", text: "done" }];
      return Response.json({
        id: `msg_${turn}`,
        type: "message",
        role: "assistant",
        model: "scripted",
        content,
        stop_reason: calls.length > 0 ? "tool_use" : "end_turn",
        usage: { input_tokens: 1, output_tokens: 1 },
      });
    },
  });
  const messages: BetaMessageParam[] = [{ role: "user", content: "go" }];
  const request = { model: "scripted", max_tokens: 9, max_iterations: 30, messages, tools };
  await client.beta.messages.toolRunner(request, { ...(signal && { signal }) });
  return { received, offered };
}

function resultIn(block: BetaContentBlockParam): Received[] {
  if (block.type !== "tool_result") return [];
  const { tool_use_id: id, is_error: error = false, content = "" } = block;
  if (typeof content === "string") return [{ id, text: content, images: 0, error }];
  const text = content.map((each) => (each.type === "text" ? each.text : "")).join("");
  return [{ id, text, images: content.filter(({ type }) => type === "image").length, error }];
}

const converse: Converse = ({ session, surface, script, signal }) =>
  run(anthropicTools(session, surface), script, signal);

describeFramework("anthropic", converse, { marksErrors: true, ids: true });

it("takes no wish to be asked, which its tools could not keep", async () => {
  const { workspace } = open({});
  const asked = { approve: ["destroy"] } as never;
  expect(() => anthropicTools(workspace.session(), surface, asked)).toThrow(
    /has no effect here.*Leave out with `only`/,
  );
  await workspace.close();
});

/** Calls of a native tool, one after the other. */
async function native(session: Session, kind: "editor" | "memory", inputs: readonly object[]) {
  const tool = kind === "editor" ? anthropicTextEditor(session) : anthropicMemory(session);
  const { received } = await run([tool], ({ length }) => (length < inputs.length ? [[tool.name, inputs[length]]] : []));
  return received.map(({ text, error }) => (error ? `refused: ${text}` : text));
}

const OWN = [
  { kind: "editor", name: "str_replace_based_edit_tool", below: "", unchanged: "Nothing was changed." },
  { kind: "memory", name: "memory", below: "/memories", unchanged: "The memory is unchanged." },
] as const;

describe.each(OWN)("anthropic: Claude's own tools: $kind", ({ kind, name, below, unchanged }) => {
  const path = `${below}/a.txt`;
  const view = { command: "view", path };
  const edit = (old_str: string, new_str: string) => ({ command: "str_replace", path, old_str, new_str });

  it(CASES.loop, async () => {
    const { root, workspace } = open({ "a.txt": "one\ntwo\n" });
    const session = workspace.session({ agent: kind });
    const first = await native(session, kind, [view, edit("one", "ONE")]);
    expect(first.at(-1)).toMatch(/has been edited/);
    writeFileSync(join(root, "a.txt"), "ONE\nZWEI\n");
    const then = await native(session, kind, [edit("two", "TWO"), view, edit("ZWEI", "TWO")]);
    expect(then[0]).toMatch(new RegExp(`^refused: ${unchanged} [\\s\\S]*View it again[\\s\\S]*\\+ZWEI`));
    expect(then[2]).toMatch(/has been edited/);
    expect(readFileSync(join(root, "a.txt"), "utf8")).toBe("ONE\nTWO\n");
    let last = 0;
    for await (const { seq, outcome, tool } of workspace.log()) {
      if (outcome === "applied" && tool === name) last = seq;
    }
    await session.undo({ entry: last });
    expect(readFileSync(join(root, "a.txt"), "utf8")).toBe("ONE\nZWEI\n");
    await workspace.close();
  });

  it(CASES.cancelled, async () => {
    const { root, workspace } = open({ "a.txt": "one\n" });
    const session = workspace.session();
    const tool = kind === "editor" ? anthropicTextEditor(session) : anthropicMemory(session);
    const context = { toolUse: { id: "toolu_1" } };
    await tool.run(view, context);
    const controller = new AbortController();
    const going = tool.run(edit("one", "two"), { ...context, signal: controller.signal });
    controller.abort();
    await expect(going).rejects.toThrow(unchanged);
    expect(readFileSync(join(root, "a.txt"), "utf8")).toBe("one\n");
    await workspace.close();
  });

  it(CASES.wrong, async () => {
    const { root, workspace } = open({ "a.txt": "one\n" });
    const session = workspace.session();
    const answers = await native(session, kind, [
      { command: "view", path: 7 },
      { command: "rm", path },
      { command: "create", path },
      { command: "view", path, view_range: [2] },
      { command: "view", path, view_range: [0, 1] },
      { command: "view", path, view_range: [3, 2] },
      { command: "insert", path, insert_line: -1, insert_text: "x" },
    ]);
    expect(answers).toEqual(answers.map(() => expect.stringMatching(new RegExp(`^refused: ${unchanged} `))));
    expect(readFileSync(join(root, "a.txt"), "utf8")).toBe("one\n");
    await workspace.close();
  });

  it(CASES.parallel, async () => {
    const { root, workspace } = open({});
    const session = workspace.session();
    const tool = kind === "editor" ? anthropicTextEditor(session) : anthropicMemory(session);
    const names = Array.from({ length: 6 }, (_, n) => `n${n}.txt`);
    const creates = names.map(
      (each) => [name, { command: "create", path: `${below}/${each}`, file_text: each }] as const,
    );
    const { received } = await run([tool], ({ length }) => (length === 0 ? creates : []));
    expect(new Set(received.map(({ id }) => id)).size).toBe(names.length);
    expect(names.map((each) => readFileSync(join(root, each), "utf8"))).toEqual(names);
    await workspace.close();
  });

  it(CASES.agents, async () => {
    const { root, workspace } = open({ "a.txt": "one\n" });
    await native(workspace.session({ agent: "one" }), kind, [view]);
    const [refused] = await native(workspace.session({ agent: "two" }), kind, [edit("one", "two")]);
    expect(refused).toMatch(/View it first/);
    expect(readFileSync(join(root, "a.txt"), "utf8")).toBe("one\n");
    await workspace.close();
  });
});

describe("text_editor_20250728", () => {
  it("changes only what it has viewed", async () => {
    const { root, workspace } = open({ "a.txt": "one\r\ntwo\r\n", "src/b.ts": "b\n" });
    const answers = await native(workspace.session({ agent: "editor" }), "editor", [
      { command: "view", path: "/" },
      { command: "str_replace", path: "/a.txt", old_str: "one", new_str: "1" },
      { command: "insert", path: "a.txt", insert_line: 0, insert_text: "zero" },
      { command: "create", path: "/a.txt", file_text: "gone\n" },
      { command: "view", path: "/a.txt", view_range: [1, -1] },
      { command: "str_replace", path: "/a.txt", old_str: "one", new_str: "1" },
      { command: "insert", path: join(root, "a.txt"), insert_line: 1, insert_text: "between" },
      { command: "create", path: "/d/new.txt", file_text: "n\n" },
      { command: "str_replace", path: "/a.txt", old_str: "nothing", new_str: "" },
      { command: "view", path: "/../../etc/passwd" },
      { command: "insert", path: "/a.txt" },
      { command: "undo_edit", path: "/a.txt" },
    ]);
    expect(answers).toEqual([
      expect.stringMatching(/^Here're the files .*\n-\t\/src\/\n\d+\t\/a\.txt\n\d+\t\/src\/b\.ts$/s),
      ...Array.from({ length: 3 }, () => expect.stringMatching(/^refused: Nothing was changed\. .*View it first/)),
      "Here's the content of /a.txt with line numbers:\n1\tone\n2\ttwo\n",
      expect.stringMatching(/^The file \/a\.txt has been edited\.[\s\S]*\+1/),
      expect.stringMatching(/^The file .*a\.txt has been edited\./),
      "File created successfully at: /d/new.txt",
      expect.stringMatching(/^refused: Nothing was changed\. /),
      expect.stringMatching(/^refused: Nothing was changed\. /),
      expect.stringMatching(/^refused: Nothing was changed\. .*`insert_line` and `insert_text`/),
      expect.stringMatching(/^refused: Nothing was changed\. .*`command`/),
    ]);
    expect(readFileSync(join(root, "a.txt"), "utf8")).toBe("1\r\nbetween\r\ntwo\r\n");
    const applied = [];
    for await (const { tool, call, outcome } of workspace.log())
      if (outcome === "applied") applied.push({ tool, call });
    expect(applied).toHaveLength(3);
    expect(applied[0]).toEqual({ tool: "str_replace_based_edit_tool", call: expect.stringMatching(/^toolu_/) });
    await workspace.close();
  });

  it("tells of what others changed meanwhile", async () => {
    const { root, workspace } = open({ "a.txt": "one\ntwo\n" });
    const tool = anthropicTextEditor(workspace.session());
    await tool.run({ command: "view", path: "/a.txt" });
    writeFileSync(join(root, "a.txt"), "one\nzwei\n");
    const insert = tool.run({ command: "insert", path: "/a.txt", insert_line: 1, insert_text: "x" });
    await expect(insert).rejects.toThrow(
      /^Nothing was changed\. .*not the version you saw[\s\S]*View it again[\s\S]*\+zwei/,
    );
    await workspace.close();
  });
});

describe("memory_20250818", () => {
  it("keeps, renames and deletes, and what it deletes can be restored", async () => {
    const { root, workspace } = open({});
    const answers = await native(workspace.session({ agent: "memory" }), "memory", [
      { command: "view", path: "/memories" },
      { command: "create", path: "/memories/notes/p.txt", file_text: "prefs\n" },
      { command: "create", path: "/memories/notes/q.txt", file_text: "more\n" },
      { command: "str_replace", path: "/memories/notes/p.txt", old_str: "prefs", new_str: "likes" },
      { command: "rename", old_path: "/memories/notes/p.txt", new_path: "/memories/likes.txt" },
      { command: "rename", old_path: "/memories/notes", new_path: "/memories/old" },
      { command: "view", path: "/memories/" },
      { command: "delete", path: "/memories/old" },
      { command: "delete", path: "/memories" },
      { command: "delete", path: "/memories/none.txt" },
      { command: "view", path: "/etc" },
      { command: "view", path: "/memories/../../x" },
      { command: "rename", old_path: "/memories/likes.txt" },
    ]);
    expect(answers).toEqual([
      "Here're the files and directories up to 2 levels deep in /memories, with their bytes:",
      "File created successfully at: /memories/notes/p.txt",
      "File created successfully at: /memories/notes/q.txt",
      expect.stringMatching(/^The file \/memories\/notes\/p\.txt has been edited\./),
      "Successfully renamed /memories/notes/p.txt to /memories/likes.txt",
      "Successfully renamed /memories/notes to /memories/old",
      expect.stringMatching(/6\t\/memories\/likes\.txt[\s\S]*5\t\/memories\/old\/q\.txt$/),
      "Successfully deleted /memories/old",
      expect.stringMatching(/^refused: The memory is unchanged\. The root/),
      expect.stringMatching(/^refused: The memory is unchanged\. .*does not exist/),
      expect.stringMatching(/^refused: The memory is unchanged\. .*not in \/memories/),
      expect.stringMatching(/^refused: The memory is unchanged\. /),
      expect.stringMatching(/^refused: The memory is unchanged\. rename needs `old_path` and `new_path`/),
    ]);
    expect(readFileSync(join(root, "likes.txt"), "utf8")).toBe("likes\n");
    expect(existsSync(join(root, "old/q.txt"))).toBe(false);
    const session = workspace.session();
    for await (const { seq, tool, outcome, changes } of workspace.log({ newestFirst: true })) {
      if (outcome !== "applied" || changes[0]?.to !== null) continue;
      expect(tool).toBe("memory");
      await session.undo({ entry: seq });
      break;
    }
    expect(readFileSync(join(root, "old/q.txt"), "utf8")).toBe("more\n");
    await workspace.close();
  });
});

it("the example does it, and takes it back", () => runsExample("anthropic"));
