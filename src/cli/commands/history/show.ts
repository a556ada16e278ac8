// stet show: one entry of the journal, whole, with the diff of every file.
import type { Entry } from "../../../core/backend.ts";
import { Refusal } from "../../../core/failure.ts";
import { printable } from "../../../core/printable.ts";
import { pathsAskedFor } from "../../../kernel/change/refused.ts";
import { type EntryFile, filesOf, type Left, type Told, toldDiff } from "../../../kernel/history/entry.ts";
import { entryAt } from "../../../kernel/history/journal.ts";
import type { Workspace } from "../../../kernel/workspace.ts";
import { OPEN_OPTIONS, withWorkspace } from "../../open/workspaces.ts";
import { type Command, flag, type Terminal } from "../../options/command.ts";
import { wholeNumber } from "../../options/given.ts";
import { answer, columns, paint, sizeInWords } from "../../terminal/print.ts";
import { safeJson, safeText } from "../../terminal/safe.ts";
import { clock, fileWords } from "./entry-line.ts";

export const show: Command = {
  name: "show",
  summary: "Show one entry of the journal: who, when, why, and the diff",
  usage: "show ENTRY",
  takes: ["ENTRY"],
  options: {
    ...OPEN_OPTIONS,
    json: flag(
      "the entry as the journal says it, and for each file what its kept versions tell: sizesFrom says where sizes are from",
    ),
  },
  examples: ["stet show 12", "stet show 12 --json"],
  notes: [
    "Diffs are those of the kept versions. Where one is not kept, there is none, and the sizes are as the journal says.",
  ],
  async run(terminal, given) {
    const seq = wholeNumber(given.positionals[0]!, "ENTRY");
    return withWorkspace(terminal, given, async (workspace) => {
      const { backend } = workspace;
      const entry = await entryAt(backend, seq);
      if (entry === undefined)
        throw new Refusal("not_found", `The journal has no entry ${seq}.`, {
          next: "stet log shows the entries there are.",
        });
      const aborted = await isAborted(workspace, entry);
      const files = filesOf(entry);
      const shown: (EntryFile & Told)[] = [];
      const room = { bytes: MAX_READ };
      for (const file of files.slice(0, MAX_FILES))
        shown.push({ ...file, ...(await toldDiff(backend, file, { room, maxBytes: MAX_DIFF })) });
      const words = [
        columns(aboutEntry(terminal, entry, aborted)),
        ...shown.map((file) => fileInWords(terminal, file)),
      ];
      if (files.length > MAX_FILES) words.push(`… and ${files.length - MAX_FILES} more\n`);
      const data = { ...entry, ...(aborted && { aborted }), files: shown };
      return answer(terminal, given, data, words.join("\n"));
    });
  },
};

/** Of kept versions for one entry: a second or two. */
const MAX_READ = 64 * 1024 * 1024;
const MAX_DIFF = 1024 * 1024;

/** The next process that takes the lock tells, before it writes anything else. */
async function isAborted({ backend }: Workspace, { seq, session, outcome }: Entry): Promise<boolean> {
  if (outcome !== "applied") return false;
  for await (const { of } of backend.log({ outcomes: ["aborted"], session, sinceSeq: seq, untilSeq: seq + 100 }))
    if (of?.includes(seq)) return true;
  return false;
}

const MAX_FILES = 200;

function aboutEntry(terminal: Terminal, entry: Entry, aborted: boolean): string[][] {
  const { seq, at, agent, session, tool, call, outcome, error, message, of, details, hash } = entry;
  const noticed = outcome === "external" ? " (noticed it, did not do it)" : "";
  const about: [string, string | undefined][] = [
    ["entry", `${seq}`],
    ["when", `${clock(at)} (${printable(at)})`],
    ["who", `${agent === undefined ? "" : `${printable(agent)}, `}session ${printable(session)}${noticed}`],
    ["tool", `${printable(tool)}${call === undefined ? "" : ` (call ${printable(call)})`}`],
    ["outcome", OUTCOMES[outcome] ?? printable(outcome)],
    ["refused", error === undefined ? undefined : paint(terminal, "red", printable(error))],
    ["why", message === undefined ? undefined : printable(message)],
    ["asked for", inShort(pathsAskedFor(entry).map(printable))],
    ["of entries", of === undefined ? undefined : printable(inShort(of))],
    ["warning", aborted ? "a recovery found that these changes never happened" : undefined],
    ...Object.entries(details ?? {})
      .filter(([key]) => key !== "paths")
      .map(([key, value]): [string, string] => [printable(key), detailInWords(value)]),
    ["hash", printable(hash)],
  ];
  return about.flatMap(([name, value]) => (value ? [[paint(terminal, "dim", name), value]] : []));
}

/** The first of many: a purge names every deletion that it dropped, an undo every entry. As JSON they are all there. */
function inShort<T>(all: readonly T[], words = (some: readonly T[]): string => some.join(", ")): string {
  const more = all.length - MAX_LISTED;
  return `${words(all.slice(0, MAX_LISTED))}${more > 0 ? ` … and ${more} more` : ""}`;
}

const MAX_LISTED = 100;

function detailInWords(value: unknown): string {
  if (typeof value === "string") return printable(value);
  return Array.isArray(value) ? inShort(value, safeJson) : safeJson(value);
}

const OUTCOMES: Readonly<Record<Entry["outcome"], string>> = {
  applied: "applied",
  refused: "refused, nothing was changed",
  external: "changed outside stet",
  aborted: "aborted: the entries named never happened",
  note: "a note about the journal",
};

function fileInWords(terminal: Terminal, file: EntryFile & Told): string {
  const { proof, before, after, diff } = file;
  const versions = [before, after].map((sha) => (sha === null ? "nothing" : printable(sha.slice(0, 12)))).join(" -> ");
  const about = paint(terminal, "dim", `${versions}${proof === undefined ? "" : `, proof: ${printable(proof)}`}`);
  if (!("left" in diff)) return `${fileWords(terminal, file, diff)}  ${about}\n${painted(terminal, diff.text)}`;
  return `${fileWords(terminal, file, undefined)}  ${about}\n${LEFT_OUT[diff.left]} (${sizesInWords(file)})\n`;
}

function sizesInWords({ before, after, beforeSize, afterSize, sizesFrom }: EntryFile & Told): string {
  const sizes = [before === null ? undefined : beforeSize, after === null ? undefined : afterSize];
  const words = sizes.filter((size) => size !== undefined).map(sizeInWords);
  return `${words.join(" -> ")}${sizesFrom === "journal" ? " as the journal says" : ""}`;
}

const LEFT_OUT: Readonly<Record<Left, string>> = {
  "too large": "Too large to compare line by line",
  binary: "Binary: no lines to compare",
  "not kept": "These versions are no longer kept",
  damaged: "A kept version cannot be read, or is not what its name says",
  "not looked at": "Not looked at: this entry is too large to look at all of it",
};

function painted(terminal: Terminal, diff: string): string {
  const text = safeText(diff.endsWith("\n") || diff === "" ? diff : `${diff}\n`);
  if (!terminal.colour) return text;
  return text.replace(/^.+$/gm, (line) => {
    const style = line[0] === "+" ? "green" : line[0] === "-" ? "red" : undefined;
    if (style !== undefined) return paint(terminal, style, line);
    return line.startsWith("@@") ? paint(terminal, "cyan", line) : line;
  });
}
