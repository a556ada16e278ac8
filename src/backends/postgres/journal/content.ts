// Whether files and kept versions have the bytes of their sha256: the database compares them, so that they need not be sent.
import type { Sha, Verification, VerifyOptions } from "../../../core/backend.ts";
import { Refusal } from "../../../core/failure.ts";
import { shaOfStream } from "../../../core/version.ts";
import { bytesOfSha, type Database, shaOfBytes } from "../connection/database.ts";
import { chunksOf, damagedContent, damagedVersion } from "../state/blobs.ts";
import { verifyJournal } from "./journal.ts";

type Problem = Verification["problems"][number];

const MOST_PROBLEMS = 100;
/** Of what is compared with one question. */
const GROUP_BYTES = 32 * 1024 * 1024;

export async function verifyWithContent(database: Database, options: VerifyOptions = {}): Promise<Verification> {
  const journal = await verifyJournal(database, options);
  const problems: Problem[] = [...journal.problems, ...(await withoutBytes(database))];
  for await (const group of groups(database)) {
    if (options.signal?.aborted) throw new Refusal("cancelled", "The check was called off.");
    const damaged = await damagedAmong(database, group);
    if (damaged.length > 0) problems.push(...(await inWords(database, damaged)));
    if (problems.length >= MOST_PROBLEMS) break;
  }
  return { ...journal, ok: problems.length === 0, problems };
}

async function withoutBytes({ ws, ask }: Database): Promise<Problem[]> {
  const rows = await ask<{ path: string; seq: number | null }>({
    text: `select path, seq from node n where ws = $1 and kind in ('f', 'l')
      and not exists (select 1 from blob b where b.ws = n.ws and b.sha = n.sha) order by path limit ${MOST_PROBLEMS}`,
    values: [ws],
  });
  return rows.map(({ path, seq }) => problemOf(seq, damagedContent(path)));
}

interface Stored {
  readonly sha: Buffer;
  readonly size: number;
  readonly inPieces: boolean;
}

async function* groups({ ws, ask }: Database): AsyncGenerator<Stored[]> {
  for (let after = Buffer.alloc(0); ; ) {
    const rows: Stored[] = await ask<Stored>({
      text: `select sha, size, bytes is null as "inPieces" from blob where ws = $1 and sha > $2 order by sha limit 1000`,
      values: [ws, after],
    });
    let group: Stored[] = [];
    let bytes = 0;
    for (const row of rows) {
      group.push(row);
      bytes += row.inPieces ? 0 : row.size;
      if (bytes < GROUP_BYTES) continue;
      yield group;
      group = [];
      bytes = 0;
    }
    if (group.length > 0) yield group;
    if (rows.length < 1000) return;
    after = rows.at(-1)!.sha as typeof after;
  }
}

async function damagedAmong(database: Database, group: readonly Stored[]): Promise<Sha[]> {
  const rows = await database.ask<{ sha: Buffer }>({
    text: `select sha from blob where ws = $1 and sha = any($2) and bytes is not null
      and (sha256(bytes) <> sha or length(bytes) <> size)`,
    values: [database.ws, group.flatMap(({ sha, inPieces }) => (inPieces ? [] : [sha]))],
  });
  const damaged = rows.map(({ sha }) => shaOfBytes(sha));
  for (const each of group)
    if (each.inPieces && !(await hasItsPieces(database, each))) damaged.push(shaOfBytes(each.sha));
  return damaged;
}

async function hasItsPieces(database: Database, { sha, size }: Stored): Promise<boolean> {
  try {
    return (await shaOfStream(chunksOf(database, { sha, size }, "a version"))) === shaOfBytes(sha);
  } catch (error) {
    if (error instanceof Refusal && error.kind === "path_changed") return isGone(database, sha);
    throw error;
  }
}

async function isGone({ ws, ask }: Database, sha: Buffer): Promise<boolean> {
  const rows = await ask({ text: "select 1 from blob where ws = $1 and sha = $2", values: [ws, sha] });
  return rows.length === 0;
}

/** By the files that have them; else as kept versions. */
async function inWords({ ws, ask }: Database, damaged: readonly Sha[]): Promise<Problem[]> {
  const rows = await ask<{ path: string; sha: Buffer; seq: number | null }>({
    text: "select path, sha, seq from node where ws = $1 and sha = any($2) and kind in ('f', 'l') order by path",
    values: [ws, damaged.map(bytesOfSha)],
  });
  const files = new Set(rows.map(({ sha }) => shaOfBytes(sha)));
  return [
    ...rows.map(({ path, seq }) => problemOf(seq, damagedContent(path))),
    ...damaged.filter((sha) => !files.has(sha)).map((sha) => problemOf(null, damagedVersion(sha))),
  ];
}

function problemOf(seq: number | null, { failure }: Refusal): Problem {
  return { seq: seq ?? 0, problem: failure.message };
}
