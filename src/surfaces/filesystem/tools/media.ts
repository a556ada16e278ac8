// read_media_file: the bytes of any file, as the picture, the sound or the resource that they are.
import * as z from "zod";
import { printable } from "../../../core/printable.ts";
import { bytesOf } from "../../../core/version.ts";
import { mediaTypeOf } from "../../media-types.ts";
import { defineTool } from "../../tool.ts";
import { ALIASES, absolute, pathField } from "../fixed.ts";

const shown = z.object({ type: z.enum(["image", "audio"]), data: z.string(), mimeType: z.string() });
const resource = z.object({ uri: z.string(), mimeType: z.string(), blob: z.string() });
const output = z.object({ content: z.array(z.union([shown, z.object({ type: z.literal("resource"), resource })])) });

export const read_media_file = defineTool({
  name: "read_media_file",
  title: "Read media file",
  description: "Read a file of any kind as base64: a picture, a sound, or else a resource.",
  effect: "read",
  actions: ["read"],
  input: z.object({ path: pathField }),
  aliases: ALIASES,
  output,
  refused: "Nothing was read.",
  async run({ session, call }, { path }) {
    const { at, version } = await session.readBytes(path, call);
    const bytes = bytesOf(version);
    const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("base64");
    await session.showed(at.path, version, undefined, call);
    return { content: [blockOf(absolute(session, at.path), data)] };
  },
  text: ({ content: [block] }, { path }) =>
    `${printable(path)}: ${block?.type === "resource" ? block.resource.mimeType : block?.mimeType}`,
  images(data) {
    const images = data.content.flatMap((block) =>
      block.type === "image" ? [{ mimeType: block.mimeType, base64: block.data }] : [],
    );
    return { images, rest: images.length > 0 ? { content: [] } : data };
  },
  result: ({ content }) => ({ content, structuredContent: { content } }),
});

function blockOf(path: string, data: string): z.output<typeof output>["content"][number] {
  const mimeType = /\.svg$/i.test(path) ? "image/svg+xml" : (mediaTypeOf(path) ?? "");
  if (mimeType.startsWith("image/")) return { type: "image", data, mimeType };
  if (mimeType.startsWith("audio/")) return { type: "audio", data, mimeType };
  const uri = `file://${encodeURI(path).replace(/[?#]/g, encodeURIComponent)}`;
  return { type: "resource", resource: { uri, mimeType: "application/octet-stream", blob: data } };
}
