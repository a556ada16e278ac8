// Questions to the server, and its refusals as errors with words.
import type { Refused } from "./wire.ts";

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

export function ask<T>(name: string, query: Query = {}, signal?: AbortSignal): Promise<T> {
  return answered<T>(addressOf(name, query), signal === undefined ? {} : { signal });
}

export function tell<T>(name: string, body: unknown): Promise<T> {
  return answered<T>(`/page/api/${name}`, post(body));
}

export async function enter(secret: string): Promise<void> {
  await answered("/page/login", post({ secret }));
}

export async function leave(): Promise<void> {
  await answered("/page/leave", post({}));
}

export function addressOf(name: string, query: Query): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== "");
  const text = new URLSearchParams(given.map(([key, value]) => [key, String(value)])).toString();
  return `/page/api/${name}${text === "" ? "" : `?${text}`}`;
}

function post(body: unknown): RequestInit {
  const headers = { "content-type": "application/json", "x-stet-page": "1" };
  return { method: "POST", headers, body: JSON.stringify(body) };
}

async function answered<T>(address: string, init: RequestInit): Promise<T> {
  let response: Response;
  try {
    response = await fetch(address, { credentials: "same-origin", ...init });
  } catch (error) {
    if (init.signal?.aborted) throw error;
    throw new Refusal(0, { kind: "offline", message: "stet does not answer.", next: "Is it still running?" });
  }
  const value: unknown = await response.json().catch(() => undefined);
  if (response.ok) return value as T;
  throw new Refusal(response.status, refusedIn(value, response.status));
}

function refusedIn(value: unknown, status: number): Refused {
  const refused = value as Partial<Refused> | undefined;
  if (typeof refused?.message === "string") return { kind: refused.kind ?? "unknown", ...refused } as Refused;
  return { kind: "unknown", message: `The server answered ${status}.`, next: "Load the page again." };
}
