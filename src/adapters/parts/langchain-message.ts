// What a `ToolMessage` of LangChain is made of.
import type { ToolRun } from "../tools.ts";

/** A refusal as an error, pictures as such, and the data for programs as the artifact. */
export function messageFields(name: string, { ok, text, images, data: artifact }: ToolRun, id: string) {
  const pictures = images.map(({ base64, mimeType }) => {
    return { type: "image_url", image_url: { url: `data:${mimeType};base64,${base64}` } };
  });
  return {
    name,
    tool_call_id: id,
    status: ok ? ("success" as const) : ("error" as const),
    content: images.length === 0 ? text : [{ type: "text", text }, ...pictures],
    artifact,
  };
}
