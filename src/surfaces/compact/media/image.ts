// Pictures for models that can see: media type, size in pixels and the bytes as base64.
import { Refusal } from "../../../core/failure.ts";
import { printable } from "../../../core/printable.ts";

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
    return imageSize(headOf(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)));
  } catch {
    return undefined;
  }
}

/** As far as the size stands in it: a file of nothing but small parts would be gone through for seconds. */
function headOf(bytes: Buffer): Buffer {
  const [isLittle, isBig] = [TIFF_LITTLE, TIFF_BIG].map((start) => bytes.subarray(0, start.length).equals(start));
  if (!isLittle && !isBig) return bytes.subarray(0, HEAD_BYTES);
  // Its directory may stand anywhere.
  const directory = bytes.length < 8 ? 0 : isLittle ? bytes.readUInt32LE(4) : bytes.readUInt32BE(4);
  return bytes.subarray(0, directory + DIRECTORY_BYTES);
}

const TIFF_LITTLE = Buffer.from("II*\0");
const TIFF_BIG = Buffer.from("MM\0*");
/** Photographs have previews, profiles and descriptions before it. */
const HEAD_BYTES = 512 * 1024;
/** Hundreds of entries. */
const DIRECTORY_BYTES = 16 * 1024;
