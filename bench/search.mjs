// The figures of search beside bare ripgrep, as ratios from one run with alternated order. Run `npm run bench:search`.
import "./own-state.mjs";
import { spawn } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { rgPath } from "@vscode/ripgrep";
import { openWorkspace } from "../dist/index.js";
import { findFiles, grep } from "../dist/search/index.js";
import { median } from "./stats.mjs";

const ROUNDS = Number(process.argv[2] ?? 9);
const FILES = Number(process.argv[3] ?? 50_000);
const EVERYTHING = { root: "", limit: Number.POSITIVE_INFINITY };

const base = fs.mkdtempSync(path.join(os.tmpdir(), "stet-bench-"));
try {
  await main();
} finally {
  fs.rmSync(base, { recursive: true, force: true });
}

async function main() {
  const root = path.join(base, "tree");
  const bytes = makeTree(root);
  console.log(
    `${FILES} files, ${(bytes / 2 ** 20).toFixed(0)} MiB, cut from the files in node_modules, page cache warm;`,
  );
  console.log(`${ROUNDS} rounds, orders alternated, medians in ms\n`);
  const workspace = openWorkspace({ root, policy: { readOnly: true } });
  const session = workspace.session();

  for (const { title, args, goal, ...asked } of [
    { title: "literal text", pattern: "require(", literal: true, args: ["-F"], goal: 1.25 },
    { title: "an expression", pattern: "\\bexport\\s+default\\b", args: [], goal: 1.25 },
    { title: "a very frequent word", pattern: "function", args: [], goal: 1.5 },
  ]) {
    const { total, files } = await grep(session, { ...EVERYTHING, ...asked });
    const times = await compare({
      rg: () => rg(root, [...args, "-e", asked.pattern, "./"]),
      full: () => grep(session, { ...EVERYTHING, ...asked }),
      "first 250": () => grep(session, { root: "", limit: 250, ...asked }),
    });
    console.log(`grep, ${title}: ${total} hits in ${files.length} files`);
    report("  all hits beside bare rg", times.full, times.rg, goal);
    report("  the first 250 beside all", times["first 250"], times.full, 0.2);
  }

  const glob = "**/*.js";
  const { total } = await findFiles(session, { pattern: glob, ...EVERYTHING });
  const times = await compare({
    rg: () => rg(root, ["--files", "--sortr", "modified", "-g", glob, "./"]),
    newest: () => findFiles(session, { pattern: glob, root: "", order: "newest", limit: 200 }),
    any: () => findFiles(session, { pattern: glob, root: "", kind: "any", order: "newest", limit: 200 }),
  });
  console.log(`glob ${glob}, newest first: ${total} files`);
  report("  beside rg --files --sortr modified", times.newest, times.rg, 1.3);
  report("  with directories", times.any, times.rg, 1.3);
  await workspace.close();
  await firstPage();
}

/** The first 2000 lines of a large file; its bytes are counted where they are read. */
async function firstPage() {
  const root = path.join(base, "large");
  fs.mkdirSync(root);
  const block = "x"
    .repeat(63)
    .concat("\n")
    .repeat(16 * 1024);
  const fd = fs.openSync(path.join(root, "large.txt"), "w");
  for (let n = 0; n < 100; n++) fs.writeSync(fd, block);
  fs.closeSync(fd);
  const size = 100 * block.length;
  const workspace = openWorkspace({ root, policy: { readOnly: true } });
  const session = workspace.session();
  const before = bytesRead();
  await session.read("large.txt", { from: 1, to: 2000 });
  const read = bytesRead() - before;
  const buffer = Buffer.alloc(1024 * 1024);
  const times = await compare({
    once: () => {
      const file = fs.openSync(path.join(root, "large.txt"), "r");
      while (fs.readSync(file, buffer) > 0);
      fs.closeSync(file);
    },
    page: () => session.read("large.txt", { from: 1, to: 2000 }),
  });
  console.log(
    `first page of a file of ${(size / 2 ** 20).toFixed(0)} MiB: ${times.page.toFixed(0)} ms, with the sha256 of the whole`,
  );
  if (Number.isFinite(read)) report("  bytes read beside the size", read, size, 1.01);
  await workspace.close();
}

/** What this process asked the system for; NaN where the system does not tell. */
function bytesRead() {
  try {
    return Number(/rchar: (\d+)/.exec(fs.readFileSync("/proc/self/io", "utf8"))[1]);
  } catch {
    return Number.NaN;
  }
}

/** Copies of real sources, several times over in directories of their own, until there are enough files. */
function makeTree(root) {
  const sources = fs
    .readdirSync("node_modules", { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(?:[cm]?js|ts|json|md)$/.test(entry.name))
    .map((entry) => path.join(entry.parentPath, entry.name))
    .filter((file) => !file.includes(`${path.sep}.cache${path.sep}`))
    .sort()
    .filter((file) => fs.statSync(file).size < 64 * 1024);
  let bytes = 0;
  for (let n = 0; n < FILES; n++) {
    const source = sources[n % sources.length];
    const copy = Math.floor(n / sources.length);
    const target = path.join(root, `copy-${copy}`, path.relative("node_modules", source));
    fs.mkdirSync(path.dirname(target), { recursive: true });
    fs.copyFileSync(source, target);
    bytes += fs.statSync(target).size;
  }
  fs.writeFileSync(path.join(root, ".gitignore"), "*.log\nbuild/\n");
  return bytes;
}

/** A bare run whose output is read to the end and thrown away. */
function rg(cwd, args) {
  return new Promise((resolve, reject) => {
    const child = spawn(rgPath, ["--no-config", ...args], { cwd, stdio: ["ignore", "pipe", "ignore"] });
    child.stdout.resume();
    child.on("error", reject);
    child.on("close", resolve);
  });
}

async function compare(candidates) {
  const names = Object.keys(candidates);
  const times = Object.fromEntries(names.map((name) => [name, []]));
  for (let round = 0; round < ROUNDS; round++) {
    for (const name of round % 2 === 0 ? names : names.toReversed()) {
      const start = performance.now();
      await candidates[name]();
      times[name].push(performance.now() - start);
    }
  }
  return Object.fromEntries(names.map((name) => [name, median(times[name])]));
}

function report(title, value, reference, goal) {
  const figures = goal === 1.01 ? "" : ` ${value.toFixed(0)} / ${reference.toFixed(0)}`;
  console.log(
    `${title}:${figures} ratio ${(value / reference).toFixed(2)}${goal === undefined ? "" : ` (goal ≤ ${goal})`}`,
  );
}
