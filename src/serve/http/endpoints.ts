// What is answered to a GET without an MCP call: health, numbers, and whose tokens are taken.
import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { Refusal } from "../../core/failure.ts";
import type { Workspace } from "../../kernel/workspace.ts";
import { type ProtectedResource, RESOURCE, secretIn } from "./access/tokens.ts";
import { type Denial, methodDenied, pathOf } from "./denial.ts";
import type { MetricsOptions } from "./metrics.ts";

export const ENDPOINT = "/mcp";
const HEALTH = "/healthz";
const READINESS = "/readyz";
const METRICS = "/metrics";
/** A client asks behind it for the path of what it wants to call, or for none. */
const RESOURCE_PATHS: readonly string[] = [RESOURCE, `${RESOURCE}${ENDPOINT}`];

export interface EndpointOptions {
  /** Rejects when calls could not be served now. */
  readonly ready: (() => Promise<void>) | undefined;
  readonly closing: () => boolean;
  /** How long an answer about readiness holds, so that asking often costs nothing. */
  readonly holdsMs: number;
  readonly metrics: MetricsOptions | undefined;
  /** Told to clients without a token. */
  readonly resource: ProtectedResource | undefined;
}

export interface Endpoints {
  has(path: string): boolean;
  /** Of a path that it has; undefined when it was answered, else why it is not. */
  answer(request: IncomingMessage, response: ServerResponse): Promise<Denial | undefined>;
}

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly type?: string;
}

type Endpoint = (request: IncomingMessage) => Answer | Denial | Promise<Answer>;

export function createEndpoints({ ready, closing, holdsMs, metrics, resource }: EndpointOptions): Endpoints {
  const isReady = lasting(holdsMs, () => readyInTime(ready));
  const endpoints = new Map<string, Endpoint>([
    [HEALTH, () => status(true)],
    [READINESS, async () => status(!closing() && (await isReady()) && !closing())],
  ]);
  if (metrics !== undefined) endpoints.set(METRICS, numbersOf(metrics));
  if (resource !== undefined) for (const path of RESOURCE_PATHS) endpoints.set(path, () => metadataOf(resource));
  return {
    has: (path) => endpoints.has(path),
    async answer(request, response) {
      const answer = methodDenied(request, ["GET", "HEAD"]) ?? (await endpoints.get(pathOf(request))!(request));
      if ("message" in answer) return answer;
      response.writeHead(answer.status, { "content-type": answer.type ?? "application/json" });
      response.end(request.method === "HEAD" ? undefined : answer.text);
      return undefined;
    },
  };
}

/** Whether the process is up, or can do its work: without details. */
function status(ok: boolean): Answer {
  return { status: ok ? 200 : 503, text: JSON.stringify({ status: ok ? "ok" : "unavailable" }) };
}

function lasting(ms: number, ask: () => Promise<boolean>): () => Promise<boolean> {
  let last: { readonly at: number; readonly ok: Promise<boolean> } | undefined;
  return () => {
    if (last === undefined || performance.now() - last.at > ms) last = { at: performance.now(), ok: ask() };
    return last.ok;
  };
}

const PATIENCE_MS = 2000;

async function readyInTime(ready: (() => Promise<void>) | undefined): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const tooSlow = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), PATIENCE_MS).unref();
  });
  const isReady = Promise.resolve(ready?.()).then(() => true);
  return Promise.race([isReady, tooSlow])
    .catch(() => false)
    .finally(() => clearTimeout(timer));
}

/** The root of a workspace is where it was opened and can be listed, and one with a journal gets its lock. */
export async function checkReady(workspaces: readonly Workspace[]): Promise<void> {
  await Promise.all(workspaces.map(checkOne));
}

async function checkOne({ backend, journalling }: Workspace): Promise<void> {
  const root = await backend.resolve(".");
  if (root.kind !== "directory") throw new Refusal("not_found", "The root of a workspace is gone.");
  for await (const _entry of backend.list(root.path)) break;
  // drops nothing; but what it does not do, it does under the lock of the journal
  if (journalling) await backend.forget([]);
}

function numbersOf({ token, text }: MetricsOptions): Endpoint {
  const own = hashOf(token);
  return ({ headers }) => {
    const secret = secretIn(headers.authorization);
    if (secret === undefined || !timingSafeEqual(hashOf(secret), own)) return NO_NUMBERS;
    return { status: 200, text: text(), type: "text/plain; version=0.0.4; charset=utf-8" };
  };
}

const NO_NUMBERS: Denial = {
  status: 401,
  message: "Send the token of the metrics: Authorization: Bearer …",
  headers: { "www-authenticate": 'Bearer realm="stet metrics"' },
};

function hashOf(secret: string): Buffer {
  return createHash("sha256").update(secret).digest();
}

function metadataOf({ resource, issuer }: ProtectedResource): Answer {
  const metadata = {
    resource,
    authorization_servers: [issuer],
    bearer_methods_supported: ["header"],
    resource_name: "stet",
  };
  return { status: 200, text: JSON.stringify(metadata) };
}
