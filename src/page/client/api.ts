// Questions to the server, and its refusals as errors with words.

import type { Refused } from "../wire.ts";
import { keepKey, keyNow } from "./key.ts";

export class Refusal extends Error {
  readonly status: number;
  readonly refused: Refused;
  constructor(status: number, refused: Refused) {
    super([refused.message, refused.next].filter(Boolean).join(" "));
    this.status = status;
    this.refused = refused;
  }
}

export type Query = Readonly<Record<string, string | number | undefined>>;

/** A server that has not answered by then does not answer. */
const LOOK_MS = 60_000;
const LONG_MS = 6 * 60_000;

export function ask<T>(name: string, query: Query = {}, signal?: AbortSignal): Promise<T> {
  const longest = name === "net" || name === "health" ? LONG_MS : LOOK_MS;
  return answered<T>(addressOf(name, query), {}, signal, longest);
}

export function tell<T>(name: string, body: unknown): Promise<T> {
  return answered<T>(`/page/api/${name}`, post(body), undefined, LONG_MS);
}

/** As bytes, since a picture that the browser loads by itself shows no key. */
export async function askPicture(query: Query, signal: AbortSignal): Promise<Blob> {
  const response = await opened(addressOf("picture", query), {}, limited(signal, LOOK_MS));
  return response.blob();
}

export async function enter(secret: string): Promise<void> {
  const { key } = await answered<{ readonly key: string }>("/page/login", post({ secret }), undefined, LOOK_MS);
  keepKey(key);
}

export async function leave(): Promise<void> {
  await answered("/page/leave", post({}), undefined, LOOK_MS);
  keepKey(undefined);
}

export function addressOf(name: string, query: Query): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== "");
  const text = new URLSearchParams(given.map(([key, value]) => [key, String(value)])).toString();
  return `/page/api/${name}${text === "" ? "" : `?${text}`}`;
}

export function isAway(error: unknown): boolean {
  return error instanceof Refusal && error.status === 0;
}

/** An answer that is no refusal. */
export async function opened(address: string, init: RequestInit, signal: AbortSignal): Promise<Response> {
  let response: Response;
  try {
    const headers = { ...init.headers, "x-stet-page": keyNow() };
    response = await fetch(address, { credentials: "same-origin", ...init, headers, signal });
  } catch (error) {
    throw awayFor(error, signal);
  }
  if (response.ok) return response;
  const value: unknown = await response.json().catch(() => undefined);
  throw new Refusal(response.status, refusedIn(value, response.status));
}

/** What was asked for and given up is no trouble; all else is that nothing was answered. */
function awayFor(error: unknown, signal: AbortSignal): unknown {
  const isGivenUp = signal.aborted && (signal.reason as Error | undefined)?.name !== "TimeoutError";
  return isGivenUp ? error : away();
}

export function away(): Refusal {
  return new Refusal(0, { kind: "offline", message: "stet does not answer.", next: "Is it still running?" });
}

function post(body: unknown): RequestInit {
  return { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
}

function limited(signal: AbortSignal | undefined, ms: number): AbortSignal {
  const late = AbortSignal.timeout(ms);
  return signal === undefined ? late : AbortSignal.any([signal, late]);
}

async function answered<T>(
  address: string,
  init: RequestInit,
  signal: AbortSignal | undefined,
  longest: number,
): Promise<T> {
  const until = limited(signal, longest);
  const response = await opened(address, init, until);
  try {
    return (await response.json()) as T;
  } catch (error) {
    throw awayFor(error, until);
  }
}

function refusedIn(value: unknown, status: number): Refused {
  const refused = value as Partial<Refused> | undefined;
  if (typeof refused?.message === "string") return { kind: refused.kind ?? "unknown", ...refused } as Refused;
  return { kind: "unknown", message: `The server answered ${status}.`, next: "Load the page again." };
}
