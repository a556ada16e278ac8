// Reads a JSON body: never more of it than allowed, whatever its headers promised, and none that is a burden by its form.
import type { IncomingMessage } from "node:http";
import { burdenOf, tooLongWords } from "../message-bytes.ts";
import { busy, type Denial } from "./denial.ts";
import type { HttpLimits } from "./options.ts";

export type Body = { readonly value: unknown } | { readonly denial: Denial };

/** What was read counts until the request is finished: its call holds on to it. */
export type BodyReader = (request: IncomingMessage, finished: Promise<void>) => Promise<Body>;

export function createBodyReader({ bodyBytes, bodiesBytes }: HttpLimits): BodyReader {
  let underWay = 0;
  return async (request, finished) => {
    const isTooLong = lengthOf(request) > bodyBytes;
    const chunks: Buffer[] = [];
    let size = 0;
    try {
      for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
        // A client that is still sending may miss the answer, so all is taken first; nothing of it is kept.
        if (isTooLong) continue;
        size += chunk.length;
        underWay += chunk.length;
        if (size > bodyBytes) return { denial: tooLarge(bodyBytes) };
        if (underWay > bodiesBytes) return { denial: busy("Too much is being received and worked on. Try again.") };
        chunks.push(chunk);
      }
      return isTooLong ? { denial: tooLarge(bodyBytes) } : parsed(Buffer.concat(chunks, size));
    } finally {
      void finished.then(() => {
        underWay -= size;
      });
    }
  };
}

/** As its headers promise; 0 where they do not. */
export function lengthOf({ headers }: IncomingMessage): number {
  return Number(headers["content-length"] ?? 0);
}

export function tooLarge(bytes: number): Denial {
  return { status: 413, code: -32600, message: tooLongWords(bytes) };
}

/** Messages in a batch: each costs work before its call is even known. */
const MAX_MESSAGES = 100;
/** Characters in the id of a message: it is kept while its call is under way, and in the journal. */
const MAX_ID = 200;

function parsed(bytes: Buffer): Body {
  const burden = burdenOf(bytes);
  if (burden !== undefined) return { denial: malformed(`The body ${burden}.`) };
  try {
    const value: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
    const messages = Array.isArray(value) ? value : [value];
    if (messages.length > MAX_MESSAGES) return { denial: malformed(`A batch may have ${MAX_MESSAGES} messages.`) };
    if (messages.some(hasLongId)) return { denial: malformed(`The id of a message may have ${MAX_ID} characters.`) };
    return { value };
  } catch {
    return { denial: { status: 400, code: -32700, message: "Parse error: the body is not JSON in UTF-8." } };
  }
}

function hasLongId(message: unknown): boolean {
  const { id } = (message ?? {}) as { id?: unknown };
  return typeof id === "string" && id.length > MAX_ID;
}

function malformed(message: string): Denial {
  return { status: 400, code: -32600, message: `Invalid Request: ${message}` };
}
