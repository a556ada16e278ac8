// Files as resources: read like any other read, through the caller's session, so that policy, limits and journal hold.
import { type ProtocolError, type ReadResourceResult, ResourceNotFoundError } from "@modelcontextprotocol/server";
import { Refusal } from "../../core/failure.ts";
import { MEDIA_TYPES } from "../../core/media-types.ts";
import { bytesOf } from "../../core/version.ts";
import type { CallOptions, Session } from "../../kernel/session.ts";
import { inWords } from "../../surfaces/call.ts";
import { asProtocolError, boundedText } from "../calls/defects.ts";
import { holding, type NamedWorkspace, type ServeOptions } from "../workspaces/named.ts";
import { resourceAt } from "./uri.ts";

/** The session of one caller in a workspace. */
export type SessionIn = (served: NamedWorkspace) => Session;

export async function readResource(
  options: ServeOptions,
  uri: string,
  sessionIn: SessionIn,
  call: CallOptions,
): Promise<ReadResourceResult> {
  try {
    const { served, path } = await resourceAt(options, uri);
    const content = await holding(served, () => contentOf(sessionIn(served), path, call));
    return { contents: [{ uri, ...content }] };
  } catch (error) {
    if (error instanceof Refusal) throw aboutResource(error, uri);
    throw error;
  }
}

/** Text where every byte of it can be shown as text, else all the bytes. */
async function contentOf(session: Session, path: string, call: CallOptions) {
  try {
    const read = await session.read(path, undefined, call);
    if (read.whole?.text.invalid === 0) return { mimeType: mimeTypeOf(path, "text"), text: read.body };
  } catch (error) {
    if (!(error instanceof Refusal) || (error.kind !== "binary_file" && error.kind !== "not_text")) throw error;
  }
  const { at, version } = await session.readBytes(path, call);
  await session.showed(at.path, version);
  return { mimeType: mimeTypeOf(path, "binary"), blob: Buffer.from(bytesOf(version)).toString("base64") };
}

/** "Not found" has the code of protocol 2026-07-28, which the SDK sends to older clients too. */
export function aboutResource(refusal: Refusal, uri: string): ProtocolError {
  if (refusal.kind === "not_found")
    return new ResourceNotFoundError(boundedText(uri), boundedText(inWords(refusal.failure, "")));
  return asProtocolError(refusal, { uri: boundedText(uri) });
}

/** Texts that clients show by their type; any other text is plain. */
const TEXT_TYPES: Readonly<Record<string, string>> = {
  css: "text/css",
  csv: "text/csv",
  html: "text/html",
  js: "text/javascript",
  json: "application/json",
  md: "text/markdown",
  svg: "image/svg+xml",
  xml: "application/xml",
};

const TYPES: Readonly<Record<string, string>> = { ...MEDIA_TYPES, ...TEXT_TYPES };

/** A name promises less than the bytes show: binary content is never called text. */
export function mimeTypeOf(path: string, content: "text" | "binary" | "unknown"): string | undefined {
  const ending = /\.([a-z0-9]+)$/i.exec(path)?.[1]?.toLowerCase() ?? "";
  const named = Object.hasOwn(TYPES, ending) ? TYPES[ending] : undefined;
  if (content === "unknown") return named;
  if (content === "text") return named ?? "text/plain";
  return named === undefined || Object.hasOwn(TEXT_TYPES, ending) ? "application/octet-stream" : named;
}
