// How long stet takes on a file of 10 000 lines of real source text. Printed, never judged: a shared machine is not a quiet core.
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { importStet } from "./engines/stet.mjs";
import { extendWord, hasWord } from "./generate/lines.mjs";
import { seededRandom } from "./generate/random.mjs";
import { listSources, readSource } from "./generate/sources.mjs";
import { printTable } from "./report.mjs";

const lineCount = 10_000;
const rounds = 60;

/** `cpu` leaves out the time that other processes took, but counts the collector and the compiler. @typedef {{ what: string, p50: number, p95: number, cpu: number, reach: number }} Timing */

/** @param {number} seed @returns {Promise<Timing[]>} */
export async function printTimings(seed) {
  const stet = await importStet().catch(() => undefined);
  if (stet?.replaceText === undefined) return [];
  const lines = tenThousandLines(seed);
  const timings = [exactEdit(stet, lines, seed), refusal(stet, lines, seed), anchors(stet, lines)];
  const measured = timings.filter((timing) => timing !== undefined);
  const rows = measured.map(({ what, p50, p95, cpu, reach }) => [
    what,
    p50.toFixed(2),
    p95.toFixed(2),
    cpu.toFixed(2),
    `<= ${reach}`,
  ]);
  printTable([`stet, ${lineCount} lines`, "p50 ms", "p95 ms", "cpu p50 ms", "reach p50"], rows);
  return measured;
}

/** @param {Stet} stet @param {readonly string[]} lines @param {number} seed */
function exactEdit(stet, lines, seed) {
  const text = `${lines.join("\n")}\n`;
  const edits = uniqueWindows(lines, text, seed).map((old) => ({ old, next: `${old.slice(0, -1)}_` }));
  return timed("exact edit", 2, edits, ({ old, next }) => {
    const result = stet.replaceText(text, old, next);
    if (!result.ok) throw new Error(`an exact edit was refused: ${result.message}`);
  });
}

/** @param {Stet} stet @param {readonly string[]} lines @param {number} seed */
function refusal(stet, lines, seed) {
  const text = `${lines.join("\n")}\n`;
  const misremembered = (/** @type {string} */ old) =>
    old
      .split("\n")
      .map((line, i) => (i % 2 === 0 ? extendWord(line, "Elsewhere") : line))
      .join("\n");
  const edits = uniqueWindows(lines, text, seed).map(misremembered);
  return timed("refusal with suggestions", 25, edits, (old) => {
    const result = stet.replaceText(text, old, `${old}\nmore`);
    if (result.ok) throw new Error("an edit of absent text was applied");
  });
}

/** @param {Stet} stet @param {readonly string[]} lines @returns {Timing | undefined} */
function anchors(stet, lines) {
  if (stet.anchorIndex === undefined) return undefined;
  const text = `${lines.join("\n")}\n`;
  return timed(`${lineCount} anchors`, 10, Array.from({ length: rounds }), () => {
    const index = stet.anchorIndex(text);
    // Reading every hash matters: an index may work them out only when asked.
    for (const line of index.lines) if (line.hash.length === 0) throw new Error("a line has no anchor");
  });
}

/** @typedef {{ replaceText: (text: string, old: string, next: string) => any, anchorIndex: (text: string) => any }} Stet */

/** @template T @param {string} what @param {number} reach @param {readonly T[]} inputs @param {(input: T) => void} work @returns {Timing} */
function timed(what, reach, inputs, work) {
  for (const input of inputs.slice(0, 10)) work(input);
  const runs = inputs.map((input) => {
    const cpuStart = process.cpuUsage();
    const start = performance.now();
    work(input);
    const wall = performance.now() - start;
    const { user, system } = process.cpuUsage(cpuStart);
    return { wall, cpu: (user + system) / 1000 };
  });
  const wall = runs.map((run) => run.wall);
  return {
    what,
    p50: quantile(wall, 0.5),
    p95: quantile(wall, 0.95),
    cpu: quantile(
      runs.map((run) => run.cpu),
      0.5,
    ),
    reach,
  };
}

/** @param {readonly number[]} values @param {number} share */
function quantile(values, share) {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

/** @param {readonly string[]} lines @param {string} text @param {number} seed */
function uniqueWindows(lines, text, seed) {
  const random = seededRandom(`timings:${seed}`);
  const windows = [];
  for (let tries = 0; windows.length < rounds && tries < rounds * 50; tries++) {
    const start = random.below(lines.length - 8);
    const window = lines.slice(start, start + 8);
    const old = window.join("\n");
    if (window.every(hasWord) && text.indexOf(old) === text.lastIndexOf(old)) windows.push(old);
  }
  return windows;
}

/** @param {number} seed */
function tenThousandLines(seed) {
  const nodeModules = fileURLToPath(new URL("../../node_modules/", import.meta.url));
  const paths = listSources(nodeModules, `text:${seed}`).get("js") ?? [];
  /** @type {string[]} */
  const lines = [];
  for (const path of paths) {
    if (lines.length >= lineCount) break;
    lines.push(...(readSource(join(nodeModules, path))?.split("\n") ?? []));
  }
  return lines.slice(0, lineCount);
}
