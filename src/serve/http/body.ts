// Reads a JSON body: never more of it than allowed, whatever its headers promised.
import type { IncomingMessage } from "node:http";
import { type Denial, tooLarge } from "./denial.ts";
import type { HttpLimits } from "./limits.ts";

export type Body = { readonly value: unknown } | { readonly denial: Denial };

export type BodyReader = (request: IncomingMessage) => Promise<Body>;

export function createBodyReader({ bodyBytes, bodiesBytes }: HttpLimits): BodyReader {
  let underWay = 0;

  return async function read(request) {
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
      underWay -= size;
    }
  };
}

const FULL: Denial = {
  status: 503,
  message: "Too much is being received at once. Try again.",
  headers: { "retry-after": "1" },
};

function parsed(bytes: Buffer): Body {
  try {
    const value: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
    return { value };
  } catch {
    return { denial: { status: 400, code: -32700, message: "Parse error: the body is not JSON in UTF-8." } };
  }
}
