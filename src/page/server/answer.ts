// Sends the answers of the page: JSON that is never cached, refusals as data, headers that let no other code run.
import type { IncomingMessage, ServerResponse } from "node:http";
import { gzipSync } from "node:zlib";
import { Refusal } from "../../core/failure.ts";
import { isRecord } from "../../core/is-record.ts";
import type { Conflict, Refused } from "../wire.ts";

/** Scripts and styles come from this server's files only. Pictures are blobs: the script loads them with its key. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' blob:",
  "worker-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types stet",
].join("; ");

const HEADERS: Readonly<Record<string, string>> = {
  "cache-control": "no-store",
  "content-security-policy": POLICY,
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "permissions-policy": "camera=(), geolocation=(), microphone=()",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
};

/** For bytes that agents wrote: nothing in them ever runs. */
const SANDBOX = "default-src 'none'; sandbox";

export function setSafeHeaders(response: ServerResponse): void {
  for (const [name, value] of Object.entries(HEADERS)) response.setHeader(name, value);
}

/** The one kind of answer that is not JSON. */
export class Picture {
  readonly type: string;
  readonly bytes: Uint8Array;
  constructor(type: string, bytes: Uint8Array) {
    this.type = type;
    this.bytes = bytes;
  }
}

/** A request that is refused before it reaches a workspace. */
export class NotAllowed extends Error {
  readonly status: number;
  readonly more: Pick<Refused, "tokens">;
  constructor(status: number, message: string, more: Pick<Refused, "tokens"> = {}) {
    super(message);
    this.status = status;
    this.more = more;
  }
}

/** Returns how many bytes are on their way. */
export function sendPicture(response: ServerResponse, { type, bytes }: Picture): number {
  response.setHeader("content-security-policy", SANDBOX);
  response.writeHead(200, { "content-type": type, "content-length": bytes.length });
  response.end(bytes);
  return bytes.length;
}

const WORTH_PACKING = 2048;

/** Returns how many bytes are on their way. */
export function sendJson(request: IncomingMessage, response: ServerResponse, value: unknown, status = 200): number {
  const bytes = Buffer.from(JSON.stringify(value));
  const packs = bytes.length > WORTH_PACKING && takesGzip(request);
  const body = packs ? gzipSync(bytes, { level: 1 }) : bytes;
  response.writeHead(status, {
    "content-type": "application/json; charset=utf-8",
    "content-length": body.length,
    ...(packs && { "content-encoding": "gzip" }),
    ...(!request.complete && { connection: "close" }),
  });
  response.end(body);
  return body.length;
}

export function takesGzip({ headers }: IncomingMessage): boolean {
  return /\bgzip\b/.test(String(headers["accept-encoding"] ?? ""));
}

/** A refusal is an answer. Any other error is a defect, and its details stay on the server. */
export function sendError(request: IncomingMessage, response: ServerResponse, error: unknown): void {
  if (response.headersSent || response.destroyed) {
    response.destroy();
    return;
  }
  const { refused, status } = told(error);
  sendJson(request, response, refused, status);
}

function told(error: unknown): { readonly refused: Refused; readonly status: number } {
  if (error instanceof NotAllowed)
    return { refused: { kind: "not_allowed", message: error.message, ...error.more }, status: error.status };
  if (error instanceof Refusal) return { refused: refusedOf(error), status: statusOf(error) };
  return { refused: { kind: "unknown", message: "A defect in stet. Its log tells more." }, status: 500 };
}

function refusedOf({ facts, failure }: Refusal): Refused {
  const { kind, message, suggestedAction, path, details } = failure;
  const [later, conflicts]: unknown[] = [details?.later, details?.conflicts];
  return {
    kind,
    message,
    next: facts?.mayMerge === true ? MERGE : suggestedAction,
    path,
    later: Array.isArray(later) ? later.filter((seq) => typeof seq === "number").slice(-100) : undefined,
    isTakenBack: details?.takenBackBy === undefined ? undefined : true,
    conflicts: Array.isArray(conflicts) ? conflicts.filter(isRecord).slice(0, 50).map(conflictOf) : undefined,
  };
}

/** The page has a button for it. */
const MERGE = "Undo these first, or keep them and take back only the other lines.";

const MAX_OF_A_SIDE = 20_000;

function conflictOf(conflict: Readonly<Record<string, unknown>>): Conflict {
  const side = (name: string): string => String(conflict[name] ?? "").slice(0, MAX_OF_A_SIDE);
  const line = typeof conflict.startLine === "number" ? conflict.startLine : 1;
  return { line, inBase: side("inBase"), inFile: side("inFile"), wanted: side("wanted") };
}

function statusOf({ kind }: Refusal): number {
  if (kind === "not_found") return 404;
  if (kind === "invalid_input" || kind === "invalid_path") return 400;
  if (kind === "permission_denied" || kind === "outside_workspace") return 403;
  return 409;
}
