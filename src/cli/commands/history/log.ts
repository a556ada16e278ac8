// stet log: who changed what, and what was refused.
import type { Backend, Entry } from "../../../core/backend.ts";
import { filesOf, type Lines, type Room, toldDiff } from "../../../kernel/history/entry.ts";
import { newestEntry } from "../../../kernel/history/journal.ts";
import { followJournal } from "../../../kernel/history/timeline.ts";
import type { Workspace } from "../../../kernel/workspace.ts";
import type { Settings } from "../../config/settings.ts";
import { entryLine, MAX_FILES } from "../../history/entry-line.ts";
import { freedInWords, linkHint, weightInWords } from "../../history/hints.ts";
import { isWanted, newestEntries, type Wanted } from "../../history/log-entries.ts";
import { OPEN_OPTIONS, withWorkspace } from "../../open/workspaces.ts";
import { type Command, flag, type Given, type Terminal, value } from "../../options/command.ts";
import { countOf, defined, momentOf, textOf, UsageError } from "../../options/given.ts";
import { sessionNamed } from "../../options/person.ts";
import { paint } from "../../terminal/print.ts";
import { safeJson, safeText } from "../../terminal/safe.ts";

const USUAL_LIMIT = 20;

export const log: Command = {
  name: "log",
  summary: "Show who changed what, and what was refused, newest first",
  takes: [],
  usage: "log [--follow] [--session ID] [--agent NAME] [--path PATH] [--since TIME] [--refused] [--limit N]",
  options: {
    ...OPEN_OPTIONS,
    follow: flag("print new entries as they come, oldest first; Ctrl-C ends it", "f"),
    session: value("ID", "only this session; the start of its id is enough"),
    agent: value("NAME", "only this agent"),
    path: value("PATH", "only this file, or what is below this directory, relative to the root"),
    since: value("TIME", "only from then on: 2026-01-31, 2h, 3d"),
    before: value("N", "only entries with a lower number"),
    refused: flag("only calls that were refused"),
    limit: value("N", `how many at most, or all (${USUAL_LIMIT} by default)`, "n"),
    json: flag("one entry a line as the journal says it, without its diff, which stet show has"),
  },
  examples: [
    "stet log",
    "stet log --follow --refused",
    "stet log --path src/server.ts --since 2d",
    "stet log --limit all --json | jq .seq",
  ],
  notes: ["Lines are counted in the kept versions; ~ marks what could not be checked so: it is as the journal says."],
  async run(terminal, given) {
    if (given.values.follow && given.values.before !== undefined)
      throw new UsageError("--follow looks ahead and --before looks back: give one of them.");
    return withWorkspace(terminal, given, async (workspace, { settings }) => {
      const asked = await askedFor(workspace, given);
      if (given.values.follow) await follow(terminal, workspace, asked);
      else await list(terminal, workspace, asked, settings);
      return 0;
    });
  },
};

interface Asked {
  readonly wanted: Wanted;
  readonly limit: number | undefined;
  readonly untilSeq: number;
  readonly json: boolean;
}

async function askedFor(workspace: Workspace, given: Given): Promise<Asked> {
  const session = textOf(given, "session");
  const path = textOf(given, "path");
  const before = countOf(given, "before");
  return {
    wanted: defined({
      session: session === undefined ? undefined : await sessionNamed(workspace, session),
      agent: textOf(given, "agent"),
      since: momentOf(given, "since"),
      place: path === undefined ? undefined : await placeAt(workspace, path),
      refused: given.values.refused === true,
    }),
    limit: textOf(given, "limit") === "all" ? Number.POSITIVE_INFINITY : countOf(given, "limit"),
    untilSeq: before === undefined ? Number.MAX_SAFE_INTEGER : before - 1,
    json: given.json,
  };
}

/** What is gone and was never a file that the journal knows can only have been a directory. */
async function placeAt({ backend }: Workspace, raw: string): Promise<NonNullable<Wanted["place"]>> {
  const { path, kind } = await backend.resolve(raw, { link: true, existed: true });
  const isDirectory = kind === "directory" || (kind === "absent" && (await backend.head(path)) === null);
  return { path, isDirectory, root: backend.directory ?? "" };
}

async function list(
  terminal: Terminal,
  { backend }: Workspace,
  asked: Asked,
  { workspace: { stateDir } }: Settings,
): Promise<void> {
  const { wanted, limit = USUAL_LIMIT, untilSeq, json } = asked;
  const aborted = new Set<number>();
  const room = roomForLog();
  let printed = 0;
  let oldest = 0;
  for await (const entry of newestEntries(backend, wanted, { untilSeq })) {
    if (entry.outcome === "aborted") for (const seq of entry.of ?? []) aborted.add(seq);
    await print(terminal, backend, entry, { json, aborted: aborted.has(entry.seq), room });
    oldest = entry.seq;
    if (++printed >= limit || terminal.signal.aborted) break;
  }
  if (json) return;
  if (printed === 0) {
    terminal.err("No entry of the journal fits.\n");
    const hint = linkHint(stateDir, backend.directory);
    if (hint !== undefined) terminal.err(`${safeText(`${hint.what} ${hint.next}`)}\n`);
  } else if (printed === limit && oldest > 1) terminal.err(paint(terminal, "dim", `Older ones: --before ${oldest}\n`));
  const weight = (await backend.weigh?.()) ?? null;
  if (weight === null || weight.bytes < LARGE_BYTES) return;
  const words = [`The history is large: ${weightInWords(weight)}.`, freedInWords(weight) ?? ""].join(" ").trim();
  terminal.err(paint(terminal, "dim", `${words}\n`));
}

async function follow(terminal: Terminal, { backend }: Workspace, asked: Asked): Promise<void> {
  const { wanted, limit = FOLLOWED_LIMIT, json } = asked;
  // Before anything is shown: who sees it may end this, and then it ends in order.
  const { signal } = terminal;
  const start = (await newestEntry(backend)) ?? { seq: 0 };
  const before: Entry[] = [];
  for await (const entry of newestEntries(backend, wanted, { untilSeq: start.seq })) {
    before.push(entry);
    if (before.length >= Math.min(limit, MAX_AT_ONCE)) break;
  }
  const room = roomForLog();
  for (const entry of before.reverse()) await print(terminal, backend, entry, { json, aborted: false, room });
  for await (const entry of followJournal(backend, start, signal)) {
    if (!isWanted(entry, wanted)) continue;
    await print(terminal, backend, entry, { json, aborted: false, room: roomForLog() });
  }
}

const FOLLOWED_LIMIT = 10;
const MAX_AT_ONCE = 1000;

interface How {
  readonly json: boolean;
  readonly aborted: boolean;
  readonly room: Room;
}

async function print(terminal: Terminal, backend: Backend, entry: Entry, { json, aborted, room }: How): Promise<void> {
  if (json) terminal.out(`${safeJson(entry)}\n`);
  else {
    const counted = await countedLines(backend, entry, room);
    terminal.out(`${entryLine(terminal, entry, { aborted, counted })}\n`);
  }
}

/** A log reads no more of the kept versions than this; entries beyond are not counted. */
const roomForLog = (): Room => ({ bytes: 16 * 1024 * 1024 });

/** Of the first files of the entry; undefined where there is nothing to count. */
async function countedLines(backend: Backend, entry: Entry, room: Room): Promise<readonly (Lines | undefined)[]> {
  const counted: (Lines | undefined)[] = [];
  for (const file of filesOf(entry).slice(0, MAX_FILES)) {
    const { diff } = await toldDiff(backend, file, { room, largest: LARGEST, maxBytes: 0 });
    const isEmptyMove = !("left" in diff) && file.letter === "R" && diff.insertions + diff.deletions === 0;
    counted.push("left" in diff || isEmptyMove ? undefined : diff);
  }
  return counted;
}

const LARGEST = 1024 * 1024;
/** From here on the log tells of its size without being asked. */
const LARGE_BYTES = 64 * 1024 * 1024;
