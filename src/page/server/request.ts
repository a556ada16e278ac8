// Reads a request of the page: its query and its small JSON body, each field checked where it is taken.
import type { IncomingMessage } from "node:http";
import type { Sha } from "../../core/backend.ts";
import { Refusal } from "../../core/failure.ts";
import { isRecord } from "../../core/is-record.ts";
import { isSha } from "../../core/version.ts";
import { NotAllowed } from "./answer.ts";

export type Fields = Readonly<Record<string, unknown>>;

/** A list of entries to be marked is the largest. */
const MAX_BYTES = 256 * 1024;

export async function bodyOf(request: IncomingMessage): Promise<Fields> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_BYTES) throw new NotAllowed(413, `A request of the page has ${MAX_BYTES} bytes at most.`);
    chunks.push(chunk);
  }
  try {
    const value: unknown = JSON.parse(Buffer.concat(chunks).toString("utf8"));
    if (isRecord(value)) return value;
  } catch {
    // told below
  }
  throw new NotAllowed(400, "The body is no JSON object.");
}

export function queryOf(url: URL): Fields {
  return Object.fromEntries(url.searchParams);
}

/** Longer than any path. */
const MAX_CHARACTERS = 8192;

export function textIn(fields: Fields, name: string): string | undefined {
  const value = fields[name];
  if (value === undefined || value === null || value === "") return undefined;
  if (typeof value === "string" && value.length <= MAX_CHARACTERS) return value;
  throw wrong(name, "a text");
}

/** A token of an identity provider is the longest. */
const MAX_SECRET = 16_384;

export function secretOf({ secret }: Fields): string {
  if (typeof secret === "string" && secret !== "" && secret.length <= MAX_SECRET) return secret;
  throw wrong("secret", "a text");
}

export function textOf(fields: Fields, name: string): string {
  const value = textIn(fields, name);
  if (value === undefined) throw wrong(name, "a text");
  return value;
}

export function numberIn(fields: Fields, name: string): number | undefined {
  const value = fields[name];
  if (value === undefined || value === null || value === "") return undefined;
  const number = typeof value === "string" && /^\d{1,15}$/.test(value) ? Number(value) : value;
  if (typeof number === "number" && Number.isSafeInteger(number) && number >= 0) return number;
  throw wrong(name, "a whole number");
}

export function numberOf(fields: Fields, name: string): number {
  const value = numberIn(fields, name);
  if (value === undefined) throw wrong(name, "a whole number");
  return value;
}

export function numbersIn(fields: Fields, name: string): readonly number[] | undefined {
  const value = fields[name];
  if (value === undefined || value === null) return undefined;
  if (Array.isArray(value) && value.every((each) => Number.isSafeInteger(each) && each > 0)) return value;
  throw wrong(name, "a list of entries");
}

/** "none" where there was no file. */
export function shaOf(fields: Fields, name: string): Sha | null {
  const value = textOf(fields, name);
  if (value === "none") return null;
  if (isSha(value)) return value;
  throw wrong(name, 'a sha256, or "none"');
}

function wrong(name: string, what: string): Refusal {
  return new Refusal("invalid_input", `${name} must be ${what}.`, { next: "Load the page again." });
}
