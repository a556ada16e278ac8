// What each adapter gives fits what its framework takes, with exactOptionalPropertyTypes. Compiled, never run.

import { type Options, query } from "@anthropic-ai/claude-agent-sdk";
import type Anthropic from "@anthropic-ai/sdk";
import { Agent as MastraAgent } from "@mastra/core/agent";
import { Agent, applyPatchTool } from "@openai/agents";
import { generateText, streamText, type ToolSet } from "ai";
import type { BackendProtocolV2 } from "deepagents";
import { createAgent } from "langchain";
import { openWorkspace, type Session } from "stet";
import { type AdaptedTool, surfaceFor, toolsOf } from "stet/adapters";
import { aiTools } from "stet/adapters/ai";
import { anthropicMemory, anthropicTextEditor, anthropicTools } from "stet/adapters/anthropic";
import { claudeTools } from "stet/adapters/claude";
import { deepagentsBackend } from "stet/adapters/deepagents";
import { langchainTools } from "stet/adapters/langchain";
import { mastraTools } from "stet/adapters/mastra";
import { openaiEditor, openaiTools } from "stet/adapters/openai";

const session: Session = openWorkspace({ root: "." }).session();
const surface = surfaceFor("claude-sonnet-5-5");
const approve = ["destroy"] as const;

export const tools: readonly AdaptedTool[] = toolsOf(session, surface, { approve });
export const ran = tools[0]!.run({}, { id: undefined, signal: undefined });

export const set: ToolSet = aiTools(session, surface, { approve });
export const generated = generateText({ model: "x", prompt: "", tools: aiTools(session, surface) });
export const streamed = streamText({ model: "x", prompt: "", tools: { ...aiTools(session, surface) } });

type Runner = Anthropic["beta"]["messages"]["toolRunner"];
export const run = (runner: Runner) =>
  runner({
    model: "x",
    max_tokens: 1,
    messages: [],
    tools: [...anthropicTools(session, surface), anthropicTextEditor(session), anthropicMemory(session)],
  });

export const agent = new Agent({
  name: "x",
  tools: [...openaiTools(session, surface, { approve }), applyPatchTool({ editor: openaiEditor(session) })],
});
export const langchain = createAgent({ model: "x", tools: langchainTools(session, surface) });

export const mastra = new MastraAgent({
  id: "x",
  name: "x",
  instructions: "",
  model: "openai/x",
  tools: mastraTools(session, surface, { approve }),
});
export const backend: BackendProtocolV2 = deepagentsBackend(session);

const options: Options = { ...claudeTools(session, surface, { approve }), tools: [] };
export const asked = query({ prompt: "", options });
