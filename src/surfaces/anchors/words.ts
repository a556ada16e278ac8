// Names and file text as they may stand in a message.
import { shown } from "../../backends/names.ts";
import { displayable } from "../../kernel/text.ts";

/** A path in which everything is escaped that could move a cursor or reorder the text around it. */
export function named(path: string): string {
  return shown(path).slice(1, -1);
}

/** Every string within, safe to show. */
export function allDisplayable(value: unknown): unknown {
  if (typeof value === "string") return displayable(value);
  if (Array.isArray(value)) return value.map(allDisplayable);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, allDisplayable(each)]));
}
