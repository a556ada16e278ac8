// The tools for `client.beta.messages.toolRunner({ tools })` of `@anthropic-ai/sdk`: plain objects; and its own tool types.
import type { Session } from "../kernel/session.ts";
import type { Surface } from "../surfaces/tool.ts";
import { memorySurface } from "./native/memory.ts";
import { textEditorSurface } from "./native/text-editor.ts";
import { type AdaptedTool, type ToolRun, type ToolsOptions, toolsOf } from "./tools.ts";

/** What a tool gives to the runner: its words, or with pictures a list of blocks. */
export type AnthropicContent = string | (AnthropicText | AnthropicImage)[];

interface AnthropicText {
  type: "text";
  text: string;
}

interface AnthropicImage {
  type: "image";
  source: { type: "base64"; media_type: "image/png" | "image/jpeg" | "image/gif" | "image/webp"; data: string };
}

interface Context {
  readonly toolUse: { readonly id: string };
  readonly signal?: AbortSignal | null | undefined;
}

/** What the runner calls. A refusal is thrown, as the runner wants it; its words arrive unchanged, marked as an error. */
export interface AnthropicRunnable {
  /** Hands on what the model sent: the tool looks at it itself. */
  parse: (input: unknown) => unknown;
  /** Makes the call. */
  run: (input: unknown, context?: Context) => Promise<AnthropicContent>;
}

/** One tool, as the runner takes it. */
export interface AnthropicTool extends AnthropicRunnable {
  /** A tool of the program's own. */
  type: "custom";
  /** What models call it. */
  name: string;
  /** For models. */
  description: string;
  /** The parameters. */
  input_schema: { type: "object"; [key: string]: unknown };
}

/** `client.beta.messages.toolRunner({ tools: anthropicTools(session, surface), … })`. */
export function anthropicTools(
  session: Session,
  surface: Surface,
  options?: Pick<ToolsOptions, "only">,
): AnthropicTool[] {
  return toolsOf(session, surface, options).map((tool) => ({
    type: "custom",
    name: tool.name,
    description: tool.description,
    input_schema: { ...tool.schema, type: "object" },
    ...runnable(tool),
  }));
}

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

function runnable(tool: Pick<AdaptedTool, "run">): AnthropicRunnable {
  return {
    parse: (input) => input,
    run: async (input, context) =>
      contentOf(await tool.run(input, { id: context?.toolUse.id, signal: context?.signal })),
  };
}

/** The runner passes on the words of its own error as they are, and puts "Error: " before those of any other. */
async function refused(text: string): Promise<Error> {
  const sdk = await import("@anthropic-ai/sdk/lib/tools/ToolError").catch(() => undefined);
  return sdk === undefined ? new Error(text) : new sdk.ToolError(text);
}

async function contentOf({ ok, text, images }: ToolRun): Promise<AnthropicContent> {
  if (!ok) throw await refused(text);
  if (images.length === 0) return text;
  const pictures = images.map(({ base64: data, mimeType }): AnthropicImage => {
    const media_type = mimeType as AnthropicImage["source"]["media_type"];
    return { type: "image", source: { type: "base64", media_type, data } };
  });
  return [{ type: "text", text }, ...pictures];
}
