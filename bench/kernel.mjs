// The kernel's figures: what a gated change and a read cost beside the bare system calls. Run `npm run bench:kernel`.
import "./own-state.mjs";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { openWorkspace } from "../dist/index.js";
import { median } from "./stats.mjs";

const ROUNDS = Number(process.argv[2] ?? 7);
const PER_ROUND = 60;
const SIZE = 10 * 1024;
const LINES = Array.from({ length: SIZE / 80 }, (_, i) => `${String(i).padStart(4)} ${"x".repeat(74)}`);
/** A text of 10 KB in which one line is another one each time, as after an edit. */
const body = (n) => `${LINES.with(n % LINES.length, `changed ${n}`.padEnd(79)).join("\n")}\n`;

const root = fs.mkdtempSync(path.join(os.tmpdir(), "stet-bench-"));
try {
  await main();
} finally {
  fs.rmSync(root, { recursive: true, force: true });
}

async function main() {
  console.log(`10 KB files, ${ROUNDS} rounds of ${PER_ROUND}, orders alternated, medians in µs\n`);
  const fast = await prepare("fast");
  const full = await prepare("full");
  await compare("gated change, durability fast", { "temp + rename": plain(false), stet: () => change(fast) }, 2.5);
  await compare(
    "gated change, durability full",
    { "temp + fsync + rename + fsync(dir)": plain(true), stet: () => change(full) },
    1.3,
  );
  await manySessions();
  await compare(
    "read + sha256",
    {
      readFileSync: () => fs.readFileSync(path.join(fast.dir, "sub/file.txt")),
      stet: () => fast.session.read("sub/file.txt"),
    },
    8,
  );
  for (const { workspace } of [fast, full]) await workspace.close();
  await large();
}

/** What 32 sessions do together, each in a file of its own, beside what one does alone. */
async function manySessions() {
  const count = 32;
  const dir = path.join(root, "many");
  fs.mkdirSync(dir);
  for (let n = 0; n < count; n++) fs.writeFileSync(path.join(dir, `${n}.txt`), body(n));
  const workspace = openWorkspace({ root: dir, durability: "full" });
  const sessions = Array.from({ length: count }, () => workspace.session());
  let text = count;
  const write = (session, n) => session.write(`${n}.txt`, body(++text), { proof: { by: "waived" } });
  const rates = { one: [], many: [] };
  const rate = async (changes, work) => {
    const start = performance.now();
    await work();
    return (changes * 1000) / (performance.now() - start);
  };
  for (let round = 0; round < ROUNDS; round++) {
    const alone = async () => {
      for (let i = 0; i < PER_ROUND; i++) await write(sessions[0], 0);
    };
    const together = () =>
      Promise.all(
        sessions.map(async (session, n) => {
          for (let i = 0; i < 4; i++) await write(session, n);
        }),
      );
    rates.one.push(await rate(PER_ROUND, alone));
    rates.many.push(await rate(count * 4, together));
  }
  const [one, many] = [median(rates.one), median(rates.many)];
  console.log(
    `${count} sessions, durability full: one ${one.toFixed(0)}, all ${many.toFixed(0)} a second: ${(many / one).toFixed(2)} times (goal ≥ 4)`,
  );
  await workspace.close();
}

/** One edit in a file of 100 MB: how often its bytes are held, and the longest time in which nothing else could run. */
async function large() {
  const size = 100 * 1024 * 1024;
  const dir = path.join(root, "large");
  fs.mkdirSync(dir);
  fs.writeFileSync(path.join(dir, "large.txt"), `${"x".repeat(99)}\n`.repeat(size / 100));
  const workspace = openWorkspace({ root: dir, durability: "fast", policy: { maxFileBytes: 2 * size } });
  const session = workspace.session();
  const before = process.memoryUsage().arrayBuffers;
  const delay = monitorEventLoopDelay({ resolution: 1 });
  let most = 0;
  const watch = setInterval(() => {
    most = Math.max(most, process.memoryUsage().arrayBuffers - before);
  }, 1);
  delay.enable();
  const start = performance.now();
  await session.edit("large.txt", () => [{ start: 5000, end: 5010, text: "edited" }], { proof: { by: "waived" } });
  const ms = performance.now() - start;
  delay.disable();
  clearInterval(watch);
  console.log(
    `edit in 100 MB: ${ms.toFixed(0)} ms, bytes held ${(most / size).toFixed(2)} times, longest pause ${(delay.max / 1e6).toFixed(0)} ms`,
  );
  await workspace.close();
}

async function prepare(durability) {
  const dir = path.join(root, durability);
  fs.mkdirSync(path.join(dir, "sub"), { recursive: true });
  fs.writeFileSync(path.join(dir, "sub/file.txt"), body(0));
  const workspace = openWorkspace({ root: dir, durability });
  const session = workspace.session();
  const { sha } = await session.read("sub/file.txt");
  return { dir, workspace, session, sha, n: 0 };
}

async function change(at) {
  const { files } = await at.session.write("sub/file.txt", body(++at.n), { expectedSha256: at.sha });
  at.sha = files[0].after;
}

function plain(durable) {
  const dir = path.join(root, `plain-${durable}`);
  fs.mkdirSync(dir, { recursive: true });
  const target = path.join(dir, "file.txt");
  let n = 0;
  return () => {
    const temp = `${target}.tmp`;
    const fd = fs.openSync(temp, "wx");
    fs.writeSync(fd, body(++n));
    if (durable) fs.fsyncSync(fd);
    fs.closeSync(fd);
    fs.renameSync(temp, target);
    if (!durable) return;
    const parent = fs.openSync(dir, "r");
    fs.fsyncSync(parent);
    fs.closeSync(parent);
  };
}

async function compare(title, candidates, goal) {
  const names = Object.keys(candidates);
  const times = Object.fromEntries(names.map((name) => [name, []]));
  for (let round = 0; round < ROUNDS; round++) {
    for (const name of round % 2 === 0 ? names : names.toReversed()) {
      for (let i = 0; i < PER_ROUND; i++) {
        const start = process.hrtime.bigint();
        await candidates[name]();
        times[name].push(Number(process.hrtime.bigint() - start) / 1000);
      }
    }
  }
  const medians = names.map((name) => median(times[name]));
  const ratio = medians[1] / medians[0];
  console.log(
    `${title}: ${names.map((name, i) => `${name} ${medians[i].toFixed(0)}`).join(", ")}: ratio ${ratio.toFixed(2)} (goal ≤ ${goal})`,
  );
}
