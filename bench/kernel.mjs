// The kernel's figures: what a gated change and a read cost beside the bare system calls. Run `npm run bench:kernel`.
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { openWorkspace, writeFile } from "../dist/index.js";

const ROUNDS = Number(process.argv[2] ?? 7);
const PER_ROUND = 60;
const SIZE = 10 * 1024;
const body = (n) => `${"x".repeat(70)} ${String(n).padStart(8, "0")}\n`.repeat(SIZE / 80).slice(0, SIZE);

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
  await compare("gated change, durability fast", { "temp + rename": plain(false), stet: () => change(fast) }, 3);
  await compare(
    "gated change, durability full",
    { "temp + fsync + rename + fsync(dir)": plain(true), stet: () => change(full) },
    1.5,
  );
  await compare(
    "read + sha256",
    {
      readFileSync: () => fs.readFileSync(path.join(fast.dir, "sub/file.txt")),
      stet: () => fast.session.read("sub/file.txt"),
    },
    8,
  );
  for (const { workspace } of [fast, full]) await workspace.close();
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
  const { files } = await writeFile(at.session, "sub/file.txt", body(++at.n), { expectedSha256: at.sha });
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

function median(values) {
  return values.sort((a, b) => a - b)[values.length >> 1];
}
