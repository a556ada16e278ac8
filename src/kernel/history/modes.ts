// Modes of files in words. Kept versions have none, so they are always as the journal says.
import { LINK_MODE } from "../../core/backend.ts";
import type { ModeBack } from "./undo/undo.ts";

/** Where a file gets another mode than it has. */
export function modeBackInWords({ before, after }: ModeBack): string {
  const was = before === undefined ? "" : `${modeInWords(before)} -> `;
  return `${was}${modeInWords(after)} (as the journal says)`;
}

/** Undefined for an ordinary file, which cannot be run. */
export function unusualMode(mode: number | undefined): string | undefined {
  if (mode === undefined || (mode !== LINK_MODE && (mode & 0o7111) === 0)) return undefined;
  return `${modeInWords(mode)} (as the journal says)`;
}

function modeInWords(mode: number): string {
  return mode === LINK_MODE ? "a symbolic link" : `mode ${(mode & 0o7777).toString(8).padStart(3, "0")}`;
}
