// A journal entry in one line: number, time, who, with which tool, and what became of it.
import type { Entry } from "../../backends/backend.ts";
import type { Terminal } from "../command.ts";
import { paint } from "../print.ts";
import { type EntryFile, filesOf, type Lines, linesIn } from "./entry-files.ts";
import { shortSession } from "./person.ts";
import { safeJson, safeLine } from "./safe.ts";

/** `aborted`: a recovery found that its changes never happened. */
export function entryLine(terminal: Terminal, entry: Entry, aborted = false): string {
  const who = safeLine(whoOf(entry)).padEnd(WIDTH.who);
  const tool = safeLine(entry.tool).padEnd(WIDTH.tool);
  const what = aborted ? `${whatHappened(terminal, entry)} (never happened)` : whatHappened(terminal, entry);
  const number = paint(terminal, "yellow", `${entry.seq}`.padStart(WIDTH.seq));
  return `${number}  ${paint(terminal, "dim", clock(entry.at))}  ${who}  ${tool}  ${what}`.trimEnd();
}

/** As the clock on this wall shows it. */
export function clock(at: string): string {
  const date = new Date(at);
  const two = (n: number) => `${n}`.padStart(2, "0");
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
}

function whoOf({ agent, session, outcome }: Entry): string {
  if (outcome === "external") return "(outside)";
  const id = shortSession(session);
  return agent === undefined || agent === id ? id : `${agent}/${id}`;
}

/** What a refused call was about, as its caller wrote it. */
export function pathsAskedFor({ details }: Entry): string[] {
  return Array.isArray(details?.paths) ? details.paths.map(String) : [];
}

export function fileWords(terminal: Terminal, file: EntryFile, lines: Lines | undefined): string {
  const { letter, path, movedFrom } = file;
  const name = movedFrom === undefined ? safeLine(path) : `${safeLine(movedFrom)} -> ${safeLine(path)}`;
  return `${letter} ${name}${lines === undefined ? "" : ` ${lineCounts(terminal, lines)}`}`;
}

export function lineCounts(terminal: Terminal, { insertions, deletions }: Lines): string {
  return `${paint(terminal, "green", `+${insertions}`)} ${paint(terminal, "red", `-${deletions}`)}`;
}

const WIDTH = { seq: 5, who: 20, tool: 12 } as const;
const MOST_FILES = 3;
const LONGEST_DETAILS = 160;

function whatHappened(terminal: Terminal, entry: Entry): string {
  const { outcome, of = [] } = entry;
  if (outcome === "refused") {
    const paths = pathsAskedFor(entry).slice(0, MOST_FILES).map(safeLine);
    return `${paint(terminal, "red", `refused ${safeLine(entry.error ?? "unknown")}`)}  ${paths.join(", ")}`;
  }
  if (outcome === "aborted") return paint(terminal, "red", `aborted: entry ${of.join(", ")} never happened`);
  if (outcome === "note") return safeLine(entry.message ?? detailsInShort(entry));
  const verb = entry.details?.restored === undefined ? "takes back" : "restored from";
  const back = of.length > 0 && outcome === "applied" ? ` (${verb} ${numbers(of)})` : "";
  const outside = outcome === "external" ? paint(terminal, "magenta", "changed outside stet: ") : "";
  return `${outside}${filesInShort(terminal, entry)}${back}`;
}

function filesInShort(terminal: Terminal, entry: Entry): string {
  const files = filesOf(entry);
  const lines = linesIn(entry.diff ?? "");
  const words = files.slice(0, MOST_FILES).map((file) => fileWords(terminal, file, lines.get(file.path)));
  const more = files.length - words.length;
  return [...words, ...(more > 0 ? [`and ${more} more`] : [])].join(", ");
}

function numbers(of: readonly number[]): string {
  return of.length > 3 ? `${of.slice(0, 3).join(", ")} and ${of.length - 3} more` : of.join(", ");
}

function detailsInShort({ details }: Entry): string {
  const text = details === undefined ? "" : safeJson(details);
  return text.length > LONGEST_DETAILS ? `${text.slice(0, LONGEST_DETAILS)}…` : text;
}
