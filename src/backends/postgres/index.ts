// The PostgreSQL backend: a workspace in a database, served by any number of processes on any number of machines.
import type { Backend, EntryDraft, Head, Path } from "../../core/backend.ts";
import { JOURNAL_LIMITS, LIMITS } from "../../core/limits.ts";
import { untilClosed } from "../closing.ts";
import { signedNote } from "../journal/signed-heads.ts";
import { committing } from "./commit/commit.ts";
import { planChanges } from "./commit/plan.ts";
import { createQueue, type Work } from "./commit/queue.ts";
import { openPool, type Pool } from "./connection/client.ts";
import { type Database, databaseOf, shaOfBytes } from "./connection/database.ts";
import { hintsOf } from "./connection/hints.ts";
import { checkServer } from "./connection/server.ts";
import { verifyWithContent } from "./journal/content.ts";
import { entries, tailOf, usesOf, weighHistory } from "./journal/journal.ts";
import { checkBase } from "./mirror/copies.ts";
import { createMirror, type Mirror } from "./mirror/mirror.ts";
import { noteChange } from "./paths/look.ts";
import { listed, nodesAt } from "./paths/nodes.ts";
import { resolveIn } from "./paths/resolve.ts";
import { hasTables, migrate } from "./schema/migrate.ts";
import { forgetBlobs, keepBlobs, keptBlobs, readFile, readMany, recallBlob, streamFile } from "./state/blobs.ts";
import { forgetOldSessions, ledgerOf } from "./state/ledger.ts";
import { checkName } from "./tenants/names.ts";
import { made, noSuchWorkspace, numberIn } from "./tenants/place.ts";

export { openPool, type Pool, type PoolOptions } from "./connection/client.ts";
export { migrate } from "./schema/migrate.ts";

/** Which database, and which workspace in it. */
export interface PostgresOptions {
  /** postgres://user:password@host:port/database, or a pool of `openPool`, which then stays open when this is closed. */
  readonly database: string | Pool;
  /** The name of the workspace. It is made when it is not there, unless `make` is false. */
  readonly workspace: string;
  /** False: a workspace that is not there is refused. */
  readonly make?: boolean;
  /** Whose it is: the same name may be that of another tenant's workspace. */
  readonly tenant?: string | undefined;
  /**
   * A directory for copies of the files, in which ripgrep searches; each process makes its own in there, for this user
   * alone, and removes it at the end. Refused where another user can write to it or replace it. Without it, searches read
   * every file from the database.
   */
  readonly mirror?: string | undefined;
  /** A workspace with more bytes than this has no copy. Default 4 GiB. */
  readonly mirrorBytes?: number | undefined;
  /** All copies of this process in that directory: those searched longest ago are dropped. Default 16 GiB. */
  readonly mirrorTotalBytes?: number | undefined;
  /** How long a change waits for its turn, and every question for a database that is away. */
  readonly waitMs?: number | undefined;
}

/** Opens a workspace in a PostgreSQL database; makes the tables and the workspace where they are missing. */
export async function postgres(options: PostgresOptions): Promise<Backend> {
  const { workspace, tenant = "", make = true, waitMs = LIMITS.lockMs, mirror: base } = options;
  for (const name of tenant === "" ? [workspace] : [tenant, workspace]) checkName(name);
  if (base !== undefined) checkBase(base);
  const isOwn = typeof options.database === "string";
  const pool = typeof options.database === "string" ? await openPool(options.database) : options.database;
  try {
    await checkServer(pool);
    if (!make && !(await hasTables(pool))) throw noSuchWorkspace(tenant, workspace);
    await migrate(pool);
    const number =
      (await numberIn(pool, tenant, workspace, waitMs)) ??
      (make ? await made(pool, tenant, workspace, waitMs) : undefined);
    if (number === undefined) throw noSuchWorkspace(tenant, workspace);
    const database = databaseOf(pool, tenant, number, waitMs);
    forgetOldSessions(database);
    const name = tenant === "" ? workspace : `${tenant}/${workspace}`;
    const mirror =
      base === undefined ? base : createMirror(database, base, options.mirrorBytes, options.mirrorTotalBytes);
    return untilClosed(backendOf(database, name, isOwn, mirror), { waitsForLooks: true });
  } catch (error) {
    if (isOwn) await pool.end();
    throw error;
  }
}

function backendOf(database: Database, name: string, ownsPool: boolean, mirror: Mirror | undefined): Backend {
  const { pool, ws } = database;
  const hints = hintsOf(pool);
  const watching = new Set<() => void>();
  const submit = createQueue(
    committing(database, () => {
      noteChange(database);
      hints.tell(ws);
    }),
  );
  const alone = (draft: EntryDraft): Work => ({
    paths: [],
    shas: [],
    run: () => ({ draft, nodes: [], versions: [], keep: [] }),
  });

  return {
    name: `postgres:${name}`,
    resolve: (raw, how) => resolveIn(database, raw, how),
    changedByCommitsOnly: true,
    read: (path, how) => readFile(database, path, how),
    stream: (path) => streamFile(database, path),
    readMany: (paths) => readMany(database, paths),
    list: (dir) => listed(database, dir),

    commit: (changes, author, note, how) =>
      submit(
        {
          paths: changes.map(({ path }) => path),
          shas: changes.flatMap(({ to }) => to?.sha ?? []),
          run: (under) => planChanges(changes, author, note, under),
        },
        how,
      ),

    async record(draft) {
      return (await submit(alone(draft))).entry;
    },

    /** Nothing but stet changes what is in the database. */
    async notice(_paths, _author, { begin } = {}) {
      begin?.();
      return null;
    },
    witness: async () => null,

    recall: (sha, { maxBytes = JOURNAL_LIMITS.keptBytes } = {}) => recallBlob(database, sha, maxBytes),

    keep: (versions) => keepBlobs(database, versions),

    kept: () => keptBlobs(database),
    forget: (shas, looked) => forgetBlobs(database, shas, looked),

    async head(path) {
      return (await headsOf(database, [path])).get(path) ?? null;
    },
    heads: (paths) => headsOf(database, paths),

    async tail() {
      const tail = await tailOf(database);
      return tail.seq === 0 ? null : tail;
    },

    log: (filter) => entries(database, filter),
    uses: (shas) => usesOf(database, shas),
    verify: (how) => verifyWithContent(database, how),
    weigh: () => weighHistory(database),

    async sign(privateKey) {
      let text = "";
      const { entry } = await submit({
        paths: [],
        shas: [],
        run({ tail, now }) {
          const signed = signedNote(tail, privateKey, new Date(now));
          text = signed.text;
          return { draft: signed.draft, nodes: [], versions: [], keep: [] };
        },
      });
      return { text, entry };
    },

    ledger: (session) => ledgerOf(database, session),

    watch(changed) {
      const end = hints.listen(ws, changed);
      watching.add(end);
      return () => {
        watching.delete(end);
        end();
      };
    },

    ...(mirror !== undefined && { searchable: mirror.upToDate }),

    async close() {
      for (const end of watching) end();
      await mirror?.close();
      await hints.flush();
      if (ownsPool) await pool.end();
    },
  };
}

async function headsOf(database: Database, paths: readonly Path[]): Promise<Map<Path, Head>> {
  const nodes = [...(await nodesAt(database, paths)).values()];
  return new Map(
    nodes.flatMap(({ path, seq, sha }) =>
      seq === null ? [] : [[path as Path, { seq, sha: sha === null ? null : shaOfBytes(sha) }]],
    ),
  );
}
