// Files as resources: read like any other read, through the caller's session, so that policy, limits and journal hold.
import { type ProtocolError, type ReadResourceResult, ResourceNotFoundError } from "@modelcontextprotocol/server";
import { Refusal } from "../../core/failure.ts";
import { bytesOf } from "../../core/version.ts";
import type { CallOptions, Session } from "../../kernel/session.ts";
import { inWords } from "../../surfaces/call.ts";
import { boundedText } from "../calls/bounded.ts";
import { asProtocolError } from "../calls/defects.ts";
import { holding, type Served, type ServeOptions } from "../served/served.ts";
import { mimeTypeOf } from "./mime-types.ts";
import { resourceAt } from "./uri.ts";

/** The session of one caller in a workspace. */
export type SessionIn = (served: Served) => Session;

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
