// Reads a JSON body: never more of it than allowed, whatever its headers promised, and none that is a burden by its form.
import type { IncomingMessage } from "node:http";
import { burdenOf, PassingId } from "../message-bytes.ts";
import { type Denial, tooLarge } from "./access/denial.ts";
import type { HttpLimits } from "./limits.ts";

export type Body = { readonly value: unknown } | { readonly denial: Denial };

/** What was read counts until the request is finished: its call holds on to it. */
export type BodyReader = (request: IncomingMessage, finished: Promise<void>) => Promise<Body>;

export function createBodyReader({ bodyBytes, bodiesBytes }: HttpLimits): BodyReader {
  let underWay = 0;

  return async function read(request, finished) {
    if (lengthOf(request) > bodyBytes) return { denial: tooLarge(bodyBytes, await passed(request)) };
    const chunks: Buffer[] = [];
    let size = 0;
    try {
      for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
        size += chunk.length;
        underWay += chunk.length;
        if (size > bodyBytes) return { denial: tooLarge(bodyBytes) };
        if (underWay > bodiesBytes) return { denial: FULL };
        chunks.push(chunk);
      }
      return parsed(Buffer.concat(chunks, size));
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

/** A client that is still sending may miss the answer, so all is taken first; nothing of it is kept but the id. */
async function passed(request: IncomingMessage): Promise<PassingId["id"]> {
  const passing = new PassingId();
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) passing.take(chunk);
  return passing.id;
}

const FULL: Denial = {
  status: 503,
  message: "Too much is being received and worked on at once. Try again.",
  headers: { "retry-after": "1" },
};

/** Messages in a batch: each costs work before its call is even known. */
const MOST_MESSAGES = 100;
/** Characters in the id of a message: it is kept while its call is under way, and in the journal. */
const MOST_ID = 200;

function parsed(bytes: Buffer): Body {
  const burden = burdenOf(bytes);
  if (burden !== undefined) return { denial: malformed(`The body ${burden}.`) };
  try {
    const value: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
    if (Array.isArray(value) && value.length > MOST_MESSAGES)
      return { denial: malformed(`A batch may have ${MOST_MESSAGES} messages.`) };
    if ((Array.isArray(value) ? value : [value]).some(hasLongId))
      return { denial: malformed(`The id of a message may have ${MOST_ID} characters.`) };
    return { value };
  } catch {
    return { denial: { status: 400, code: -32700, message: "Parse error: the body is not JSON in UTF-8." } };
  }
}

function hasLongId(message: unknown): boolean {
  const { id } = (message ?? {}) as { id?: unknown };
  return typeof id === "string" && id.length > MOST_ID;
}

function malformed(message: string): Denial {
  return { status: 400, code: -32600, message: `Invalid Request: ${message}` };
}
