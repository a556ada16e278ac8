// stet show: one entry of the journal, whole, with the diff of every file.
import type { Entry } from "../../backends/backend.ts";
import { Refusal } from "../../kernel/failure.ts";
import type { Workspace } from "../../kernel/workspace.ts";
import type { Command, Terminal } from "../command.ts";
import { OPEN_ABOUT, OPEN_OPTIONS } from "../open.ts";
import { columns, paint, sizeInWords } from "../print.ts";
import { expectPositionals } from "../usage.ts";
import { wholeNumber } from "./amounts.ts";
import { diffOf, type FileDiff, mayShowDiffs } from "./entry-diff.ts";
import { type EntryFile, filesOf } from "./entry-files.ts";
import { clock, fileWords, pathsAskedFor } from "./entry-line.ts";
import { safeJson, safeLine, safeText } from "./safe.ts";
import { withWorkspace } from "./workspace.ts";

export const show: Command = {
  name: "show",
  summary: "Show one entry of the journal: who, when, why, and the diff",
  usage: "show ENTRY",
  options: OPEN_OPTIONS,
  about: { ...OPEN_ABOUT, json: "the entry, with a diff for each file" },
  examples: ["stet show 12", "stet show 12 --json"],
  async run(terminal, given) {
    expectPositionals(show, given, ["ENTRY"]);
    const seq = wholeNumber(given.positionals[0]!, "ENTRY");
    return withWorkspace(terminal, given, async (workspace) => {
      const { backend } = workspace;
      const entry = await entryAt(workspace, seq);
      const shown: Shown = {
        entry,
        aborted: await isAborted(workspace, entry),
        diff: (await mayShowDiffs(backend, entry)) ? (file) => diffOf(backend, file) : async () => ({ left: "purged" }),
      };
      await (given.values.json ? printAsJson(terminal, shown) : printInWords(terminal, shown));
      return 0;
    });
  },
};

interface Shown {
  readonly entry: Entry;
  readonly aborted: boolean;
  diff(file: EntryFile): Promise<FileDiff>;
}

async function entryAt({ backend }: Workspace, seq: number): Promise<Entry> {
  for await (const entry of backend.log({ sinceSeq: seq, untilSeq: seq, newestFirst: true })) return entry;
  throw new Refusal("not_found", `The journal has no entry ${seq}.`, { next: "stet log shows the entries there are." });
}

/** The next process that takes the lock tells, before it writes anything else. */
async function isAborted({ backend }: Workspace, { seq, session, outcome }: Entry): Promise<boolean> {
  if (outcome !== "applied") return false;
  for await (const { of } of backend.log({ outcomes: ["aborted"], session, sinceSeq: seq, untilSeq: seq + 100 }))
    if (of?.includes(seq)) return true;
  return false;
}

async function printAsJson(terminal: Terminal, { entry, aborted, diff }: Shown): Promise<void> {
  const { diff: _, ...rest } = entry;
  const files: unknown[] = [];
  for (const file of filesOf(entry).slice(0, MOST_FILES)) files.push({ ...file, diff: await diff(file) });
  terminal.out(`${safeJson({ ...rest, ...(aborted && { aborted }), files }, 2)}\n`);
}

async function printInWords(terminal: Terminal, { entry, aborted, diff: make }: Shown): Promise<void> {
  terminal.out(`${columns(aboutEntry(terminal, entry, aborted))}\n`);
  const files = filesOf(entry);
  let missing = false;
  for (const file of files.slice(0, MOST_FILES)) {
    const diff = await make(file);
    missing ||= "left" in diff && diff.left === "not kept";
    terminal.out(`\n${fileInWords(terminal, file, diff)}`);
  }
  if (files.length > MOST_FILES) terminal.out(`\n… and ${files.length - MOST_FILES} more files\n`);
  if (missing && entry.diff !== undefined) {
    terminal.out(`\nThe diff that the journal kept:\n${painted(terminal, entry.diff)}`);
  }
}

const MOST_FILES = 200;

function aboutEntry(terminal: Terminal, entry: Entry, aborted: boolean): string[][] {
  const { seq, at, agent, session, tool, call, outcome, error, message, of, details, hash } = entry;
  const noticed = outcome === "external" ? " (noticed it, did not do it)" : "";
  const about: [string, string | undefined][] = [
    ["entry", `${seq}`],
    ["when", `${clock(at)} (${at})`],
    ["who", `${agent === undefined ? "" : `${safeLine(agent)}, `}session ${safeLine(session)}${noticed}`],
    ["tool", `${safeLine(tool)}${call === undefined ? "" : ` (call ${safeLine(call)})`}`],
    ["outcome", OUTCOMES[outcome] ?? safeLine(outcome)],
    ["refused", error === undefined ? undefined : paint(terminal, "red", safeLine(error))],
    ["why", message === undefined ? undefined : safeLine(message)],
    ["asked for", inShort(pathsAskedFor(entry).map(safeLine))],
    ["of entries", of === undefined ? undefined : inShort(of)],
    ["warning", aborted ? "a recovery found that these changes never happened" : undefined],
    ...Object.entries(details ?? {})
      .filter(([key]) => key !== "paths")
      .map(([key, value]): [string, string] => [safeLine(key), detailInWords(value)]),
    ["hash", hash],
  ];
  return about.flatMap(([name, value]) => (value ? [[paint(terminal, "dim", name), value]] : []));
}

/** The first of many: a purge names every deletion that it dropped, an undo every entry. As JSON they are all there. */
function inShort<T>(all: readonly T[], words = (some: readonly T[]): string => some.join(", ")): string {
  const more = all.length - MOST_LISTED;
  return `${words(all.slice(0, MOST_LISTED))}${more > 0 ? ` … and ${more} more` : ""}`;
}

const MOST_LISTED = 100;

function detailInWords(value: unknown): string {
  if (typeof value === "string") return safeLine(value);
  return Array.isArray(value) ? inShort(value, safeJson) : safeJson(value);
}

const OUTCOMES: Readonly<Record<Entry["outcome"], string>> = {
  applied: "applied",
  refused: "refused, nothing was changed",
  external: "changed outside stet",
  aborted: "aborted: the entries named never happened",
  note: "a note about the journal",
};

function fileInWords(terminal: Terminal, file: EntryFile, diff: FileDiff): string {
  const { proof, before, after, beforeSize, afterSize } = file;
  const versions = [before, after].map((sha) => (sha === null ? "nothing" : sha.slice(0, 12))).join(" -> ");
  const title = fileWords(terminal, file, "left" in diff ? undefined : diff);
  const heading = `${title}  ${paint(terminal, "dim", `${versions}${proof === undefined ? "" : `, proof: ${safeLine(proof)}`}`)}\n`;
  if (!("left" in diff)) return `${heading}${painted(terminal, diff.text)}`;
  const sizes = [before === null ? undefined : beforeSize, after === null ? undefined : afterSize]
    .filter((size) => size !== undefined)
    .map(sizeInWords)
    .join(" -> ");
  return `${heading}${LEFT_OUT[diff.left]} (${sizes})\n`;
}

const LEFT_OUT: Readonly<Record<Extract<FileDiff, { left: string }>["left"], string>> = {
  "too large": "Too large to compare line by line",
  binary: "Binary: no lines to compare",
  "not kept": "These versions are no longer kept",
  purged: "Left out, because it tells of a file that was purged",
};

function painted(terminal: Terminal, diff: string): string {
  const text = safeText(diff.endsWith("\n") || diff === "" ? diff : `${diff}\n`);
  if (!terminal.colour) return text;
  return text.replace(/^([+-]|@@).*$/gm, (line) =>
    paint(terminal, line.startsWith("+") ? "green" : line.startsWith("-") ? "red" : "cyan", line),
  );
}
