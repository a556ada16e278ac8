// subscriptions/listen of protocol 2026-07-28: the SDK answers it and filters; here the files it names get watched.
import { CLIENT_INFO_META_KEY, PROTOCOL_VERSION_META_KEY } from "@modelcontextprotocol/server";
import { Refusal } from "../../core/failure.ts";
import { asProtocolError } from "../calls/defects.ts";
import { nameIn } from "../calls/requests.ts";
import type { SessionIn } from "./resources.ts";
import type { Watches } from "./watches.ts";

export interface ListenRequest {
  readonly id: string | number;
  readonly uris: readonly string[];
  readonly agent: string | undefined;
  /** The request with these URIs only: so that no more is acknowledged than is watched. */
  only(uris: readonly string[]): unknown;
}

/** So that one stream cannot use up what its owner may watch. */
const MOST = 200;

/** undefined when a JSON-RPC message is something else. */
export function listenRequestIn(message: unknown): ListenRequest | undefined {
  const { method, id, params } = (message ?? {}) as Record<string, unknown>;
  if (method !== "subscriptions/listen" || (typeof id !== "string" && typeof id !== "number")) return undefined;
  const { notifications, _meta } = (params ?? {}) as Record<string, Record<string, unknown> | undefined>;
  const named = notifications?.resourceSubscriptions;
  if (_meta?.[PROTOCOL_VERSION_META_KEY] === undefined || !Array.isArray(named)) return undefined;
  // Anything else than texts is for the SDK to refuse.
  if (!named.every((uri) => typeof uri === "string")) return undefined;
  return {
    id,
    uris: [...new Set<string>(named)],
    agent: nameIn(_meta[CLIENT_INFO_META_KEY]),
    only: (resourceSubscriptions) => ({
      ...(message as object),
      params: { ...(params as object), notifications: { ...notifications, resourceSubscriptions } },
    }),
  };
}

export interface Watching {
  /** What may be read: of the rest the listener hears nothing, and it is not acknowledged. */
  readonly uris: readonly string[];
  end(): void;
}

/** Once it has settled no change is missed. Throws a ProtocolError, and watches nothing, when not all that may be read can be watched. */
export async function watchAll(
  watches: Watches,
  { uris }: Pick<ListenRequest, "uris">,
  sessionIn: SessionIn,
  owner?: string,
): Promise<Watching> {
  if (uris.length > MOST) throw asProtocolError(tooMany(uris.length));
  const tried = await Promise.allSettled(uris.map((uri) => watches.watch(uri, sessionIn, owner)));
  const ends = tried.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
  const end = (): void => {
    for (const one of ends) one();
  };
  const failed = tried.find((each) => each.status === "rejected" && !isRefusedFile(each.reason));
  if (failed === undefined) return { uris: uris.filter((_uri, index) => tried[index]?.status === "fulfilled"), end };
  end();
  const { reason } = failed as PromiseRejectedResult;
  throw reason instanceof Refusal ? asProtocolError(reason) : reason;
}

function isRefusedFile(error: unknown): boolean {
  return error instanceof Refusal && error.kind !== "busy";
}

function tooMany(count: number): Refusal {
  return new Refusal("invalid_input", `${count} resources are named, and one stream may have ${MOST}.`, {
    next: "Name fewer, or open several streams.",
  });
}
