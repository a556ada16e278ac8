// The result that a model receives in the AI SDK, and in Mastra, which took over its form: they differ in how a picture is written.
import type { ToolRun } from "../tools.ts";

export type ModelOutput<Picture> =
  | { readonly type: "text" | "error-text"; readonly value: string }
  | { readonly type: "content"; readonly value: ({ readonly type: "text"; readonly text: string } | Picture)[] };

/** A refusal as an error, pictures behind the words. */
export function modelOutput<Picture>(
  { ok, text, images }: ToolRun,
  pictureOf: (data: string, mediaType: string) => Picture,
): ModelOutput<Picture> {
  if (!ok) return { type: "error-text", value: text };
  if (images.length === 0) return { type: "text", value: text };
  const pictures = images.map(({ base64, mimeType }) => pictureOf(base64, mimeType));
  return { type: "content", value: [{ type: "text", text }, ...pictures] };
}
