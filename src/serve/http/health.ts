// Is the process up, and can it do its work: two answers without a token, which tell nothing else.
import type { IncomingMessage, ServerResponse } from "node:http";
import { deny } from "./access/denial.ts";
import { HEALTH, methodDenied, pathOf, READINESS } from "./access/guards.ts";

export interface HealthOptions {
  /** Rejects when calls could not be served now. */
  readonly ready: (() => Promise<void>) | undefined;
  readonly closing: () => boolean;
  /** How long an answer holds, so that asking often costs nothing. */
  readonly holdsMs: number;
}

/** Answers a question of health; false when the request is not one. */
export type Health = (request: IncomingMessage, response: ServerResponse) => Promise<boolean>;

export function createHealth({ ready = async () => {}, closing, holdsMs }: HealthOptions): Health {
  let last: { readonly at: number; readonly ok: Promise<boolean> } | undefined;

  function isReady(): Promise<boolean> {
    if (last === undefined || performance.now() - last.at > holdsMs) {
      const ok = Promise.race([ready().then(() => true), tooSlow()]).catch(() => false);
      last = { at: performance.now(), ok };
    }
    return last.ok;
  }

  return async function answer(request, response) {
    const path = pathOf(request);
    if (path !== HEALTH && path !== READINESS) return false;
    const denial = methodDenied(request);
    if (denial !== undefined) {
      deny(request, response, denial);
      return true;
    }
    const ok = path === HEALTH || (!closing() && (await isReady()) && !closing());
    response.writeHead(ok ? 200 : 503, { "content-type": "application/json" });
    response.end(request.method === "HEAD" ? undefined : JSON.stringify({ status: ok ? "ok" : "unavailable" }));
    return true;
  };
}

const PATIENCE_MS = 2000;

function tooSlow(): Promise<boolean> {
  return new Promise((resolve) => {
    setTimeout(() => resolve(false), PATIENCE_MS).unref();
  });
}
