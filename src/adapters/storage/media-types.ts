// What kind of file a name stands for, as far as frameworks treat it in another way than text.
const MEDIA_TYPES: Readonly<Record<string, string>> = {
  gif: "image/gif",
  jpeg: "image/jpeg",
  jpg: "image/jpeg",
  mp3: "audio/mpeg",
  mp4: "video/mp4",
  pdf: "application/pdf",
  png: "image/png",
  wav: "audio/wav",
  webp: "image/webp",
};

/** Undefined: a text, as far as the name tells. */
export function mediaTypeOf(path: string): string | undefined {
  const ending = /\.(\w+)$/.exec(path)?.[1]?.toLowerCase();
  return ending !== undefined && Object.hasOwn(MEDIA_TYPES, ending) ? MEDIA_TYPES[ending] : undefined;
}
