// subscriptions/listen of protocol 2026-07-28: the SDK answers it and filters; here the files it names get watched.
import { CLIENT_INFO_META_KEY, PROTOCOL_VERSION_META_KEY } from "@modelcontextprotocol/server";
import { Refusal } from "../kernel/failure.ts";
import { nameIn } from "./requests.ts";
import type { SessionIn } from "./resources.ts";
import type { Watches } from "./watches.ts";

export interface ListenRequest {
  readonly id: string | number;
  readonly uris: readonly string[];
  readonly agent: string | undefined;
}

/** So that one stream cannot use up what all may watch. */
const MOST = 200;

/** undefined when a JSON-RPC message is something else. */
export function listenRequestIn(message: unknown): ListenRequest | undefined {
  const { method, id, params } = (message ?? {}) as Record<string, unknown>;
  if (method !== "subscriptions/listen" || (typeof id !== "string" && typeof id !== "number")) return undefined;
  const { notifications, _meta } = (params ?? {}) as Record<string, Record<string, unknown> | undefined>;
  if (_meta?.[PROTOCOL_VERSION_META_KEY] === undefined) return undefined;
  const uris = notifications?.resourceSubscriptions;
  return {
    id,
    uris: Array.isArray(uris) ? uris.filter((uri) => typeof uri === "string").slice(0, MOST) : [],
    agent: nameIn(_meta[CLIENT_INFO_META_KEY]),
  };
}

/** Watches what may be read; of the rest the listener hears nothing. Once it has settled no change is missed. */
export async function watchAll(watches: Watches, uris: readonly string[], sessionIn: SessionIn): Promise<() => void> {
  const begun = await Promise.all([...new Set(uris)].map((uri) => watches.watch(uri, sessionIn).catch(unlessRefused)));
  return () => {
    for (const end of begun) end();
  };
}

function unlessRefused(error: unknown): () => void {
  if (error instanceof Refusal) return () => {};
  throw error;
}
