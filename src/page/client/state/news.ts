// One sentence about an entry, for the line at the foot and for screen readers; and what an undo did, in words.

import type { EntryLine } from "../../wire.ts";
import { kind, name, plural } from "../shown.ts";

export function newsOf(line: EntryLine): string {
  const { outcome, agent, tool, error, paths, files } = line;
  const what = paths.length === 0 ? "" : files === 1 ? name(paths[0]!) : plural(files, "file");
  if (outcome === "external") return `Another program changed ${what || "a file"}.`;
  const who = name(agent ?? tool);
  const did = deedOf(line);
  if (did !== undefined) return `${who} ${did}${what === "" || line.restored ? "" : `: ${what}`}.`;
  if (outcome === "refused") return `${who} was refused${what && `: ${what}`}${error ? `, ${kind(error)}` : ""}.`;
  return `${who} changed ${what}`.trim().concat(".");
}

/** Of a change that is about earlier ones: "took back 1–7". */
export function deedOf({ outcome, of, part, restored, paths }: EntryLine): string | undefined {
  if (outcome !== "applied" || of === undefined || of.length === 0) return undefined;
  if (restored) return `brought back ${name(paths[0] ?? "")}`.trim();
  return `took back ${part ? "a part of " : ""}${ranges(of)}`;
}

/** 1, 2, 3, 5 are "1–3, 5"; of many the first. */
export function ranges(seqs: readonly number[], most = 5): string {
  const found: [from: number, to: number][] = [];
  for (const seq of [...seqs].sort((a, b) => a - b)) {
    const last = found.at(-1);
    if (last !== undefined && seq <= last[1] + 1) last[1] = seq;
    else found.push([seq, seq]);
  }
  const words = found.slice(0, most).map(([from, to]) => (from === to ? `${from}` : `${from}–${to}`));
  return words.join(", ") + (found.length > most ? ", …" : "");
}
