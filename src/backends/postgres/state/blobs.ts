// The bytes of versions, by sha256; those of large ones in pieces, so that they can be streamed.
import { createHash } from "node:crypto";
import type { BackendRead, Forgotten, KeptVersion, LookedAt, Path, Sha, Version } from "../../../core/backend.ts";
import { LINK_MODE } from "../../../core/backend.ts";
import { Refusal } from "../../../core/failure.ts";
import { JOURNAL_LIMITS } from "../../../core/limits.ts";
import { shown } from "../../../core/printable.ts";
import { KeyedQueue } from "../../../core/queue.ts";
import { shaOf, sizeOf } from "../../../core/version.ts";
import { toForget } from "../../journal/to-forget.ts";
import { notAFile, refuseLarger } from "../../paths.ts";
import { columns, type Of } from "../commit/columns.ts";
import { lock } from "../commit/lock.ts";
import { roomFor } from "../commit/quota-check.ts";
import { copyOut, inTransaction, type Query } from "../connection/client.ts";
import { again, bytesOfSha, type Database, shaOfBytes, within } from "../connection/database.ts";
import { together } from "../connection/together.ts";
import { foundAt } from "../paths/look.ts";
import type { NodeKind } from "../paths/nodes.ts";
import { LARGEST, lately } from "./lately.ts";

/** What is larger is stored in chunks of this size. */
const CHUNK = 4 * 1024 * 1024;
/** What is larger is sent in pieces of this size: the answers of other tenants wait while one is decoded. */
const PIECE = 256 * 1024;
/** One row of such an answer: pg puts the bytes of a row together, in ever larger memory. */
const ROW = 64 * 1024;
/** A tenant gets one piece at a time in this process. */
const queue = new KeyedQueue();

interface Row {
  readonly kind: NodeKind;
  readonly sha: Buffer;
  readonly size: number;
  readonly mode: number | null;
  readonly bytes: Buffer | null;
}

export async function readFile(
  database: Database,
  path: Path,
  { maxBytes = JOURNAL_LIMITS.keptBytes, at, likely }: BackendRead = {},
): Promise<Version | null> {
  const found = rowFound(database, path, at);
  const row = found === undefined ? await rowAt(database, path) : found;
  if (row === null) return null;
  refuseLarger(path, row.size, maxBytes);
  const sha = shaOfBytes(row.sha);
  const known = likely?.sha === sha ? likely.parts : row.bytes && [row.bytes];
  const parts = known ?? (await collected(row.size, (into) => compared(database, row, path, into)));
  const mode = row.kind === "l" ? LINK_MODE : row.mode;
  return { sha, size: row.size, parts, ...(mode !== null && { mode }) };
}

export async function streamFile(database: Database, path: Path): Promise<AsyncIterable<Uint8Array> | null> {
  const row = await rowAt(database, path);
  if (row === null) return null;
  return row.bytes === null ? compared(database, row, path) : only(row.bytes);
}

/** Larger ones are read by themselves: all of a batch is in memory at once. */
const IN_BATCHES = 64 * 1024;

export async function readMany({ ws, ask }: Database, paths: readonly Path[]): Promise<Map<Path, Uint8Array>> {
  // half as much on the way as the form in which bytes come otherwise
  const rows = await ask<{ path: Path; sha: Buffer; text: string }>({
    name: "stet-read-many",
    text: `select n.path, n.sha, encode(b.bytes, 'base64') as text from node n join blob b on b.ws = n.ws and b.sha = n.sha
      where n.ws = $1 and n.path = any($2) and n.kind = 'f' and n.size <= ${IN_BATCHES} and b.bytes is not null`,
    values: [ws, paths],
  });
  const all = rows.map(({ path, sha, text }) => ({ path, sha, bytes: Buffer.from(text, "base64") }));
  // what is damaged is refused when it is read by itself
  return new Map(all.flatMap(({ path, sha, bytes }) => (hasBytes(sha, [bytes]) ? [[path, bytes]] : [])));
}

/** A version that was kept, its bytes compared with its name. */
export async function recallBlob(database: Database, sha: Sha, maxBytes: number): Promise<Version | null> {
  const [row] = await database.ask<Row>({
    name: "stet-recall",
    text: `select sha, size, case when size <= ${LARGEST} then bytes end as bytes from blob
      where ws = $1 and sha = $2 and kept`,
    values: [database.ws, bytesOfSha(sha)],
  });
  if (row === undefined) return null;
  refuseLarger(`The kept version ${sha.slice(0, 12)}`, row.size, maxBytes);
  const parts = row.bytes ? [row.bytes] : await collected(row.size, (into) => chunksOf(database, row, sha, into));
  if (shaOf(parts) === sha) return { sha, size: row.size, parts };
  throw damagedVersion(sha);
}

export async function* keptBlobs({ ws, ask }: Database): AsyncGenerator<KeptVersion> {
  for (let after = Buffer.alloc(0); ; ) {
    const rows = await ask<{ sha: Buffer; size: number; kept_at: Date }>({
      name: "stet-kept",
      text: "select sha, size, kept_at from blob where ws = $1 and sha > $2 and kept order by sha limit 1000",
      values: [ws, after],
    });
    yield* rows.map(keptVersion);
    if (rows.length < 1000) return;
    after = rows.at(-1)!.sha as typeof after;
  }
}

function keptVersion(row: { readonly sha: Buffer; readonly size: number; readonly kept_at: Date }): KeptVersion {
  return { sha: shaOfBytes(row.sha), size: row.size, keptAt: row.kept_at.getTime() };
}

/** Puts versions into the store by themselves: no file has them. */
export async function keepBlobs({ on, ws, tenant, waitMs }: Database, versions: readonly Version[]): Promise<void> {
  const shas = versions.map(({ sha }) => bytesOfSha(sha));
  await again(waitMs, () =>
    on((connection) =>
      inTransaction(connection, async (client) => {
        await client.query(`set local lock_timeout = ${waitMs}`);
        await lock(client, ws);
        const known = await within<{ sha: Buffer }>(client, {
          text: "update blob set kept = true, kept_at = clock_timestamp() where ws = $1 and sha = any($2) returning sha",
          values: [ws, shas],
        });
        const missing = new Map(versions.map((version) => [version.sha, version]));
        for (const { sha } of known) missing.delete(shaOfBytes(sha));
        if (missing.size === 0) return;
        const news = [...missing.values()];
        const bytes = news.reduce((sum, { size }) => sum + size, 0);
        const room = await roomFor(client, tenant);
        room?.take({ bytes, content: bytes, files: 0, entries: 0 });
        const { alone, along } = storingMany([[ws, news]]);
        for (const query of [...alone, ...along]) await client.query(query);
        await client.query({
          text: "update workspace set versions = versions + $2, version_bytes = version_bytes + $3 where id = $1",
          values: [ws, news.length, bytes],
        });
      }),
    ),
  );
}

/** The bytes of a file that is still there stay, as its own. */
export async function forgetBlobs(
  { on, ws, waitMs }: Database,
  shas: readonly Sha[],
  looked: LookedAt | undefined,
): Promise<Forgotten> {
  if (shas.length === 0) return { dropped: 0, bytes: 0 };
  return on((connection) =>
    inTransaction(connection, async (client) => {
      await client.query(`set local lock_timeout = ${waitMs}`);
      await lock(client, ws);
      const found = await within<{ sha: Buffer; size: number; kept_at: Date; used: boolean }>(client, {
        text: `select sha, size, kept_at,
            exists (select 1 from used u where u.ws = b.ws and u.sha = b.sha and u.seq > $3) as used
          from blob b where ws = $1 and sha = any($2) and kept`,
        values: [ws, shas.map(bytesOfSha), looked === undefined ? Number.MAX_SAFE_INTEGER : (looked.newest?.seq ?? 0)],
      });
      const used = new Set(found.flatMap((row) => (row.used ? [shaOfBytes(row.sha)] : [])));
      const { gone, told } = toForget(found.map(keptVersion), used, looked);
      await client.query({
        text: "update blob set kept = false where ws = $1 and sha = any($2)",
        values: [ws, gone.map(bytesOfSha)],
      });
      await client.query({
        text: `with gone as (
          delete from blob b where ws = $1 and sha = any($2) and not kept
            and not exists (select 1 from node n where n.ws = b.ws and n.sha = b.sha and n.kind in ('f', 'l'))
          returning size)
        update workspace set versions = versions - (select count(*) from gone),
          version_bytes = version_bytes - (select coalesce(sum(size), 0) from gone) where id = $1`,
        values: [ws, shas.map(bytesOfSha)],
      });
      return told;
    }),
  );
}

/** The statements that put a version into the store where it is not yet. */
export function storing(ws: number, version: Version, kept: boolean): Query[] {
  const { sha, size, parts } = version;
  const name = bytesOfSha(sha);
  const large = size > CHUNK;
  const row: Query = {
    name: "stet-blob",
    text: `insert into blob (ws, sha, size, kept, bytes) values ($1, $2, $3, $4, $5)
      on conflict (ws, sha) do update set kept = blob.kept or excluded.kept`,
    values: [ws, name, size, kept, large ? null : oneBuffer(parts)],
  };
  if (!large) return [row];
  return [
    row,
    ...pieces(parts).map((bytes, n) => ({
      name: "stet-chunk",
      text: "insert into chunk (ws, sha, n, bytes) values ($1, $2, $3, $4) on conflict do nothing",
      values: [ws, name, n, bytes],
    })),
  ];
}

/** Large ones each by their own statements: what one statement brings is in memory several times. */
export function storingMany(all: Of<readonly Version[]>): { readonly alone: Query[]; readonly along: Query[] } {
  const alone = all.flatMap(([ws, of]) =>
    of.filter(({ size }) => size > LARGEST).flatMap((version) => storing(ws, version, true)),
  );
  const small = all.map(([ws, of]) => [ws, of.filter(({ size }) => size <= LARGEST)] as const);
  return { alone, along: small.every(([, of]) => of.length === 0) ? [] : [storingAll(small)] };
}

/** Small ones, as many as there are. Their bytes come as one value: in a list they would be written out as text, twice as long. */
function storingAll(all: Of<readonly Version[]>): Query {
  const versions = all.flatMap(([, of]) => of);
  let end = 1;
  const starts = versions.map(({ size }) => {
    end += size;
    return end - size;
  });
  const [ws, shas, sizes] = columns(
    all,
    ({ sha }) => bytesOfSha(sha),
    ({ size }) => size,
  );
  return {
    name: "stet-blobs",
    text: `insert into blob (ws, sha, size, kept, bytes)
      select v.ws, v.sha, v.size, true, substr($1::bytea, v.start, v.size)
      from unnest($2::bigint[], $3::bytea[], $4::int[], $5::int[]) v(ws, sha, size, start)
      on conflict (ws, sha) do update set kept = true`,
    values: [oneBuffer(versions.flatMap(({ parts }) => parts)), ws, shas, sizes, starts],
  };
}

export function hasBytes(sha: Buffer, parts: readonly Uint8Array[]): boolean {
  return shaOf(parts) === shaOfBytes(sha);
}

export function damagedContent(path: string): Refusal {
  return new Refusal("journal_damaged", `The bytes of ${shown(path)} in the database are not those of its sha256.`, {
    path,
    next: "Have the owner look at the database; until then, leave this file alone.",
  });
}

export function damagedVersion(sha: Sha): Refusal {
  return new Refusal("journal_damaged", `The kept version ${sha.slice(0, 12)} does not have the bytes of its name.`, {
    next: "Have the owner look at the database.",
  });
}

async function rowAt(database: Database, path: Path): Promise<Row | null> {
  return fileRow(path, await rowsAt(database, path));
}

function fileRow<R extends Pick<Row, "kind">>(path: Path, row: R | undefined): R | null {
  if (row === undefined || row.kind === "g") return null;
  if (row.kind === "d") throw notAFile(path);
  return row;
}

/** By what was found when the path was resolved. Undefined where that is not enough: the bytes are not at hand. */
function rowFound(database: Database, path: Path, at: BackendRead["at"]): Row | null | undefined {
  const found = foundAt(database, path, at);
  if (found === undefined) return undefined;
  const node = fileRow(path, found.node);
  if (node === null || node.sha === null) return null;
  const row = { ...node, sha: node.sha, bytes: null };
  if (node.size > LARGEST) return row;
  const known = lately(database).at(path);
  return known?.sha === shaOfBytes(node.sha) ? { ...row, bytes: Buffer.from(known.bytes) } : undefined;
}

const rowsAt = together(async (database, asked: readonly Path[]) => {
  const paths = [...new Set(asked)];
  const recent = lately(database);
  const known = paths.flatMap((path) => recent.at(path) ?? []);
  const rows = await database.quick<Row & { path: Path }>({
    name: "stet-read",
    text: `select n.path, n.kind, n.sha, n.size, n.mode, b.bytes from node n
      left join blob b on b.ws = n.ws and b.sha = n.sha and n.size <= ${LARGEST} and n.sha <> all($3)
      where n.ws = $1 and n.path = any($2)`,
    values: [database.ws, paths, known.map(({ sha }) => bytesOfSha(sha))],
  });
  const found = new Map(rows.map((row): [Path, Row] => [row.path, row.sha === null ? row : withBytes(row)]));
  return asked.map((path) => found.get(path));

  /** Any of them may have the bytes that another one is known to have. */
  function withBytes(row: Row & { path: Path }): Row {
    const sha = shaOfBytes(row.sha);
    if (row.bytes !== null) {
      if (!hasBytes(row.sha, [row.bytes])) throw damagedContent(row.path);
      recent.add(row.path, sha, [row.bytes]);
      return row;
    }
    const same = known.find((each) => each.sha === sha);
    return same === undefined ? row : { ...row, bytes: Buffer.from(same.bytes) };
  }
});

/** All of the pieces in one buffer: text is decoded from one. */
export async function collected(size: number, pieces: (into: Buffer) => AsyncGenerator<unknown>): Promise<Buffer[]> {
  const whole = Buffer.allocUnsafeSlow(size);
  const all = pieces(whole);
  while ((await all.next()).done !== true);
  return [whole];
}

/** Refuses at its end what has other bytes than it should, and what has none though the file is still the same. */
async function* compared(database: Database, row: Row, path: Path, into?: Buffer): AsyncGenerator<Uint8Array> {
  const hash = createHash("sha256");
  try {
    for await (const part of chunksOf(database, row, path, into)) {
      hash.update(part);
      yield part;
    }
  } catch (error) {
    if (!(error instanceof Refusal) || error.kind !== "path_changed") throw error;
    const now = await rowAt(database, path);
    throw now?.sha.equals(row.sha) === true ? damagedContent(path) : error;
  }
  if (!hash.digest().equals(row.sha)) throw damagedContent(path);
}

/** With memory of their own, or in that of `into`. Refuses when a piece is missing: the version was replaced, and dropped from the store, while it was being read. */
export async function* chunksOf(
  { ws, tenant, on, waitMs }: Database,
  { sha, size }: Pick<Row, "sha" | "size">,
  what: string,
  into?: Buffer,
): AsyncGenerator<Uint8Array> {
  const of = `ws = ${ws} and sha = '\\x${shaOfBytes(sha)}'`;
  for (let at = 0; at < size; ) {
    const piece = into?.subarray(at, at + PIECE) ?? Buffer.allocUnsafeSlow(Math.min(PIECE, size - at));
    const text = `select substring(bytes from ${(at % CHUNK) + 1} + n for ${ROW}) from (
        select bytes from blob where ${of} and bytes is not null
        union all select bytes from chunk where ${of} and n = ${Math.floor(at / CHUNK)}) stored,
      generate_series(0, ${PIECE - ROW}, ${ROW}) n order by n`;
    const filled = await queue.run([tenant], () => again(waitMs, () => on((client) => copyOut(client, text, piece))));
    if (filled === 0) {
      throw new Refusal("path_changed", `${what} was replaced while it was being read.`, { next: "Read it again." });
    }
    at += filled;
    yield piece.subarray(0, filled);
  }
}

async function* only(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

function pieces(parts: readonly Uint8Array[]): Buffer[] {
  const whole = oneBuffer(parts);
  return Array.from({ length: Math.ceil(whole.length / CHUNK) }, (_, n) => whole.subarray(n * CHUNK, (n + 1) * CHUNK));
}

function oneBuffer(parts: readonly Uint8Array[]): Buffer {
  const [only] = parts;
  if (parts.length !== 1 || only === undefined) return Buffer.concat(parts as Uint8Array[], sizeOf(parts));
  return Buffer.from(only.buffer, only.byteOffset, only.byteLength);
}
