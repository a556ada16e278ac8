// Media types of files by their names, for clients that show or pass on resources.
import { MEDIA_TYPES } from "../../core/media-types.ts";

const BY_ENDING: Readonly<Record<string, string>> = {
  ...MEDIA_TYPES,
  bmp: "image/bmp",
  c: "text/x-c",
  cpp: "text/x-c++",
  css: "text/css",
  csv: "text/csv",
  go: "text/x-go",
  gz: "application/gzip",
  h: "text/x-c",
  html: "text/html",
  ico: "image/x-icon",
  java: "text/x-java",
  js: "text/javascript",
  json: "application/json",
  jsx: "text/jsx",
  md: "text/markdown",
  mjs: "text/javascript",
  py: "text/x-python",
  rs: "text/x-rust",
  sh: "text/x-shellscript",
  sql: "application/sql",
  svg: "image/svg+xml",
  toml: "application/toml",
  ts: "text/typescript",
  tsx: "text/tsx",
  wasm: "application/wasm",
  xml: "application/xml",
  yaml: "application/yaml",
  yml: "application/yaml",
  zip: "application/zip",
};

/** A name promises less than the bytes show: binary content is never called text. */
export function mimeTypeOf(path: string, content: "text" | "binary" | "unknown"): string | undefined {
  const ending = /\.([a-z0-9]+)$/i.exec(path)?.[1]?.toLowerCase() ?? "";
  const named = Object.hasOwn(BY_ENDING, ending) ? BY_ENDING[ending] : undefined;
  if (content === "unknown") return named;
  if (content === "text") return named ?? "text/plain";
  return named === undefined || named.startsWith("text/") ? "application/octet-stream" : named;
}
