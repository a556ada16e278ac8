// A journal entry in one line: number, time, who, with which tool, and what became of it.
import type { Entry } from "../../../core/backend.ts";
import { printable } from "../../../core/printable.ts";
import { pathsAskedFor } from "../../../kernel/change/refused.ts";
import type { Lines } from "../../../kernel/history/entry.ts";
import { type EntryFile, filesOf } from "../../../kernel/history/entry.ts";
import { listed } from "../../../words/plural.ts";
import type { Terminal } from "../../options/command.ts";
import { shortSession } from "../../options/person.ts";
import { paint } from "../../terminal/print.ts";
import { safeJson } from "../../terminal/safe.ts";

export interface LineOptions {
  /** A recovery found that its changes never happened. */
  readonly aborted?: boolean;
  /** Of the first files of the entry. */
  readonly counted?: readonly (Lines | undefined)[];
}

export function entryLine(terminal: Terminal, entry: Entry, { aborted, counted = [] }: LineOptions = {}): string {
  const who = printable(whoOf(entry)).padEnd(WIDTH.who);
  const tool = printable(entry.tool).padEnd(WIDTH.tool);
  const never = aborted ? " (never happened)" : "";
  const what = `${whatHappened(terminal, entry, counted)}${never}`;
  const number = paint(terminal, "yellow", `${entry.seq}`.padStart(WIDTH.seq));
  return `${number}  ${paint(terminal, "dim", clock(entry.at))}  ${who}  ${tool}  ${what}`.trimEnd();
}

/** As the clock on this wall shows it. */
export function clock(at: string): string {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return printable(at);
  const two = (n: number) => `${n}`.padStart(2, "0");
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
}

function whoOf({ agent, session, outcome }: Entry): string {
  if (outcome === "external") return "(outside)";
  const id = shortSession(session);
  return agent === undefined || agent === id ? id : `${agent}/${id}`;
}

export function fileWords(terminal: Terminal, file: EntryFile, counted: Lines | undefined): string {
  const { letter, path, movedFrom } = file;
  const name = movedFrom === undefined ? printable(path) : `${printable(movedFrom)} -> ${printable(path)}`;
  return `${letter} ${name}${counted === undefined ? "" : ` ${lineCounts(terminal, counted)}`}`;
}

export function lineCounts(terminal: Terminal, { insertions, deletions }: Lines): string {
  return `${paint(terminal, "green", `+${insertions}`)} ${paint(terminal, "red", `-${deletions}`)}`;
}

export const MAX_FILES = 3;
const WIDTH = { seq: 5, who: 20, tool: 12 } as const;
const MAX_DETAILS = 160;

function whatHappened(terminal: Terminal, entry: Entry, counted: readonly (Lines | undefined)[]): string {
  const { outcome, of = [] } = entry;
  if (outcome === "refused") {
    const paths = pathsAskedFor(entry).slice(0, MAX_FILES).map(printable);
    return `${paint(terminal, "red", `refused ${printable(entry.error ?? "unknown")}`)}  ${paths.join(", ")}`;
  }
  if (outcome === "aborted") return paint(terminal, "red", `aborted: entry ${printable(listed(of, 3))} never happened`);
  if (outcome === "note") return printable(entry.message ?? detailsInShort(entry));
  const verb = entry.details?.restored === undefined ? "takes back" : "restored from";
  const back = of.length > 0 && outcome === "applied" ? ` (${verb} ${printable(listed(of, 3))})` : "";
  const outside = outcome === "external" ? paint(terminal, "magenta", "changed outside stet: ") : "";
  return `${outside}${filesInShort(terminal, entry, counted)}${back}`;
}

function filesInShort(terminal: Terminal, entry: Entry, counted: readonly (Lines | undefined)[]): string {
  const files = filesOf(entry);
  const words = files.slice(0, MAX_FILES).map((file, n) => fileWords(terminal, file, counted[n]));
  const more = files.length - words.length;
  return [...words, ...(more > 0 ? [`and ${more} more`] : [])].join(", ");
}

function detailsInShort({ details }: Entry): string {
  const text = details === undefined ? "" : safeJson(details);
  return text.length > MAX_DETAILS ? `${text.slice(0, MAX_DETAILS)}…` : text;
}
