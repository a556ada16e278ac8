// Thousands of workspaces and a journal of a million entries: what a change costs there beside an empty database, what history costs.

import { encode, GENESIS, seal } from "../../dist/backends/journal/entry.js";
import { aspectsOf } from "../../dist/backends/journal/entry-filter.js";
import { openPool, postgres } from "../../dist/backends/postgres/index.js";
import { versionOf } from "../../dist/core/version.js";
import { openWorkspace } from "../../dist/index.js";
import { startPostgres } from "../../scripts/postgres.mjs";
import { median } from "../stats.mjs";
import { withMembers } from "./members.mjs";

const LONG = "workspace-1";
const PART = 5000;

/** @param {{ quick: boolean }} fleet */
export async function scale({ quick }) {
  const [workspaces, entries] = quick ? [200, 5000] : [10_000, 1_000_000];
  const servers = await Promise.all([startPostgres(), startPostgres()]);
  const [empty, full] = /** @type {[typeof servers[0], typeof servers[0]]} */ (servers);
  try {
    await fill(full.url, workspaces, entries);
    return [
      await sameTime(empty.url, full.url, quick, workspaces, entries),
      await flatMemory(full.url, quick),
      ...(await history(full.url, entries)),
    ];
  } finally {
    for (const server of servers) await server.remove();
  }
}

/** @param {string} empty @param {string} full @param {boolean} quick @param {number} workspaces @param {number} entries */
async function sameTime(empty, full, quick, workspaces, entries) {
  /** @type {number[][]} */
  const times = [[], []];
  await withMembers(empty, 1, async ([one]) => {
    await withMembers(full, 1, async ([other]) => {
      for (let round = -1; round < (quick ? 2 : 8); round++) {
        for (const [n, member] of [one, other].entries()) {
          const each = await member?.ask("rounds", { name: LONG, times: quick ? 20 : 150 });
          // The first round warms up.
          if (round >= 0) times[n]?.push(median(each));
        }
      }
    });
  });
  const [before, after] = times.map(median);
  const ratio = Number(after) / Number(before);
  return {
    row: `${workspaces.toLocaleString("en")} workspaces, ${entries.toLocaleString("en")} entries in one of them: an edit there`,
    goal: "no slower than in an empty database (± 20 %)",
    figure: `${after?.toFixed(0)} µs, empty ${before?.toFixed(0)} µs: ${ratio.toFixed(2)} ×`,
    holds: ratio <= 1.2,
  };
}

/** @param {string} url @param {boolean} quick */
async function flatMemory(url, quick) {
  const names = Array.from({ length: quick ? 60 : 2000 }, (_, n) => `workspace-${n + 2}`);
  /** @type {number[]} */
  let held = [];
  await withMembers(url, 1, async ([member]) => {
    held = await member?.ask("memory", { names, parts: 4 });
  });
  const grown = Number(held.at(-1)) - Number(held[0]);
  return {
    row: `${names.length} workspaces opened, changed and closed by one server`,
    goal: "memory flat",
    figure: `heap ${held.map((each) => each.toFixed(1)).join(", ")} MiB`,
    holds: grown < 2,
  };
}

/** @param {string} url @param {number} entries */
async function history(url, entries) {
  const pool = await openPool(url);
  const workspace = openWorkspace({ backend: await postgres({ database: pool, workspace: LONG }) });
  const session = workspace.session();
  await session.create("bench.txt", "one\n");
  const asked = {
    "log by path": () => counted(workspace.log({ path: "src/dir7/file7.ts", newestFirst: true, limit: 50 })),
    "by session": () => counted(workspace.log({ session: "session-3", newestFirst: true, limit: 50 })),
    "by agent": () => counted(workspace.log({ agent: "agent-7", newestFirst: true, limit: 50 })),
    "by outcome": () => counted(workspace.log({ outcomes: ["refused"], newestFirst: true, limit: 50 })),
    undo: () => session.undo({ session: session.id }, { dryRun: true }),
  };
  const times = [];
  for (const [name, ask] of Object.entries(asked)) {
    const each = [];
    for (let n = 0; n < 5; n++) {
      const begun = performance.now();
      await ask();
      each.push(performance.now() - begun);
    }
    times.push(/** @type {const} */ ([name, median(each)]));
  }
  await workspace.close();
  await pool.end();
  return [
    {
      row: `history of ${entries.toLocaleString("en")} entries`,
      goal: "each ≤ 100 ms",
      figure: times.map(([name, ms]) => `${name} ${ms.toFixed(0)} ms`).join(", "),
      holds: times.every(([, ms]) => ms <= 100),
    },
  ];
}

/** @param {AsyncIterable<unknown>} all */
async function counted(all) {
  let count = 0;
  for await (const _ of all) count++;
  return count;
}

/** As the backend would have written them, in bulk. @param {string} url @param {number} workspaces @param {number} entries */
async function fill(url, workspaces, entries) {
  const pool = await openPool(url);
  const backend = await postgres({ database: pool, workspace: LONG });
  await pool.query({
    text: "insert into workspace (tenant, name) select '', 'workspace-' || n from generate_series(2, $1::int) n",
    values: [workspaces],
  });
  const { rows } = await pool.query({ text: "select id from workspace where name = $1", values: [LONG] });
  const ws = /** @type {any} */ (rows[0]).id;
  const versions = ["x", "y"].map((text) => versionOf([Buffer.from(text)]));
  await backend.keep(versions);
  /** @type {any} */
  let prev = GENESIS;
  for (let first = 1; first <= entries; first += PART) {
    const part = Array.from({ length: Math.min(PART, entries - first + 1) }, (_, i) => {
      const seq = first + i;
      const sealed = seal(draft(seq, versions), { seq, at: timeOf(seq), prev });
      prev = sealed.entry.hash;
      return { ...sealed, seq, path: pathOf(seq) };
    });
    await insert(pool, ws, part);
  }
  await pool.query({
    text: "update workspace set seq = $2, hash = $3, at = $4 where id = $1",
    values: [ws, entries, prev, timeOf(entries)],
  });
  await pool.query("analyze");
  await backend.close();
  await pool.end();
}

/** @param {import("../../dist/backends/postgres/index.js").Pool} pool @param {number} ws @param {any[]} part */
async function insert(pool, ws, part) {
  const column = (/** @type {(row: any) => unknown} */ of) => part.map(of);
  await pool.query({
    text: `insert into entry (ws, seq, at, outcome, session, agent, tool, aspects, line) select $1, *
      from unnest($2::bigint[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::smallint[], $9::bytea[])`,
    values: [
      ws,
      column(({ seq }) => seq),
      column(({ entry }) => entry.at),
      column(({ entry }) => entry.outcome),
      column(({ entry }) => encode(entry.session)),
      column(({ entry }) => encode(entry.agent)),
      column(({ entry }) => encode(entry.tool)),
      column(({ entry }) => aspectsOf(entry).reduce((sum, each) => sum | (each === "trash" ? 2 : 1), 0)),
      column(({ line }) => Buffer.from(line)),
    ],
  });
  await pool.query({
    text: "insert into change (ws, path, seq) select $1, * from unnest($2::text[], $3::bigint[])",
    values: [ws, column(({ path }) => path), column(({ seq }) => seq)],
  });
}

const timeOf = (/** @type {number} */ seq) => new Date(1.7e12 + seq * 1000).toISOString();
const pathOf = (/** @type {number} */ seq) => `src/dir${seq % 50}/file${seq % 2000}.ts`;

/** @param {number} seq @param {any[]} versions @returns {any} */
function draft(seq, [x, y]) {
  const [from, to] = seq % 2 === 0 ? [x, y] : [y, x];
  const isDeleted = seq % 1000 === 0;
  return {
    session: `session-${Math.floor(seq / 500)}`,
    agent: `agent-${seq % 20}`,
    tool: "edit_file",
    call: `c${seq}`,
    outcome: "applied",
    changes: [
      {
        path: pathOf(seq),
        from: from.sha,
        to: isDeleted ? null : to.sha,
        fromSize: 1,
        ...(!isDeleted && { toSize: 1 }),
        proof: "session",
      },
    ],
    diff: "@@ -1 +1 @@\n-some line of a file as it was before the edit\n+the same line as it is now\n",
  };
}
