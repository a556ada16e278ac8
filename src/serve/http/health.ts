// Answers whether the process is up and whether it can do its work, without a token and without details.
import type { IncomingMessage, ServerResponse } from "node:http";
import { Refusal } from "../../core/failure.ts";
import type { Workspace } from "../../kernel/workspace.ts";
import { HEALTH, methodDenied, pathOf, READINESS } from "./access/guards.ts";
import { deny } from "./denial.ts";

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
