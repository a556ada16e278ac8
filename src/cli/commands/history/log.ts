// stet log: who changed what, and what was refused.
import { matches } from "../../../backends/journal/entry-filter.ts";
import type { Backend, Entry, LogFilter, Path } from "../../../core/backend.ts";
import { pathsAskedFor } from "../../../kernel/change/refused.ts";
import { filesOf, type Lines, type Room, toldDiff } from "../../../kernel/history/entry.ts";
import { newestEntry } from "../../../kernel/history/journal.ts";
import { followJournal } from "../../../kernel/history/timeline.ts";
import type { Workspace } from "../../../kernel/workspace.ts";
import { OPEN_OPTIONS, withWorkspace } from "../../open/workspaces.ts";
import { type Command, flag, type Given, type Terminal, value } from "../../options/command.ts";
import { countOf, defined, momentOf, textOf, UsageError } from "../../options/given.ts";
import { sessionNamed } from "../../options/person.ts";
import { paint } from "../../terminal/print.ts";
import { safeJson, safeText } from "../../terminal/safe.ts";
import { entryLine, MAX_FILES } from "./entry-line.ts";
import { linkHint } from "./hints.ts";

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
  notes: ["Lines are counted in the kept versions, where these are kept and not too large."],
  async run(terminal, given) {
    const { values } = given;
    if (values.follow && values.before !== undefined)
      throw new UsageError("--follow looks ahead and --before looks back: give one of them.");
    const before = countOf(given, "before");
    const limit = textOf(given, "limit") === "all" ? Number.POSITIVE_INFINITY : countOf(given, "limit");
    return withWorkspace(terminal, given, async (workspace, { settings }) => {
      const { backend } = workspace;
      const wanted = await wantedIn(workspace, given);
      const print = printerTo(terminal, given, backend);
      if (values.follow) {
        await follow(terminal, backend, wanted, limit, print);
        return 0;
      }
      let printed = 0;
      let oldest = 0;
      const room = roomForLog();
      for await (const entry of newestEntries(backend, wanted, before === undefined ? undefined : before - 1)) {
        await print(entry, room);
        oldest = entry.seq;
        if (++printed >= (limit ?? USUAL_LIMIT) || terminal.signal.aborted) break;
      }
      if (given.json) return 0;
      if (printed === 0) {
        terminal.err("No entry of the journal fits.\n");
        const hint = linkHint(settings.workspace.stateDir, backend.directory);
        if (hint !== undefined) terminal.err(`${safeText(`${hint.what} ${hint.next}`)}\n`);
      } else if (printed === (limit ?? USUAL_LIMIT) && oldest > 1)
        terminal.err(paint(terminal, "dim", `Older ones: --before ${oldest}\n`));
      return 0;
    });
  },
};

interface Wanted {
  readonly filter: LogFilter;
  /** A file, or everything below a directory. */
  readonly place?: { readonly path: Path; readonly isDirectory: boolean; readonly root: string } | undefined;
}

async function wantedIn(workspace: Workspace, given: Given): Promise<Wanted> {
  const session = textOf(given, "session");
  const path = textOf(given, "path");
  return {
    filter: defined({
      session: session === undefined ? undefined : await sessionNamed(workspace, session),
      agent: textOf(given, "agent"),
      since: momentOf(given, "since"),
      outcomes: given.values.refused === true ? (["refused"] as const) : undefined,
    }),
    place: path === undefined ? undefined : await placeAt(workspace, path),
  };
}

/** What is gone and was never a file that the journal knows can only have been a directory. */
async function placeAt({ backend }: Workspace, raw: string): Promise<NonNullable<Wanted["place"]>> {
  const { path, kind } = await backend.resolve(raw, { link: true, existed: true });
  const isDirectory = kind === "directory" || (kind === "absent" && (await backend.head(path)) === null);
  return { path, isDirectory, root: backend.directory ?? "" };
}

/**
 * Newest first and no further back than needed. Refusals name their paths as they were asked for, and a recovery names no
 * path at all: neither is found by path, so they are looked for in the stretch of the journal that the found entries span,
 * a page at a time.
 */
async function* newestEntries(
  backend: Backend,
  wanted: Wanted,
  untilSeq = Number.MAX_SAFE_INTEGER,
): AsyncGenerator<Entry> {
  const { filter, place } = wanted;
  if (place === undefined || place.isDirectory || filter.outcomes !== undefined) {
    for await (const entry of backend.log({ ...filter, untilSeq, newestFirst: true }))
      if (isWanted(entry, wanted)) yield entry;
    return;
  }
  for (let until = untilSeq; until >= 1; ) {
    const range = { ...filter, untilSeq: until, newestFirst: true };
    const page: Entry[] = [];
    for await (const entry of backend.log({ ...range, path: place.path, limit: PAGE })) page.push(entry);
    const sinceSeq = page.length < PAGE ? 1 : page.at(-1)!.seq;
    for await (const entry of backend.log({ ...range, sinceSeq, outcomes: ["refused", "aborted"] }))
      if (isWanted(entry, wanted)) page.push(entry);
    yield* page.sort((one, other) => other.seq - one.seq);
    until = sinceSeq - 1;
  }
}

const PAGE = 100;

/** Also for entries that were read without a filter. */
function isWanted(entry: Entry, { filter, place }: Wanted): boolean {
  if (!matches(entry, filter)) return false;
  if (place === undefined || entry.outcome === "aborted") return true;
  const touched = entry.changes.flatMap(({ path, movedFrom = path }) => [path, movedFrom]);
  return [...touched, ...pathsAskedFor(entry).map((path) => tidied(path, place.root))].some(
    (path) => path === place.path || (place.isDirectory && (place.path === "" || path.startsWith(`${place.path}/`))),
  );
}

/** As asked for, without detours: "./a" and "/workspace/a" mean "a". */
function tidied(path: string, root: string): string {
  const inside = path.startsWith(`${root}/`) ? path.slice(root.length + 1) : path;
  const names = inside.split("/").filter((name) => name !== "" && name !== ".");
  return names.join("/");
}

/** The signal is listened for before anything is shown: who sees it may end this, and then it ends in order. */
async function follow(
  { signal }: Terminal,
  backend: Backend,
  wanted: Wanted,
  limit = FOLLOWED_LIMIT,
  print: Print,
): Promise<void> {
  const start = (await newestEntry(backend)) ?? { seq: 0 };
  const before: Entry[] = [];
  for await (const entry of newestEntries(backend, wanted, start.seq)) {
    before.push(entry);
    if (before.length >= Math.min(limit, MAX_AT_ONCE)) break;
  }
  const room = roomForLog();
  for (const entry of before.reverse()) await print(entry, room);
  for await (const entry of followJournal(backend, start, signal))
    if (isWanted(entry, wanted)) await print(entry, roomForLog());
}

const FOLLOWED_LIMIT = 10;
const MAX_AT_ONCE = 1000;

type Print = (entry: Entry, room: Room) => Promise<void>;

/** The newest first, an entry comes after the one that says it never happened. */
function printerTo(terminal: Terminal, { json }: Given, backend: Backend): Print {
  const neverHappened = new Set<number>();
  return async (entry, room) => {
    if (entry.outcome === "aborted") for (const seq of entry.of ?? []) neverHappened.add(seq);
    if (json) return terminal.out(`${safeJson(entry)}\n`);
    const counted: (Lines | undefined)[] = [];
    for (const file of filesOf(entry).slice(0, MAX_FILES)) {
      const { diff } = await toldDiff(backend, file, { room, largest: LARGEST, maxBytes: 0 });
      counted.push("left" in diff ? undefined : diff);
    }
    terminal.out(`${entryLine(terminal, entry, { aborted: neverHappened.has(entry.seq), counted })}\n`);
  };
}

/** A log reads no more of the kept versions than this; entries beyond are not counted. */
const roomForLog = (): Room => ({ bytes: 16 * 1024 * 1024 });
const LARGEST = 1024 * 1024;
