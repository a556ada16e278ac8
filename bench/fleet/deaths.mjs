// Servers are killed, the database is restarted as if the power had failed, connections are cut around COMMIT, a standby takes over.
import { setTimeout as pause } from "node:timers/promises";
import { startPostgres } from "../../scripts/postgres.mjs";
import { startDatabaseProxy } from "../../scripts/postgres-proxy.mjs";
import { startMember, withMembers } from "./members.mjs";

/**
 * A server that counts in a file of its own: what was acknowledged, and when it was last heard of.
 * @typedef {{ member: import("./members.mjs").Member, path: string, acknowledged: number, refused: string[], heardAt: number, ended: Promise<unknown> }} Load
 */

/** @param {string} url @param {string} name @param {string} path @returns {Promise<Load>} */
async function startLoad(url, name, path) {
  const member = await startMember(url);
  /** @type {Load} */
  const load = { member, path, acknowledged: 0, refused: [], heardAt: 0, ended: Promise.resolve() };
  member.hear(({ acknowledged, refused }) => {
    if (acknowledged !== undefined) Object.assign(load, { acknowledged, heardAt: performance.now() });
    if (refused !== undefined) load.refused.push(refused);
  });
  load.ended = member.ask("load", { name, path }).catch(() => undefined);
  return load;
}

/** What is in the files beside what was acknowledged, and whether the chain holds. @param {string} url @param {string} name @param {ReadonlyMap<string, number>} acknowledged */
async function judged(url, name, acknowledged) {
  let lost = 0;
  let verified = { ok: false, entries: 0 };
  await withMembers(url, 1, async ([member]) => {
    for (const [path, most] of acknowledged) {
      const there = Number(await member?.ask("textAt", { name, path }));
      // A change whose answer was lost may have been made; only the last one of its server can be such a one.
      if (there < most || there > most + 1) lost++;
    }
    verified = await member?.ask("verify", { name });
  });
  return { lost, verified, holds: lost === 0 && verified.ok };
}

/** @param {{ url: string, quick: boolean }} fleet */
export async function kills({ url, quick }) {
  const [servers, times] = quick ? [2, 4] : [4, 100];
  const name = "kills";
  /** @type {Map<string, number>} */
  const acknowledged = new Map();
  let wrong = 0;
  const path = (/** @type {number} */ n) => `count-${n}.txt`;
  await withMembers(url, 1, async ([member]) => {
    for (let n = 0; n < servers; n++) await member?.ask("write", { name, path: path(n), text: "0" });
  });
  const loads = await Promise.all(Array.from({ length: servers }, (_, n) => startLoad(url, name, path(n))));
  for (let n = 0; n < times; n++) {
    const victim = n % servers;
    const load = /** @type {Load} */ (loads[victim]);
    const before = load.acknowledged;
    for (let waited = 0; load.acknowledged === before && waited < 200; waited++) await pause(5);
    await pause(Math.random() * 10);
    await load.member.kill();
    wrong += load.refused.length;
    acknowledged.set(load.path, Math.max(acknowledged.get(load.path) ?? 0, load.acknowledged));
    loads[victim] = await startLoad(url, name, load.path);
  }
  for (const load of loads) {
    await load.member.ask("stop");
    await load.ended;
    acknowledged.set(load.path, Math.max(acknowledged.get(load.path) ?? 0, load.acknowledged));
    await load.member.end();
  }
  const { lost, verified, holds } = await judged(url, name, acknowledged);
  return [
    {
      row: `SIGKILL of servers, ${times} ×`,
      goal: "0 acknowledged lost, 0 wrong answers, chain verifies",
      figure: `${lost} lost, ${wrong} refused, ${verified.entries} entries, chain ${verified.ok ? "verifies" : "broken"}`,
      holds: holds && wrong === 0,
    },
  ];
}

/** @param {{ quick: boolean }} fleet */
export async function restarts({ quick }) {
  const times = quick ? 2 : 10;
  const server = await startPostgres();
  const name = "restarts";
  try {
    await withMembers(server.url, 1, async ([member]) => {
      for (let n = 0; n < 3; n++) await member?.ask("write", { name, path: `count-${n}.txt`, text: "0" });
    });
    const loads = await Promise.all([0, 1, 2].map((n) => startLoad(server.url, name, `count-${n}.txt`)));
    const away = [];
    for (let n = 0; n < times; n++) {
      await pause(400);
      await server.stop("immediate");
      await server.start();
      away.push(await untilAllAreHeard(loads));
    }
    const { lost, verified, holds } = await judged(server.url, name, await stopped(loads));
    const worst = Math.max(...away) / 1000;
    return [
      {
        row: `pg_ctl restart -m immediate under load, ${times} ×`,
        goal: "0 acknowledged lost, 0 wrong answers, chain verifies, back ≤ 2 s",
        figure: `${lost} lost, ${refusals(loads)}, chain ${verified.ok ? "verifies" : "broken"}, back in ${worst.toFixed(2)} s at most`,
        holds: holds && worst <= 2,
      },
    ];
  } finally {
    await server.remove();
  }
}

/** @param {{ port: number, quick: boolean }} fleet */
export async function cuts({ port, quick }) {
  const times = quick ? 10 : 200;
  const proxy = await startDatabaseProxy(port);
  const name = "cuts";
  try {
    await withMembers(proxy.url, 1, async ([member]) => {
      await member?.ask("write", { name, path: "count.txt", text: "0" });
    });
    const load = await startLoad(proxy.url, name, "count.txt");
    const before = proxy.cuts;
    for (let n = 0; n < times; n++) {
      proxy.cutAtCommit(n % 2 === 0 ? "before" : "behind");
      for (let waited = 0; proxy.cuts - before <= n && waited < 1000; waited++) await pause(2);
    }
    const made = proxy.cuts - before;
    const acknowledged = await stopped([load]);
    const { lost, verified, holds } = await judged(proxy.url, name, acknowledged);
    return [
      {
        row: `connection cut around COMMIT, ${times} ×`,
        goal: "0 acknowledged lost, 0 wrong answers, chain verifies",
        figure: `${made} cuts, ${lost} lost, ${refusals([load])}, chain ${verified.ok ? "verifies" : "broken"}`,
        holds: holds && made === times && load.refused.length === 0,
      },
    ];
  } finally {
    await proxy.close();
  }
}

/** @param {{ quick: boolean }} fleet */
export async function failover({ quick }) {
  const times = quick ? 1 : 3;
  const name = "failover";
  let primary = await startPostgres();
  const proxy = await startDatabaseProxy(primary.port);
  const away = [];
  try {
    await withMembers(proxy.url, 1, async ([member]) => {
      for (let n = 0; n < 3; n++) await member?.ask("write", { name, path: `count-${n}.txt`, text: "0" });
    });
    const loads = await Promise.all([0, 1, 2].map((n) => startLoad(proxy.url, name, `count-${n}.txt`)));
    for (let n = 0; n < times; n++) {
      const standby = await startPostgres({ standbyOf: primary });
      await query(primary.url, "alter system set synchronous_standby_names = '*'", "select pg_reload_conf()");
      await untilSynchronous(primary.url);
      await pause(400);
      await primary.stop("immediate");
      await query(
        standby.url,
        "alter system reset synchronous_standby_names",
        "select pg_promote()",
        "select pg_reload_conf()",
      );
      proxy.leadTo(standby.port);
      away.push(await untilAllAreHeard(loads));
      await primary.remove();
      primary = standby;
    }
    const { lost, verified, holds } = await judged(proxy.url, name, await stopped(loads));
    const worst = Math.max(...away) / 1000;
    return [
      {
        row: `failover to a synchronous standby, ${times} ×`,
        goal: "0 acknowledged lost, chain verifies, back ≤ 2 s",
        figure: `${lost} lost, ${refusals(loads)}, chain ${verified.ok ? "verifies" : "broken"}, back in ${worst.toFixed(2)} s at most`,
        holds: holds && worst <= 2,
      },
      await asynchronously(primary),
    ];
  } finally {
    await proxy.close();
    await primary.remove();
  }
}

/** What an asynchronous standby has not heard of is lost with its primary, and only a head that was kept elsewhere tells. @param {import("../../scripts/postgres.mjs").Postgres} primary */
async function asynchronously(primary) {
  const name = "asynchronous";
  const standby = await startPostgres({ standbyOf: primary });
  try {
    let kept;
    await withMembers(primary.url, 1, async ([member]) => {
      await member?.ask("write", { name, path: "a.txt", text: "1" });
      await untilCaughtUp(primary.url);
      await standby.stop("immediate");
      await member?.ask("write", { name, path: "a.txt", text: "2" });
      kept = (await member?.ask("verify", { name }))?.head;
    });
    await primary.stop("immediate");
    await standby.start();
    await query(standby.url, "select pg_promote()");
    let [alone, compared] = [{ ok: false }, { ok: true }];
    await withMembers(standby.url, 1, async ([member]) => {
      alone = await member?.ask("verify", { name });
      compared = await member?.ask("verify", { name, expectedHead: kept });
    });
    return {
      row: "failover to an asynchronous standby",
      goal: "what is lost is found by verify with the expected head",
      figure: `1 change lost; verify alone: ${alone.ok ? "whole" : "broken"}, with the head: ${compared.ok ? "whole" : "found"}`,
      holds: alone.ok && !compared.ok,
    };
  } finally {
    await standby.remove();
  }
}

/** Milliseconds until each has had an answer since now. @param {readonly Load[]} loads */
async function untilAllAreHeard(loads) {
  const since = performance.now();
  for (let n = 0; n < 6000 && !loads.every(({ heardAt }) => heardAt > since); n++) await pause(5);
  return performance.now() - since;
}

/** @param {readonly Load[]} loads */
async function stopped(loads) {
  /** @type {Map<string, number>} */
  const acknowledged = new Map();
  for (const load of loads) {
    await load.member.ask("stop");
    await load.ended;
    await load.member.end();
    acknowledged.set(load.path, load.acknowledged);
  }
  return acknowledged;
}

/** @param {readonly Load[]} loads */
function refusals(loads) {
  const all = loads.flatMap(({ refused }) => refused);
  return all.length === 0 ? "none refused" : `${all.length} refused (${[...new Set(all)].join(", ")})`;
}

/** @param {string} url */
const untilSynchronous = (url) => untilRow(url, "select 1 from pg_stat_replication where sync_state = 'sync'");
/** @param {string} url */
const untilCaughtUp = (url) =>
  untilRow(url, "select 1 from pg_stat_replication where replay_lsn >= pg_current_wal_lsn()");

/** @param {string} url @param {string} text */
async function untilRow(url, text) {
  for (let n = 0; n < 500; n++) {
    if ((await query(url, text)).length > 0) return;
    await pause(20);
  }
  throw new Error(`no answer to ${text}`);
}

/** @param {string} url @param {...string} texts @returns {Promise<any[]>} of the last one */
async function query(url, ...texts) {
  const { default: pg } = await import("pg");
  const client = new pg.Client(url);
  await client.connect();
  try {
    let rows = [];
    for (const text of texts) ({ rows } = await client.query(text));
    return rows;
  } finally {
    await client.end();
  }
}
