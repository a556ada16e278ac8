// Changes of several workspaces of a tenant that are made at once go as one statement: it costs hardly more than for one, and
// all of them wait for the disk once.
import { setImmediate as behindAll } from "node:timers/promises";
import type { Client } from "../connection/client.ts";
import type { Database } from "../connection/database.ts";
import { isAnswer, isHeld, isLost } from "../connection/failures.ts";
import { type Process, processOf } from "../connection/silence.ts";
import type { Tenancy } from "../connection/tenancy.ts";
import { type Draft, inVain, madeOf, makingAll } from "./at-once.ts";
import { Unanswered } from "./finish.ts";
import type { Gathered } from "./gather.ts";

/** Statements of a tenant under way: those who come meanwhile go together. */
const UNDER_WAY = 2;
/** Workspaces of one statement. */
const TOGETHER = 32;
/** What is larger holds the others up, and goes by itself. */
const SMALL_BYTES = 64 * 1024;

/** Of a primary that has become a standby: the statement was answered, and changed nothing. */
const READ_ONLY = "25006";

/** By what the database lets a statement take. */
const TOO_LONG = "57014";

interface Waiting {
  readonly database: Database;
  begin(): Draft | undefined;
  /** Undefined: nothing was changed. */
  resolve(made: Gathered | undefined): void;
  reject(error: unknown): void;
}

interface Begun {
  readonly waiting: Waiting;
  readonly draft: Draft;
}

interface Line {
  waiting: readonly Waiting[];
  underWay: number;
}

const lines = new WeakMap<Tenancy, Line>();

/** `begin` is called when there is a connection. Undefined: nothing was changed. */
export function makeAtOnce(database: Database, begin: Waiting["begin"]): Promise<Gathered | undefined> {
  const { tenancy } = database;
  const line = lines.get(tenancy) ?? { waiting: [], underWay: 0 };
  lines.set(tenancy, line);
  return new Promise((resolve, reject) => {
    line.waiting = [...line.waiting, { database, begin, resolve, reject }];
    if (line.underWay < UNDER_WAY) void workOn(tenancy, line);
  });
}

async function workOn(tenancy: Tenancy, line: Line): Promise<void> {
  line.underWay += 1;
  await behindAll();
  while (line.waiting.length > 0) {
    const first = firstOfEach(line.waiting).slice(0, TOGETHER);
    line.waiting = line.waiting.filter((each) => !first.includes(each));
    await send(tenancy, first);
  }
  line.underWay -= 1;
}

/** A workspace may have been opened twice: the second change of it does not follow what the second one believes. */
function firstOfEach(waiting: readonly Waiting[]): Waiting[] {
  return [...new Map(waiting.toReversed().map((each) => [each.database.ws, each])).values()].toReversed();
}

async function send(tenancy: Tenancy, waiting: readonly Waiting[]): Promise<void> {
  const unanswered = new Map<Waiting, Unanswered>();
  const ws = waiting.map(({ database }) => database.ws).toSorted((a, b) => a - b);
  try {
    await tenancy.on(ws, async (client) => {
      const by = processOf(client);
      for (const all of begun(waiting, by)) await sendAll(client, all, by!, unanswered);
    });
  } catch (error) {
    // when the connection is given back, which may be the only one that could be had
    for (const each of waiting) each.reject(unanswered.get(each) ?? error);
  }
}

/** Small ones together, and first. */
function begun(waiting: readonly Waiting[], by: Process | undefined): (readonly Begun[])[] {
  const small: Begun[] = [];
  const large: Begun[] = [];
  for (const each of waiting) {
    const draft = by === undefined ? undefined : each.begin();
    if (draft === undefined) each.resolve(undefined);
    else (draft.bytes > SMALL_BYTES ? large : small).push({ waiting: each, draft });
  }
  return [...(small.length === 0 ? [] : [small]), ...large.map((each) => [each])];
}

/** Throws when the connection is lost. */
async function sendAll(
  client: Client,
  all: readonly Begun[],
  by: Process,
  unanswered: Map<Waiting, Unanswered>,
): Promise<void> {
  try {
    const { rows } = await client.query<{ ws: number }>(makingAll(all.map(({ draft }) => draft)));
    const made = new Set(rows.map(({ ws }) => ws));
    for (const each of all) settle(each, made.has(each.draft.database.ws));
  } catch (error) {
    const { code } = error as { code?: string };
    if (code === READ_ONLY) throw error;
    if (isLost(error) || !isAnswer(error)) {
      for (const { waiting, draft } of all) unanswered.set(waiting, new Unanswered(draft.gathered, error, by));
      throw error;
    }
    // what is wrong with one of them is not to hold up the others; what they all wait for, they would wait for again
    const alone = all.length > 1 && !isHeld(error) && code !== TOO_LONG;
    for (const each of all) {
      if (alone) await sendAll(client, [each], by, unanswered);
      else settle(each, false);
    }
  }
}

function settle({ draft, waiting }: Begun, isMade: boolean): void {
  if (isMade) madeOf(draft);
  else inVain(draft);
  waiting.resolve(isMade ? draft.gathered : undefined);
}
