// Pictures for models that can see: media type, size in pixels and the bytes as base64.
import { Refusal } from "../../kernel/failure.ts";
import { printable } from "../legible.ts";

export interface Picture {
  readonly media_type: string;
  readonly width: number;
  readonly height: number;
  readonly image_data: string;
}

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  png: "image/png",
  jpg: "image/jpeg",
  gif: "image/gif",
  webp: "image/webp",
  bmp: "image/bmp",
  ico: "image/x-icon",
  svg: "image/svg+xml",
  tiff: "image/tiff",
};

/** undefined when the bytes are no picture of a known kind, whatever the file is called. */
export async function pictureIn(path: string, bytes: Uint8Array, mostBytes: number): Promise<Picture | undefined> {
  const found = await measured(bytes);
  const mediaType = MEDIA_TYPES[found?.type ?? ""];
  if (found === undefined || mediaType === undefined) return undefined;
  if (bytes.length > mostBytes) {
    throw new Refusal(
      "file_too_large",
      `${printable(path)} is an image of ${bytes.length} bytes; the limit is ${mostBytes}.`,
      {
        path,
        next: "Set max_binary_size to read it all the same, or make it smaller first.",
        details: { size: bytes.length, maxBytes: mostBytes },
      },
    );
  }
  const { width, height } = found;
  const image_data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("base64");
  return { media_type: mediaType, width, height, image_data };
}

async function measured(bytes: Uint8Array) {
  const { imageSize } = await import("image-size");
  try {
    return imageSize(bytes);
  } catch {
    return undefined;
  }
}
