// The workspaces of a database for servers: opened when they are asked for, closed when they are not used, each for those whose tokens reach it.
import { setTimeout as sleep } from "node:timers/promises";
import { again } from "../backends/postgres/connection/database.ts";
import { checkServer } from "../backends/postgres/connection/server.ts";
import { cutConnections } from "../backends/postgres/connection/silence.ts";
import { openPool, type Pool, type PoolOptions, postgres } from "../backends/postgres/index.ts";
import { checkBase } from "../backends/postgres/mirror/copies.ts";
import { hasTables, migrate } from "../backends/postgres/schema/migrate.ts";
import { matchesPattern } from "../backends/postgres/tenants/tokens.ts";
import type { Backend } from "../core/backend.ts";
import { Refusal } from "../core/failure.ts";
import { definePolicy, type PolicyInput } from "../kernel/policy/policy.ts";
import { Workspace, type WorkspaceOptions } from "../kernel/workspace.ts";
import type { Tokens } from "../serve/http/access/tokens.ts";
import type { FleetOptions } from "../serve/http/fleet.ts";
import type { Metrics } from "../serve/http/metrics.ts";
import type { Lookup } from "../serve/workspaces/lookup.ts";
import type { NamedWorkspace } from "../serve/workspaces/named.ts";
import { type Identities, withIdentities } from "./identities.ts";
import { type Grant, tokensIn } from "./tokens.ts";

/** A database of workspaces, and what is to be known to serve them. */
export interface FleetSettings {
  readonly url: string;
  /** A directory for copies to search in. */
  readonly mirror: string | undefined;
  readonly mirrorBytes?: number | undefined;
  readonly mirrorTotalBytes?: number | undefined;
  readonly connections?: number | undefined;
  readonly idleMs?: number | undefined;
  readonly oauth?: Identities | undefined;
  readonly policy: PolicyInput;
}

type Options = Omit<WorkspaceOptions, "policy">;

/** What `serveFleetOverHttp` needs of a database. */
export async function openFleet(
  fleet: FleetSettings,
  options: Options,
  metrics?: Metrics,
): Promise<Pick<FleetOptions, "principals" | "lookupFor" | "ready" | "close">> {
  const { connections, mirror } = fleet;
  if (mirror !== undefined) checkBase(mirror);
  const pool = await openPool(fleet.url, connections === undefined ? {} : { connections });
  const authPool = await openPool(fleet.url, AUTH_POOL);
  let principals: Tokens;
  try {
    await checkServer(pool);
    await migrate(pool);
    principals = await withIdentities(tokensIn(authPool), fleet.oauth);
  } catch (error) {
    await Promise.all([pool.end(), authPool.end()]);
    throw error;
  }
  const workspaces = createWorkspaces({ pool, fleet, options, metrics });
  metrics?.gauge("stet_workspaces_open", "Workspaces that are open.", workspaces.count);
  metrics?.gauge("stet_database_connections", "Connections to the database, and calls that wait for one.", () => {
    const sum = (of: (each: Pool) => number | undefined): number => (of(pool) ?? 0) + (of(authPool) ?? 0);
    const idle = sum(({ idleCount }) => idleCount);
    const used = sum(({ totalCount }) => totalCount) - idle;
    return { label: "state", values: { used, idle, waited_for: sum(({ waitingCount }) => waitingCount) } };
  });
  const policies = { read: definePolicy(reading(fleet.policy)), change: definePolicy(fleet.policy) };
  return {
    principals,
    lookupFor: ({ granted }) => lookupOf(JSON.parse(granted!.kind) as Grant, workspaces, policies),
    async ready() {
      // one ping; tables of a newer stet are none that this one may change
      await again(READY_MS, () => hasTables(authPool));
    },
    async close() {
      await Promise.race([workspaces.close(), sleep(CLOSE_MS, undefined, { ref: false })]);
      await Promise.all([pool, authPool].map(endInTime));
    },
  };
}

/** One for the line of tokens; one for readiness, and for what is watched. Both whatever the calls wait for: these are answered at once where anything is. */
const AUTH_POOL: PoolOptions = { connections: 2, silentMs: 300 };
/** How long an answer may take that the database is there. */
const READY_MS = 1000;
/** For what is under way at the end, when no call waits for it any more. */
const CLOSE_MS = 2000;

async function endInTime(pool: Pool): Promise<void> {
  const cutting = setTimeout(() => cutConnections(pool), CLOSE_MS / 4).unref();
  await pool.end();
  clearTimeout(cutting);
}

function lookupOf(
  [tenant, role, patterns]: Grant,
  workspaces: Workspaces,
  policies: { readonly read: Lookup["policy"]; readonly change: Lookup["policy"] },
): Lookup {
  const [first] = patterns;
  const isOne = patterns.length === 1 && first !== undefined && !first.includes("*");
  return {
    policy: role === "read" ? policies.read : policies.change,
    only: isOne ? first : undefined,
    names: patterns.filter((pattern) => !pattern.includes("*")),
    async find(name, changes) {
      // without a look at the database: how long it takes tells nothing of what is there
      if (!patterns.some((pattern) => matchesPattern(name, pattern))) return undefined;
      const opened = await workspaces.open(tenant, name, role === "owner" && changes);
      return role === "read" ? opened?.read : opened?.change;
    },
  };
}

interface Workspaces {
  count(): number;
  open(tenant: string, name: string, make: boolean): Promise<Opened | undefined>;
  close(): Promise<void>;
}

/** One workspace, as callers who may only read have it, and as all others do. */
interface Opened {
  readonly read: NamedWorkspace;
  readonly change: NamedWorkspace;
  readonly backend: Backend;
  isThere(): Promise<boolean>;
}

interface Held {
  readonly opened: Promise<Opened | undefined>;
  usedAt: number;
  /** When it was last seen to be in the database. */
  lookedAt: number;
  holders: number;
  /** The next call finds it. Any other one is closed when its last user lets go of it. */
  isNamed: boolean;
}

const IDLE_MS = 10 * 60_000;
/** Beyond it those that are not in use are closed soon. */
const MAX_OPEN = 1000;
const SOON_MS = 5000;
/** So long after it was deleted, a workspace may still be answered for. */
const LOOK_MS = 1000;

interface Source {
  readonly pool: Pool;
  readonly fleet: FleetSettings;
  readonly options: Options;
  readonly metrics: Metrics | undefined;
}

function createWorkspaces(source: Source): Workspaces {
  const { idleMs = IDLE_MS } = source.fleet;
  const all = new Set<Held>();
  const named = new Map<string, Held>();
  const closing = new Set<Promise<void>>();
  const sweeper = setInterval(sweep, Math.max(20, Math.min(idleMs / 4, 30_000))).unref();

  function sweep(): void {
    for (const [key, held] of named) {
      const unusedMs = performance.now() - held.usedAt;
      const isIdle = unusedMs > (all.size > MAX_OPEN ? Math.min(idleMs, SOON_MS) : idleMs);
      if (held.holders === 0 && isIdle) retire(key, held);
    }
  }

  function retire(key: string, held: Held): void {
    named.delete(key);
    held.isNamed = false;
    closeUnused(held);
  }

  function closeUnused(held: Held): void {
    if (held.holders === 0 && !held.isNamed) close(held);
  }

  function close(held: Held): void {
    if (!all.delete(held)) return;
    const done = held.opened.then((one) => one?.backend.close()).catch(() => {});
    closing.add(done);
    void done.finally(() => closing.delete(done));
  }

  function letGo(held: Held): void {
    held.holders -= 1;
    held.usedAt = performance.now();
    closeUnused(held);
  }

  /** One that was deleted is not found any more when it is asked for next; there may be another one of its name. */
  async function retireIfGone(key: string): Promise<void> {
    const held = named.get(key);
    if (held === undefined || performance.now() - held.lookedAt < LOOK_MS) return;
    held.lookedAt = performance.now();
    const opened = await inUse(held).catch(() => undefined);
    if (opened === undefined || (await opened.isThere()) || named.get(key) !== held) return;
    retire(key, held);
  }

  function begin(opening: (hold: () => () => void) => Promise<Opened | undefined>, key?: string): Held {
    const held: Held = {
      isNamed: key !== undefined,
      usedAt: performance.now(),
      lookedAt: performance.now(),
      holders: 0,
      opened: opening(() => {
        held.holders += 1;
        return () => letGo(held);
      }),
    };
    all.add(held);
    if (key !== undefined) named.set(key, held);
    const forget = (): void => {
      all.delete(held);
      if (key !== undefined && named.get(key) === held) named.delete(key);
    };
    held.opened.then((opened) => opened ?? forget(), forget);
    return held;
  }

  /** Until the call that asked has it in hand: opening may take longer than what is idle is kept open. */
  async function inUse(held: Held): Promise<Opened | undefined> {
    held.holders += 1;
    try {
      return await held.opened;
    } finally {
      setImmediate(letGo, held);
    }
  }

  return {
    count: () => all.size,
    async open(tenant, name, make) {
      const key = JSON.stringify([tenant, name]);
      await retireIfGone(key);
      const held = named.get(key) ?? begin((hold) => openOne(source, { tenant, name, hold }), key);
      const using = inUse(held);
      // with this one in use: it must not be among those that are closed
      if (all.size > MAX_OPEN) sweep();
      const opened = await using;
      // not one that others find: it is not there yet
      return opened ?? (make ? inUse(begin((hold) => openOne(source, { tenant, name, make, hold }))) : undefined);
    },
    async close() {
      clearInterval(sweeper);
      for (const held of all) close(held);
      await Promise.all(closing);
    },
  };
}

interface Asked {
  readonly tenant: string;
  readonly name: string;
  /** It is made where it is not there. */
  readonly make?: boolean;
  readonly hold: () => () => void;
}

async function openOne(
  { pool, fleet, options, metrics }: Source,
  { tenant, name, make = false, hold }: Asked,
): Promise<Opened | undefined> {
  const waitMs = options.limits?.lockMs;
  const { policy, mirror, mirrorBytes, mirrorTotalBytes } = fleet;
  const where = { database: pool, tenant, workspace: name, make };
  const found = await postgres({ ...where, mirror, mirrorBytes, mirrorTotalBytes, waitMs }).catch(unlessMissing);
  if (found === undefined) return undefined;
  const backend = { ...(metrics === undefined ? found : timed(found, metrics)), tenant };
  const served = (readOnly: boolean): NamedWorkspace => ({
    name,
    workspace: new Workspace(backend, { ...options, policy: readOnly ? reading(policy) : policy }),
    hold,
  });
  const isThere = async (): Promise<boolean> => (await found.tail!().catch(unlessMissing)) !== undefined;
  return { backend, read: served(true), change: served(false), isThere };
}

/** Refusals count, too: they waited as long. */
function timed(backend: Backend, metrics: Metrics): Backend {
  const timing = (name: string, help: string) => {
    return async <T>(work: () => Promise<T>): Promise<T> => {
      const began = performance.now();
      return work().finally(() => metrics.observe(name, help, (performance.now() - began) / 1000));
    };
  };
  const committing = timing("stet_commit_seconds", "How long changes took from their turn in line to their commit.");
  const mirroring = timing("stet_mirror_seconds", "How long copies to search in took to be brought up to date.");
  const { searchable } = backend;
  return {
    ...backend,
    commit: (...args) => committing(() => backend.commit(...args)),
    ...(searchable !== undefined && { searchable: (deadline) => mirroring(() => searchable(deadline)) }),
  };
}

function reading({ readonly: _readonly, ...policy }: PolicyInput): PolicyInput {
  return { ...policy, readOnly: true };
}

/** Also what can be no name: it is not there. */
function unlessMissing(error: unknown): undefined {
  if (error instanceof Refusal && (error.kind === "not_found" || error.kind === "invalid_input")) return undefined;
  throw error;
}
