// What an adapter adds to a call: beside the tool called directly, and beside one written by hand in the same framework.
import { cpSync, existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { median } from "../stats.mjs";
import { byHand, DIRECT, ways } from "./adapter-ways.mjs";

/** @typedef {import("./adapter-ways.mjs").Make} Make */
/** @typedef {import("../stats.mjs").Spread} Spread */

/** Each gives a ratio of its own; what else goes on in one of them shows as the spread. */
const BLOCKS = 9;

/**
 * @param {{ quick: boolean }} options
 * @returns {Promise<{ title: string, direct: number, rows: { name: string, byHand: number, adapter: number, overHand: Spread, overDirect: Spread }[] }[]>}
 */
export async function measureAdapters({ quick }) {
  const from = builtBesidePeers();
  const { openWorkspace } = await from("index.js");
  const { tracked } = await from("surfaces/index.js");
  const root = mkdtempSync(join(tmpdir(), "stet-adapters-"));
  writeFileSync(join(root, "small.txt"), "a line of a file\n".repeat(60));
  writeFileSync(join(root, "edited.txt"), `${"a line of a file\n".repeat(60)}state: A\n`);
  const workspace = openWorkspace({ root, durability: "fast" });
  const session = workspace.session({ agent: "bench" });
  try {
    const all = await ways(from, session, tracked);
    await all[DIRECT]?.("Read", sent({ file_path: "edited.txt" }));
    let state = "A";
    const edit = () => {
      const before = state;
      state = state === "A" ? "B" : "A";
      return { file_path: "edited.txt", old_string: `state: ${before}`, new_string: `state: ${state}` };
    };
    const read = () => ({ file_path: "small.txt" });
    const calls = quick ? 30 : 400;
    return [
      { title: "read a file of 1 KB", ...(await inTurns(all, calls, "Read", read)) },
      { title: "edit it, without waiting for the disk", ...(await inTurns(all, Math.ceil(calls / 4), "Edit", edit)) },
    ];
  } finally {
    await workspace.close();
    rmSync(root, { recursive: true, force: true });
  }
}

/**
 * Each framework for itself, as programs have one: a call directly, one by hand and one by the adapter after the other, in
 * another order each time, again and again. What else goes on meets all of them alike.
 * @param {Record<string, Make>} makers @param {number} calls of each, in each block @param {string} tool @param {() => object} next
 */
async function inTurns(makers, calls, tool, next) {
  const names = Object.keys(makers).filter((name) => byHand(name) in makers);
  const rows = [];
  const direct = [];
  for (const name of names) {
    const medians = await blocksOf(makers, [DIRECT, byHand(name), name], calls, tool, next);
    const time = (/** @type {string} */ way) => median(medians.map((each) => Number(each[way])));
    const over = (/** @type {string} */ base) => ratios(medians, name, base);
    rows.push({
      name,
      byHand: time(byHand(name)),
      adapter: time(name),
      overHand: over(byHand(name)),
      overDirect: over(DIRECT),
    });
    direct.push(time(DIRECT));
  }
  return { direct: median(direct), rows };
}

/** The median of each way in each block. @param {Record<string, Make>} makers @param {readonly string[]} names @param {number} calls @param {string} tool @param {() => object} next */
async function blocksOf(makers, names, calls, tool, next) {
  /** @type {Record<string, number>[]} */
  const medians = [];
  for (let block = -1; block < BLOCKS; block++) {
    /** @type {Record<string, number[]>} */
    const times = Object.fromEntries(names.map((name) => [name, []]));
    for (let n = 0; n < calls; n++) {
      for (const name of shuffled(names)) {
        const given = sent(next());
        const started = performance.now();
        await makers[name]?.(tool, given);
        times[name]?.push(performance.now() - started);
      }
    }
    // The first one warms up and is not counted.
    if (block >= 0) medians.push(Object.fromEntries(names.map((name) => [name, median(times[name] ?? [])])));
  }
  return medians;
}

/** New each time, as what a model sends is. @param {object} input */
function sent(input) {
  const text = JSON.stringify(input);
  return { text, input: JSON.parse(text) };
}

/** Half of the blocks lie between low and high. @param {readonly Record<string, number>[]} medians @param {string} name @param {string} base */
function ratios(medians, name, base) {
  const all = medians.map((each) => Number(each[name]) / Number(each[base])).sort((a, b) => a - b);
  const at = (/** @type {number} */ part) => Number(all[Math.floor(all.length * part)]);
  return { median: median(all), low: at(0.25), high: at(0.75) };
}

/** What a call leaves behind meets another one each time. @param {readonly string[]} names */
function shuffled(names) {
  return names
    .map((name) => ({ name, at: Math.random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ name }) => name);
}

/** Where the adapters find the frameworks, as in a program of another. */
function builtBesidePeers() {
  const [dist, copy] = ["../../dist/", "../node_modules/.stet/"].map((path) =>
    fileURLToPath(new URL(path, import.meta.url)),
  );
  if (!existsSync(String(dist))) throw new Error("dist/ is absent (npm run build)");
  rmSync(String(copy), { recursive: true, force: true });
  cpSync(String(dist), String(copy), { recursive: true, filter: (path) => !path.endsWith("/bin") });
  writeFileSync(join(String(copy), "package.json"), '{ "type": "module" }');
  return (/** @type {string} */ file) => import(pathToFileURL(join(String(copy), file)).href);
}
