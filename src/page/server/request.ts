// Reads a request of the page: its query and its small JSON body, each field checked where it is taken.
import type { IncomingMessage } from "node:http";
import type { LogFilter, Sha } from "../../core/backend.ts";
import { Refusal } from "../../core/failure.ts";
import { isRecord } from "../../core/is-record.ts";
import { isSha } from "../../core/version.ts";
import { NotAllowed } from "./answer.ts";

export type Fields = Readonly<Record<string, unknown>>;

/** The largest body is a list of entries to be marked. */
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
    // refused below
  }
  throw new NotAllowed(400, "The body is no JSON object.");
}

/** No path is longer. */
const MAX_CHARACTERS = 8192;
/** The longest secret is a token of an identity provider. */
const MAX_SECRET = 16_384;

export function textIn(fields: Fields, name: string, max = MAX_CHARACTERS): string | undefined {
  const value = fields[name] ?? "";
  if (typeof value === "string" && value.length <= max) return value === "" ? undefined : value;
  return wrong(name, "a text");
}

export function textOf(fields: Fields, name: string, max?: number): string {
  return textIn(fields, name, max) ?? wrong(name, "a text");
}

export function secretOf(fields: Fields): string {
  return textOf(fields, "secret", MAX_SECRET);
}

export function numberIn(fields: Fields, name: string): number | undefined {
  const value = fields[name] ?? "";
  if (value === "") return undefined;
  const number = typeof value === "string" && /^\d{1,15}$/.test(value) ? Number(value) : value;
  return Number.isSafeInteger(number) && (number as number) >= 0 ? (number as number) : wrong(name, "a whole number");
}

export function numberOf(fields: Fields, name: string): number {
  return numberIn(fields, name) ?? wrong(name, "a whole number");
}

export function numbersIn(fields: Fields, name: string): readonly number[] | undefined {
  const value = fields[name] ?? undefined;
  if (value === undefined) return undefined;
  const isList = Array.isArray(value) && value.every((each) => Number.isSafeInteger(each) && each > 0);
  return isList ? value : wrong(name, "a list of entries");
}

/** "none" where there was no file. */
export function shaOf(fields: Fields, name: string): Sha | null {
  const value = textOf(fields, name);
  if (value === "none") return null;
  return isSha(value) ? value : wrong(name, 'a sha256, or "none"');
}

/** Whose changes are meant, or since when. */
export function whoseIn(fields: Fields): Pick<LogFilter, "session" | "agent" | "since"> {
  const [session, agent, since] = ["session", "agent", "since"].map((name) => textIn(fields, name));
  if (session !== undefined || agent !== undefined || since !== undefined) return { session, agent, since };
  throw new Refusal("invalid_input", "Whose changes? Name a session, an agent or a time.", {
    next: "Choose one in the timeline.",
  });
}

function wrong(name: string, what: string): never {
  throw new Refusal("invalid_input", `${name} must be ${what}.`, { next: "Load the page again." });
}
