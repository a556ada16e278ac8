// The code blocks of docs/adapters.md do what they say: each is run with a scripted model, and the file is edited.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { format } from "node:util";
import { afterAll, describe, expect, it, vi } from "vitest";
import { directoryWith } from "../support/workspace.ts";
import { mockModel } from "./models/ai.ts";
import { ScriptedChatModel } from "./models/langchain.ts";
import { anthropicClient, type Calls, openaiModel } from "./models/scripted.ts";
import { NAMES, programOf } from "./support/blocks.ts";

const here = fileURLToPath(new URL(".", import.meta.url));
// Its name is one that the frameworks are found for.
const folder = mkdtempSync(join(here, ".blocks-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const TRACKED: Calls = [
  ["Read", { file_path: "hello.txt" }],
  ["Edit", { file_path: "hello.txt", old_string: "world", new_string: "stet" }],
];
const SCRIPTS: Readonly<Record<string, () => object>> = {
  ai: () => ({ model: aiModel(TRACKED) }),
  anthropic: () => ({ client: anthropicClient(TRACKED), model: "scripted" }),
  "claude-own-tools": () => ({
    model: "scripted",
    client: anthropicClient([
      ["memory", { command: "create", path: "/memories/note.txt", file_text: "mine\n" }],
      ["str_replace_based_edit_tool", { command: "view", path: "/hello.txt" }],
      [
        "str_replace_based_edit_tool",
        { command: "str_replace", path: "/hello.txt", old_str: "world", new_str: "stet" },
      ],
    ]),
  }),
  openai: () => ({ model: openaiModel(TRACKED) }),
  "openai-editor": () => {
    const operation = { type: "update_file", path: "hello.txt", diff: "@@\n-Hello, world!\n+Hello, stet!\n" };
    return { model: openaiModel([["apply_patch", operation]]) };
  },
  langchain: () => ({ model: chatModel(TRACKED) }),
  mastra: () => ({ model: aiModel(TRACKED) }),
  deepagents: () => ({
    model: chatModel([
      ["read_file", { file_path: "/hello.txt" }],
      ["edit_file", { file_path: "/hello.txt", old_string: "world", new_string: "stet" }],
    ]),
  }),
};
/** Made without a call of a model; the program of the Claude Agent SDK is run by its example. */
const NO_MODEL = ["claude", "langchain-asks", "own"];

function aiModel(calls: Calls) {
  return mockModel(({ length }) => (calls[length] === undefined ? [] : [calls[length]])).model;
}

function chatModel(calls: Calls) {
  let turn = 0;
  return new ScriptedChatModel(() => {
    const call = calls[turn++];
    return call === undefined ? [] : [call];
  });
}

async function runs(name: string, given: object): Promise<{ readonly root: string; readonly printed: string[] }> {
  const root = directoryWith({ "hello.txt": "Hello, world!\n" });
  const notes = directoryWith({});
  const code = programOf(name, "(globalThis as any).given")
    .replace('"/home/me/app"', JSON.stringify(root))
    .replace('"/home/me/notes"', JSON.stringify(notes));
  const file = join(folder, `${name}.ts`);
  writeFileSync(file, code);
  vi.stubGlobal("given", { prompt: "go", messages: [{ role: "user", content: "go" }], ...given });
  const printed: string[] = [];
  const log = vi.spyOn(console, "log").mockImplementation((...args) => void printed.push(format(...args)));
  try {
    await import(file);
  } finally {
    log.mockRestore();
    vi.unstubAllGlobals();
  }
  return { root, printed };
}

describe("blocks of docs/adapters.md", () => {
  it("are all here", () => {
    expect([...NAMES].sort()).toEqual([...Object.keys(SCRIPTS), ...NO_MODEL].sort());
  });

  it.each(Object.keys(SCRIPTS))("%s: a scripted model edits the file", async (name) => {
    const { root } = await runs(name, SCRIPTS[name]!());
    expect(readFileSync(join(root, "hello.txt"), "utf8")).toBe("Hello, stet!\n");
  });

  it("langchain-asks: an agent is made", async () => {
    await runs("langchain-asks", { model: chatModel([]) });
  });

  it("own: prints what it says", async () => {
    const { printed } = await runs("own", {});
    const told = /console\.log\(.*\); \/\/ (.*)$/m.exec(programOf("own", ""))![1];
    expect(printed).toEqual([told]);
  });
});
