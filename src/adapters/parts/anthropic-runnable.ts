// A tool as the tool runner of `@anthropic-ai/sdk` calls it, and what it gives back.
import type { AdaptedTool, ToolRun } from "../tools.ts";
import { copyOf } from "./loaded-copy.ts";

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

export function runnable(tool: Pick<AdaptedTool, "run">): AnthropicRunnable {
  return {
    parse: (input) => input,
    run: async (input, context) =>
      contentOf(await tool.run(input, { id: context?.toolUse.id, signal: context?.signal })),
  };
}

/** The runner passes on the words of its own error as they are, and puts "Error: " before those of any other. */
async function refused(text: string): Promise<Error> {
  const name = "@anthropic-ai/sdk/lib/tools/ToolError";
  const sdk = await copyOf(name, () => import("@anthropic-ai/sdk/lib/tools/ToolError"));
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
