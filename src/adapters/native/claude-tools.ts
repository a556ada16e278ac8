// Claude's own tools for the tool runner of `@anthropic-ai/sdk`: the model knows them without a schema.
import type { Session } from "../../kernel/session.ts";
import type { Surface } from "../../surfaces/tool.ts";
import { type AnthropicRunnable, runnable } from "../parts/anthropic-runnable.ts";
import { type AdaptedTool, toolsOf } from "../tools.ts";
import { memorySurface } from "./memory.ts";
import { textEditorSurface } from "./text-editor.ts";

/** The text editor that Claude knows without a schema. */
export interface AnthropicTextEditor extends AnthropicRunnable {
  /** Of the API. */
  type: "text_editor_20250728";
  /** Of the API. */
  name: "str_replace_based_edit_tool";
}

/** Claude's own text editor on a workspace: what it changes it must have viewed, and every version is kept. */
export function anthropicTextEditor(session: Session): AnthropicTextEditor {
  const name = "str_replace_based_edit_tool";
  return { type: "text_editor_20250728", name, ...runnable(onlyTool(session, textEditorSurface)) };
}

/** The memory that Claude knows without a schema. */
export interface AnthropicMemory extends AnthropicRunnable {
  /** Of the API. */
  type: "memory_20250818";
  /** Of the API. */
  name: "memory";
}

/** Claude's own memory tool; its `/memories` is the root of the session's workspace. */
export function anthropicMemory(session: Session): AnthropicMemory {
  return { type: "memory_20250818", name: "memory", ...runnable(onlyTool(session, memorySurface)) };
}

/** Also where a policy leaves nothing of it: then every call is refused, in words. */
function onlyTool(session: Session, surface: Surface): Pick<AdaptedTool, "run"> {
  const [tool] = toolsOf(session, surface);
  if (tool !== undefined) return tool;
  const text = "Nothing was done. The policy of the workspace allows nothing of what this tool does.";
  return { run: async () => ({ ok: false, text, images: [], warnings: [], data: undefined }) };
}
