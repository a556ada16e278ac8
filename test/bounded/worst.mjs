// Makes the worst calls of one surface, one after the other, and prints what each of them did to everything else in the
// process: `node --expose-gc worst.mjs BYTES SURFACE all|refused [CALL]`.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { openWorkspace } from "../../dist/index.js";
import { call, surfaceNamed } from "../../dist/surfaces/index.js";
import { worstCases } from "./worst-cases.mjs";

const [bytes, name, which, only] = process.argv.slice(2);
const size = Number(bytes);
const surface = surfaceNamed(name);
const cases = worstCases(size, name);
const untold = surface.tools.map((tool) => tool.name).filter((tool) => !cases.some((each) => each.tool === tool));
console.log(JSON.stringify({ untold }));
/** Refused before any work is done. */
const AT_ONCE = new Set([
  "command_failed",
  "invalid_input",
  "pattern_too_complex",
  "outside_workspace",
  "patch_parse_error",
]);
const step = stepOf(size);
for (const each of cases) {
  if (which === "refused" && !(each.quick && AT_ONCE.has(each.is))) continue;
  if (only === undefined || only === `${each.tool}: ${each.name}`) console.log(JSON.stringify(await made(each)));
}

async function made({ tool, name: title, given: files, input, is, read }) {
  const directory = mkdtempSync(join(tmpdir(), "stet-worst-"));
  const root = join(directory, "root");
  mkdirSync(root);
  for (const [path, text] of Object.entries(files)) writeFileSync(join(root, path), text);
  const workspace = openWorkspace({ root, durability: "fast", stateDir: join(directory, "state") });
  try {
    const session = workspace.session();
    for (const path of read) await session.read(path);
    global.gc();
    await wait(20);
    writeFileSync("/proc/self/clear_refs", "5");
    const before = memory("VmRSS");
    const watch = watchTurns();
    const result = await call(session, surface, tool, input);
    const { longest, beside } = watch.end();
    const given = Object.values(files).reduce((sum, text) => sum + text.length, JSON.stringify(input).length);
    return {
      call: `${tool}: ${title}`,
      is: result.ok ? "ok" : result.error.kind,
      expected: is,
      text: result.text.slice(0, 500),
      steps: longest / step,
      milliseconds: longest / 1e6,
      megabytes: memory("VmHWM") - before,
      beside,
      given: given / 2 ** 20,
    };
  } finally {
    await workspace.close();
    rmSync(directory, { recursive: true, force: true });
  }
}

/** What this thread needs to take a text of this size in and to give it out again: the measure of all others. */
function stepOf(length) {
  const text = "line of text\n".repeat(length / 13);
  const taken = [];
  for (let n = 0; n < 5; n++) {
    const start = worked();
    JSON.parse(JSON.stringify(text));
    taken.push(worked() - start);
  }
  return taken.sort((a, b) => a - b)[2];
}

/** The most that this thread worked between two turns of the event loop, and the most memory of processes that it started. */
function watchTurns() {
  let last = worked();
  let longest = 0;
  let beside = 0;
  const before = new Map(startedBy().map((pid) => [pid, peakOf(pid)]));
  const look = () => {
    const now = worked();
    longest = Math.max(longest, now - last);
    beside = Math.max(beside, besideNow(before));
    last = worked();
  };
  const timer = setInterval(look, 5);
  return {
    end() {
      clearInterval(timer);
      look();
      return { longest, beside };
    },
  };
}

/** Of each its peak, without what it shares with others: its program. A peak from before, by other work, does not count. */
function besideNow(before) {
  return startedBy().reduce((sum, pid) => {
    try {
      const peak = memory("VmHWM", pid);
      const held = peak === before.get(pid) ? memory("VmRSS", pid) : peak;
      return sum + Math.max(0, held - memory("RssFile", pid));
    } catch {
      return sum;
    }
  }, 0);
}

/** Undefined of one that has just ended. */
function peakOf(pid) {
  try {
    return memory("VmHWM", pid);
  } catch {
    return undefined;
  }
}

function startedBy() {
  const children = readFileSync(`/proc/self/task/${process.pid}/children`, "utf8").trim();
  return children === "" ? [] : children.split(" ");
}

/** In nanoseconds of this thread alone: what other threads and processes do in the meantime does not count. */
function worked() {
  return Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, "utf8").split(" ")[0]);
}

function memory(what, pid = "self") {
  return Number(new RegExp(`${what}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, "utf8"))[1]) / 1024;
}
