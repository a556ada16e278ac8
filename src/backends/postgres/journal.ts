// The journal in the database: asked by number, path, session, agent, tool, time and kind, each by an index.
import type { Aspect, Entry, LogFilter, Sha, Use, Verification, VerifyOptions } from "../../core/backend.ts";
import { Refusal } from "../../core/failure.ts";
import { Chain } from "../journal/chain.ts";
import { encode, readLine } from "../journal/entry.ts";
import { matches, periodOf } from "../journal/entry-filter.ts";
import { type Database, shaOfBytes } from "./database.ts";
import { ASPECTS } from "./rows.ts";

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

async function* lines({ ws, ask }: Database, filter: LogFilter): AsyncGenerator<Line> {
  const down = filter.newestFirst === true;
  const { where, values } = conditions(filter);
  let low = filter.sinceSeq ?? 1;
  let high = filter.untilSeq ?? Number.MAX_SAFE_INTEGER;
  for (let page = Math.min(filter.limit ?? FIRST_PAGE, FIRST_PAGE); ; page = Math.min(page * 4, LARGEST_PAGE)) {
    if (page <= 0) return;
    const rows = await ask<Line>({
      text: `select e.seq, e.line from entry e where ${where} and e.seq between $2 and $3
        order by e.seq ${down ? "desc" : "asc"} limit ${page}`,
      values: [ws, low, high, ...values],
    });
    yield* rows;
    if (rows.length < page) return;
    if (down) high = rows.at(-1)!.seq - 1;
    else low = rows.at(-1)!.seq + 1;
  }
}

/** `$1` to `$3` are the workspace and the numbers; further values follow. */
function conditions(filter: LogFilter): { where: string; values: unknown[] } {
  const values: unknown[] = [];
  const where = ["e.ws = $1"];
  const add = (condition: (place: string) => string, value: unknown): void => {
    values.push(value);
    where.push(condition(`$${values.length + 3}`));
  };
  const [since, until] = periodOf(filter);
  if (filter.session !== undefined) add((at) => `e.session = ${at}`, encode(filter.session));
  if (filter.agent !== undefined) add((at) => `e.agent = ${at}`, encode(filter.agent));
  if (filter.tool !== undefined) add((at) => `e.tool = ${at}`, encode(filter.tool));
  if (filter.outcomes !== undefined) add((at) => `e.outcome = any(${at})`, filter.outcomes);
  if (since !== undefined) add((at) => `e.at >= ${at}`, since);
  if (until !== undefined) add((at) => `e.at <= ${at}`, until);
  if (filter.only !== undefined) where.push(bitOf(filter.only));
  if (filter.path === undefined) return { where: where.join(" and "), values };
  add((at) => `exists (select 1 from change c where c.ws = e.ws and c.seq = e.seq and c.path = ${at})`, filter.path);
  return { where: where.join(" and "), values };
}

/** Word for word as the index has it. */
function bitOf(aspect: Aspect): string {
  return `e.aspects & ${ASPECTS[aspect]} <> 0`;
}

const USES_PAGE = 2000;

export async function* usesOf({ ws, ask }: Database, shas: ReadonlySet<Sha>): AsyncGenerator<Use> {
  interface Row {
    readonly seq: number;
    readonly n: number;
    readonly at: string;
    readonly path: Use["path"];
    readonly before: Buffer | null;
    readonly after: Buffer | null;
  }
  for (let [seq, n] = [0, -1]; ; ) {
    const rows: Row[] = await ask<Row>({
      name: "stet-uses",
      text: `select c.seq, c.n, e.at, c.path, c.sha_before as before, c.sha_after as after
        from change c join entry e on e.ws = c.ws and e.seq = c.seq
        where c.ws = $1 and (c.seq, c.n) > ($2, $3) and e.outcome in ('applied', 'external')
        order by c.seq, c.n limit ${USES_PAGE}`,
      values: [ws, seq, n],
    });
    for (const row of rows) {
      for (const bytes of [row.before, row.after]) {
        const sha = bytes === null ? undefined : shaOfBytes(bytes);
        if (sha !== undefined && shas.has(sha)) yield { seq: row.seq, at: Date.parse(row.at), path: row.path, sha };
      }
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < USES_PAGE) return;
    [seq, n] = [last.seq, last.n];
  }
}

export async function verifyJournal(database: Database, options: VerifyOptions = {}): Promise<Verification> {
  const chain = new Chain(options, []);
  let count = 0;
  for await (const { line } of lines(database, {})) {
    if (options.signal?.aborted) throw new Refusal("cancelled", "The check was called off.");
    if (!chain.line(line)) break;
    if (++count % 1000 === 0) options.progress?.(count);
  }
  const tail = await tailOf(database);
  if (tail.seq >= chain.next) chain.missing(tail.seq + 1);
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
