// Time of one call, every tool beside the others: a small read, a small edit, an edit in 10,000 lines, a page of 100 MB.
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { alternate } from "../stats.mjs";
import { tools } from "../tools/index.mjs";
import { stetWithoutFlush } from "../tools/stet.mjs";

/**
 * @typedef {{ title: string, unit: "ms", times: Record<string, import("../stats.mjs").Spread>, failed: Record<string, string> }} Workload
 * @param {{ quick: boolean, progress?: (line: string) => void }} options
 * @returns {Promise<{ workloads: Workload[], skipped: { tool: string, reason: string }[] }>}
 */
export async function measureCalls({ quick, progress = () => {} }) {
  const base = mkdtempSync(join(tmpdir(), "stet-calls-"));
  /** @type {{ id: string, agent: import("../tools/answer.mjs").Agent, ranges: boolean }[]} */
  const agents = [];
  const skipped = [];
  try {
    for (const tool of [stetWithoutFlush, ...tools]) {
      const root = mkdtempSync(join(base, "root-"));
      try {
        const loaded = await tool.load();
        prepare(root, quick ? 10 : 100);
        agents.push({ id: tool.id, agent: await loaded.open(root), ranges: loaded.ranges });
      } catch (error) {
        skipped.push({ tool: tool.id, reason: String(error).split("\n")[0] ?? "" });
      }
    }
    const rounds = quick ? 3 : 7;
    const workloads = [];
    for (const work of workloadsOf(quick)) {
      /** @type {Record<string, (n: number) => Promise<unknown>>} */
      const contestants = {};
      /** @type {Record<string, string>} */
      const failed = {};
      for (const each of agents) {
        const first = await work.try(each).catch((error) => ({ refused: String(error) }));
        if (first?.refused === undefined) contestants[each.id] = (n) => work.run(each.agent, n);
        else failed[each.id] = first.refused.split("\n")[0] ?? "";
      }
      const times = await alternate(contestants, { rounds, perRound: work.perRound });
      workloads.push({ title: work.title, unit: /** @type {const} */ ("ms"), times, failed });
      progress(work.title);
    }
    return { workloads, skipped };
  } finally {
    await Promise.allSettled(agents.map(({ agent }) => agent.close()));
    rmSync(base, { recursive: true, force: true });
  }
}

/** @param {boolean} quick */
function workloadsOf(quick) {
  const megabytes = quick ? 10 : 100;
  return [
    {
      title: "read a file of 1 KB",
      perRound: 200,
      try: readable("small.txt"),
      run: (/** @type {Agent} */ agent) => agent.read("small.txt"),
    },
    {
      title: "edit a line in a file of 10 KB (after a read)",
      perRound: 20,
      try: readable("medium.txt"),
      run: (/** @type {Agent} */ agent, /** @type {number} */ n) => toggle(agent, "medium.txt", n),
    },
    {
      title: "edit a line in a file of 10,000 lines (after a read)",
      perRound: 3,
      try: readable("long.txt"),
      run: (/** @type {Agent} */ agent, /** @type {number} */ n) => toggle(agent, "long.txt", n),
    },
    {
      title: `read lines 1-100 of a file of ${megabytes} MB`,
      perRound: 2,
      try: async (/** @type {{ agent: Agent, ranges: boolean }} */ { agent, ranges }) =>
        ranges ? agent.read("huge.txt", PAGE) : { refused: "reads whole files only" },
      run: (/** @type {Agent} */ agent) => agent.read("huge.txt", PAGE),
    },
  ];
}

/** @typedef {import("../tools/answer.mjs").Agent} Agent */
const PAGE = { from: 1, to: 100 };

/** @param {string} path */
function readable(path) {
  return (/** @type {{ agent: Agent }} */ { agent }) => agent.read(path);
}

/** Reads, then changes the marked line to another value: what an agent does again and again. @param {Agent} agent @param {string} path @param {number} n */
async function toggle(agent, path, n) {
  const text = (await agent.read(path, { from: 1, to: 100 })).done ?? "";
  const value = /marked value = (\d+)/.exec(text)?.[1] ?? "0";
  const answer = await agent.edit(path, `marked value = ${value}`, `marked value = ${Number(value) + n + 1_000}`);
  if (answer.refused !== undefined) throw new Error(answer.refused);
}

/** @param {string} root @param {number} megabytes */
function prepare(root, megabytes) {
  const lines = (/** @type {number} */ count) =>
    Array.from({ length: count }, (_, n) => (n === 4 ? "marked value = 0" : `line ${n}: some words of text here`)).join(
      "\n",
    );
  writeFileSync(join(root, "small.txt"), `${lines(32)}\n`);
  writeFileSync(join(root, "medium.txt"), `${lines(320)}\n`);
  writeFileSync(join(root, "long.txt"), `${lines(10_000)}\n`);
  const huge = openSync(join(root, "huge.txt"), "w");
  const block = `${"a line of ninety-nine characters ".repeat(3)}\n`.repeat(10_000);
  for (let written = 0; written < megabytes * 1_000_000; written += block.length) writeSync(huge, block);
  closeSync(huge);
}
