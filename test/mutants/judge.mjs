// Judges one mutant after the other in a copy of the tree of its own.
import { fork } from "node:child_process";
import { once } from "node:events";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { copiedTree } from "./tree.mjs";

/** So long may the tests of one run have taken without a mutant: the quick ones kill most, the others are asked about what is left. */
const STAGES_MS = [2_000, 15_000];

/** `witnesses` tells the tests that pass the place of a mutant, with the time they take, the most telling first. */
export function createJudge(root, { witnesses, mostMs }) {
  const tree = copiedTree(root);
  const doubted = new Set();
  const proven = new Set();
  let runner;

  async function started() {
    if (runner !== undefined) return runner;
    const script = join(tree, "test/mutants/runner.mjs");
    const child = fork(script, { cwd: tree, detached: true, stdio: ["ignore", "ignore", "ignore", "ipc"] });
    await Promise.race([once(child, "message"), once(child, "exit")]);
    runner = child;
    return child;
  }

  function end() {
    if (runner === undefined) return;
    try {
      process.kill(-runner.pid, "SIGKILL");
    } catch {}
    runner = undefined;
  }

  /** "late" when it does not end: then its process has been ended. */
  async function run(changed, tests, deadlineMs) {
    const child = await started();
    child.send({ changed: join(tree, changed), tests });
    const over = new AbortController();
    const answer = await Promise.race([
      once(child, "message", { signal: over.signal }).then(([message]) => message),
      once(child, "exit", { signal: over.signal }).then(() => "late"),
      new Promise((resolve) => {
        const timer = setTimeout(resolve, deadlineMs, "late");
        over.signal.addEventListener("abort", () => clearTimeout(timer));
      }),
    ]).catch(() => "late");
    over.abort();
    if (answer === "late") end();
    return answer;
  }

  function blamedIn(answer, tests) {
    if (answer === "late") return tests;
    const failed = answer.failed.map((path) => relative(tree, path));
    return failed.length === 0 && answer.unhandled > 0 ? tests : failed;
  }

  /** Whether one of them holds here without a mutant; asked once of each. */
  async function isProven(file, tests) {
    for (const test of tests.filter((each) => !proven.has(each))) {
      const answer = await run(file, [test], 120_000);
      (blamedIn(answer, [test]).length === 0 ? proven : doubted).add(test);
    }
    return tests.some((test) => proven.has(test));
  }

  /** @returns {Promise<{ outcome: "killed" | "late" | "survived" | "untested", by?: string, ran: number }>} */
  async function judge(mutant) {
    const { file, start, end: until, text } = mutant;
    const place = join(tree, file);
    const original = readFileSync(place, "utf8");
    let ran = 0;
    const mutate = () => writeFileSync(place, original.slice(0, start) + text + original.slice(until));
    try {
      mutate();
      for (const stage of inStages(witnesses(mutant), mostMs)) {
        const deadlineMs = 20_000 + 6 * stage.reduce((sum, { ms }) => sum + ms, 0);
        const isTrusted = (test) => !doubted.has(test);
        const named = stage.map(({ test }) => test);
        // the first that fails keeps the others from being heard: without it they are asked again
        for (let tests = named.filter(isTrusted); tests.length > 0; tests = tests.filter(isTrusted)) {
          const answer = await run(file, tests, deadlineMs);
          ran += tests.length;
          const blamed = blamedIn(answer, tests);
          if (blamed.length === 0) break;
          const again = blamedIn(await run(file, blamed, deadlineMs), blamed);
          writeFileSync(place, original);
          if (again.length > 0 && (await isProven(file, again)))
            return { outcome: answer === "late" ? "late" : "killed", by: again[0], ran };
          mutate();
          // a test that fails now and then is no witness
          for (const test of blamed) doubted.add(test);
        }
      }
    } finally {
      writeFileSync(place, original);
    }
    return { outcome: ran === 0 ? "untested" : "survived", ran };
  }

  return {
    judge,
    close() {
      end();
      rmSync(tree, { recursive: true, force: true });
    },
  };
}

function inStages(witnesses, mostMs) {
  const ends = [...STAGES_MS.filter((ms) => ms < mostMs), mostMs];
  const stages = ends.map(() => []);
  let sum = 0;
  for (const witness of witnesses) {
    if (sum + witness.ms > mostMs) continue;
    sum += witness.ms;
    stages[ends.findIndex((most) => sum <= most)].push(witness);
  }
  return stages.filter((stage) => stage.length > 0);
}
