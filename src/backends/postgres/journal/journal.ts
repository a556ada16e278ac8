// The journal in the database: asked by number, path, session, agent, tool, time and kind, each by an index.
import type {
  Aspect,
  Entry,
  HistoryWeight,
  LogFilter,
  Sha,
  Use,
  Verification,
  VerifyOptions,
} from "../../../core/backend.ts";
import { Refusal } from "../../../core/failure.ts";
import { Chain } from "../../journal/chain.ts";
import { readLine } from "../../journal/entry.ts";
import { matches, periodOf } from "../../journal/entry-filter.ts";
import { ASPECTS, keyOf } from "../commit/rows.ts";
import { type Database, shaOfBytes } from "../connection/database.ts";

interface Line {
  readonly seq: number;
  readonly line: Buffer;
}

const FIRST_PAGE = 64;
const LARGEST_PAGE = 1024;

/** What is no entry, or has been altered, is left out: `verify` tells of it. */
export async function* entries(database: Database, filter: LogFilter = {}): AsyncGenerator<Entry> {
  let left = filter.limit ?? Number.POSITIVE_INFINITY;
  for await (const { line } of lines(database, filter)) {
    if (left <= 0) return;
    const { entry, intact, unfit } = readLine(line);
    if (entry === null || !intact || unfit !== null || !matches(entry, filter)) continue;
    left--;
    yield entry;
  }
}

export async function* lines({ ws, ask }: Database, filter: LogFilter): AsyncGenerator<Line> {
  const down = filter.newestFirst === true;
  const { from, where, values } = conditions(filter);
  let low = filter.sinceSeq ?? 1;
  let high = filter.untilSeq ?? Number.MAX_SAFE_INTEGER;
  for (let page = Math.min(filter.limit ?? FIRST_PAGE, FIRST_PAGE); page > 0; page = Math.min(page * 4, LARGEST_PAGE)) {
    const rows = await ask<Line>({
      text: `select ${from.key}.seq, e.line from ${from.tables} where ${where} and ${from.key}.seq between $2 and $3
        order by ${from.key}.seq ${down ? "desc" : "asc"} limit ${page}`,
      values: [ws, low, high, ...values],
    });
    yield* rows;
    if (rows.length < page) return;
    if (down) high = rows.at(-1)!.seq - 1;
    else low = rows.at(-1)!.seq + 1;
  }
}

interface Conditions {
  /** The tables, and the one of them whose numbers are in order. */
  readonly from: { readonly tables: string; readonly key: "c" | "e" };
  readonly where: string;
  readonly values: readonly unknown[];
}

/** By path it begins with the entries that speak of it: there may be few among many. */
const BY_PATH = {
  tables: "change c join entry e on e.ws = c.ws and e.seq = c.seq",
  key: "c",
} as const;

/** `$1` to `$3` are the workspace and the numbers; further values follow. */
function conditions(filter: LogFilter): Conditions {
  const values: unknown[] = [];
  const where = ["e.ws = $1"];
  const add = (condition: (place: string) => string, value: unknown): void => {
    values.push(value);
    where.push(condition(`$${values.length + 3}`));
  };
  const [since, until] = periodOf(filter);
  if (filter.session !== undefined) add((at) => `e.session = ${at}`, keyOf(filter.session));
  if (filter.agent !== undefined) add((at) => `e.agent = ${at}`, keyOf(filter.agent));
  if (filter.tool !== undefined) add((at) => `e.tool = ${at}`, keyOf(filter.tool));
  if (filter.outcomes !== undefined) add((at) => `e.outcome = any(${at})`, filter.outcomes);
  if (since !== undefined) add((at) => `e.at >= ${at}`, since);
  if (until !== undefined) add((at) => `e.at <= ${at}`, until);
  if (filter.only !== undefined) where.push(bitOf(filter.only));
  if (filter.path !== undefined) add((at) => `c.ws = $1 and c.path = ${at}`, filter.path);
  const from = filter.path === undefined ? ({ tables: "entry e", key: "e" } as const) : BY_PATH;
  return { from, where: where.join(" and "), values };
}

/** Word for word as the index has it. */
function bitOf(aspect: Aspect): string {
  return `e.aspects & ${ASPECTS[aspect]} <> 0`;
}

const USES_PAGE = 5000;

/** The last use of each version at each path: what was before it changes nothing. */
export async function* usesOf({ ws, ask }: Database, shas: ReadonlySet<Sha>): AsyncGenerator<Use> {
  interface Row {
    readonly sha: Buffer;
    readonly path: Use["path"];
    readonly seq: number;
    readonly at: string;
  }
  let after: readonly [seq: number, sha: Buffer, path: string] = [0, Buffer.alloc(0), ""];
  for (;;) {
    const rows = await ask<Row>({
      name: "stet-uses",
      text: `select sha, path, seq, at from used where ws = $1 and seq >= $2 and (seq, sha, path) > ($2, $3, $4)
        order by seq, sha, path limit ${USES_PAGE}`,
      values: [ws, ...after],
    });
    for (const { sha: bytes, path, seq, at } of rows) {
      const sha = shaOfBytes(bytes);
      if (shas.has(sha)) yield { seq, at: Date.parse(at), path, sha };
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < USES_PAGE) return;
    after = [last.seq, last.sha, last.path];
  }
}

/** The journal has to end where the workspace's row says. */
export async function verifyJournal(database: Database, options: VerifyOptions = {}): Promise<Verification> {
  const chain = new Chain(options);
  let count = 0;
  async function pass(filter: LogFilter): Promise<void> {
    for await (const { line } of lines(database, filter)) {
      if (options.signal?.aborted) throw new Refusal("cancelled", "The check was called off.");
      if (!chain.line(line)) break;
      if (++count % 1000 === 0) options.progress?.(count);
    }
  }
  await pass({});
  const tail = await tailOf(database);
  // what came meanwhile
  if (tail.seq >= chain.next) await pass({ sinceSeq: chain.next, untilSeq: tail.seq });
  chain.end(tail);
  return chain.finish();
}

export async function tailOf({ ws, ask }: Database): Promise<{ seq: number; hash: Sha }> {
  const [tail] = await ask<{ seq: number; hash: Sha }>({
    name: "stet-tail",
    text: "select seq, hash from workspace where id = $1",
    values: [ws],
  });
  if (tail === undefined) throw new Refusal("not_found", "The workspace is no longer in the database.");
  return tail;
}

/** Counted with every change, so that nothing has to be gone through. */
export async function weighHistory({ ws, ask }: Database): Promise<HistoryWeight | null> {
  const [row] = await ask<{ seq: number; versions: number; bytes: number; lines: number; files: number }>({
    name: "stet-weigh",
    text: `select seq, versions, version_bytes as bytes, line_bytes as lines, file_bytes as files
      from workspace where id = $1`,
    values: [ws],
  });
  if (row === undefined || row.seq === 0) return null;
  const { seq, versions, bytes, lines, files } = row;
  return {
    entries: seq,
    versions,
    bytes: lines + bytes,
    spareBytes: Math.max(0, bytes - files),
    exact: false,
    all: true,
  };
}
