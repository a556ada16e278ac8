// File text within a refusal as it may stand in a message.
import { legibleDiff } from "../answer/legible.ts";

/** Every string within, safe to show. */
export function allDisplayable(value: unknown): unknown {
  if (typeof value === "string") return legibleDiff(value);
  if (Array.isArray(value)) return value.map(allDisplayable);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, allDisplayable(each)]));
}
