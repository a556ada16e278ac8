// Refusals on their way to a client: they quote what it sent, and that may be megabytes.
import type { Failure } from "../../core/failure.ts";

/** More than any refusal says by itself, the diff of a stale file included. */
const MOST_TEXT = 32_000;
/** In the data, where the same is said again. */
const MOST_PART = 8_000;
const MOST_PATH = 4_096;
const MOST_ENTRIES = 1_000;

export function boundedText(text: string): string {
  return cut(text, MOST_TEXT);
}

export function boundedFailure(failure: Failure): Failure {
  const { message, path, suggestedAction, details } = failure;
  return {
    ...failure,
    message: cut(message, MOST_PART),
    ...(path !== undefined && { path: cut(path, MOST_PATH) }),
    ...(suggestedAction !== undefined && { suggestedAction: cut(suggestedAction, MOST_PART) }),
    ...(details !== undefined && { details: boundedDetails(details) }),
  };
}

/** As they are, unless they are large. */
function boundedDetails(details: Record<string, unknown>): Record<string, unknown> {
  return JSON.stringify(details).length <= MOST_TEXT ? details : (smaller(details) as Record<string, unknown>);
}

function smaller(value: unknown): unknown {
  if (typeof value === "string") return cut(value, MOST_PART);
  if (Array.isArray(value)) return value.slice(0, MOST_ENTRIES).map(smaller);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).slice(0, MOST_ENTRIES);
  return Object.fromEntries(entries.map(([key, each]) => [cut(key, MOST_PATH), smaller(each)]));
}

function cut(text: string, most: number): string {
  if (text.length <= most) return text;
  // Not between the halves of a surrogate pair.
  const kept = text.slice(0, most).replace(/[\uD800-\uDBFF]$/, "");
  return `${kept}… (${text.length - kept.length} characters more)`;
}
