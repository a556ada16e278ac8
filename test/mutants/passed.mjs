// Which tests pass which places of the code: one run of them all, in a copy of the tree that writes it down.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { marked, placesOf } from "./places.mjs";
import { filesIn } from "./related.mjs";
import { copiedTree } from "./tree.mjs";

/** Runs before each file of tests. */
const COLLECTOR = `
import { afterAll as afterAllOfFile, afterEach as afterEachOfFile, expect as inFile } from "vitest";
import { writeFileSync as writePassed } from "node:fs";
globalThis.placesPassed = new Uint8Array(2 ** 16);
const fileStarted = performance.now();
let isFit = true;
afterEachOfFile(({ task }) => { if (task.result?.state === "fail") isFit = false; });
afterAllOfFile(() => {
  const places = [];
  for (const [place, isPassed] of globalThis.placesPassed.entries()) if (isPassed) places.push(place);
  const test = inFile.getState().testPath;
  const ms = Math.round(performance.now() - fileStarted);
  const name = \`\${process.env.PLACES_PASSED}/\${test.replaceAll("/", "+")}.json\`;
  writePassed(name, JSON.stringify({ test, isFit, ms, places }));
});
`;

/** Of every test file that holds: how long it takes, and the places it passes; kept in `file` when one is named. */
export async function passedBy(root, tests, { file, jobs }) {
  const places = numbered(root);
  const known = file !== undefined && existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : {};
  const missing = tests.filter((test) => known[test] === undefined);
  if (missing.length > 0) {
    Object.assign(known, await measured(root, missing, places, jobs));
    if (file !== undefined) writeFileSync(file, JSON.stringify(known));
  }
  return { places, tests: new Map(Object.entries(known).map(([test, found]) => [test, new Found(found)])) };
}

class Found {
  constructor({ isFit, ms, places }) {
    this.isFit = isFit;
    this.ms = ms;
    this.places = new Set(places);
  }
}

/** The places of each file, and the number of its first one among those of all. */
function numbered(root) {
  let first = 0;
  const all = new Map();
  for (const file of filesIn(root, "src").sort()) {
    const source = file.endsWith(".ts") ? readFileSync(join(root, file), "utf8") : "#!";
    if (source.startsWith("#!")) continue;
    const places = placesOf(file, source);
    all.set(file, { first, places });
    first += places.length;
  }
  return all;
}

async function measured(root, tests, places, jobs) {
  const tree = copiedTree(root);
  const found = {};
  try {
    for (const [file, { first, places: own }] of places)
      writeFileSync(join(tree, file), marked(readFileSync(join(tree, file), "utf8"), own, first));
    appendFileSync(join(tree, "test/support/same-chances.ts"), COLLECTOR);
    const notes = join(tree, "passed");
    mkdirSync(notes);
    const args = ["run", "--reporter=dot", `--maxWorkers=${jobs}`, ...tests];
    const child = spawn(join(tree, "node_modules/.bin/vitest"), args, {
      cwd: tree,
      env: { ...process.env, PLACES_PASSED: notes },
      stdio: "ignore",
    });
    const end = () => child.kill();
    process.once("exit", end);
    await once(child, "exit");
    process.off("exit", end);
    for (const test of tests) found[test] = { isFit: false, ms: 0, places: [] };
    for (const name of readdirSync(notes)) {
      const { test, ...rest } = JSON.parse(readFileSync(join(notes, name), "utf8"));
      found[relative(tree, test)] = rest;
    }
  } finally {
    rmSync(tree, { recursive: true, force: true });
  }
  return found;
}
