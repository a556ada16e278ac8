// Judges one mutant after the other in a copy of the tree of its own.
import { fork } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";

const COPIED = ["src", "test", "bench", "examples", "docs", "package.json", "tsconfig.json", "vitest.config.ts"];
const LINKED = ["node_modules", "dist", "README.md", "CONTRIBUTING.md", "SECURITY.md", "stet.schema.json"];

export function createJudge(root, { deadlineMs, related, mostTests }) {
  // the nearest tests kill most mutants; the others are asked only about what is left
  const stages = [3, 14, mostTests].filter((upTo) => upTo <= mostTests);
  const tree = realpathSync(mkdtempSync(join(tmpdir(), "stet-mutants-")));
  for (const name of COPIED) cpSync(join(root, name), join(tree, name), { recursive: true });
  for (const name of LINKED) symlinkSync(join(root, name), join(tree, name));
  const unfit = new Set();
  const fit = new Set();
  const isFit = (test) => !unfit.has(test);
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
  async function run(changed, tests) {
    const child = await started();
    child.send({ changed: join(tree, changed), tests });
    const timer = new AbortController();
    const late = new Promise((resolve) => {
      setTimeout(resolve, deadlineMs, "late");
    });
    const answer = await Promise.race([
      once(child, "message", { signal: timer.signal }).then(([message]) => message),
      once(child, "exit", { signal: timer.signal }).then(() => "late"),
      late,
    ]).catch(() => "late");
    timer.abort();
    if (answer === "late") end();
    return answer;
  }

  function blamedIn(answer, tests) {
    if (answer === "late") return tests;
    const failed = answer.failed.map((path) => relative(tree, path));
    return failed.length === 0 && answer.unhandled > 0 ? tests : failed;
  }

  /** Whether these tests hold without a mutant; asked once of each. */
  async function areFit(file, tests) {
    for (const test of tests) {
      if (fit.has(test)) continue;
      const answer = await run(file, [test]);
      (answer !== "late" && answer.failed.length === 0 && answer.unhandled === 0 ? fit : unfit).add(test);
    }
    return tests.some((test) => fit.has(test));
  }

  /** @returns {Promise<{ outcome: "killed" | "late" | "survived" | "untested", by?: string, ran: number }>} */
  async function judge({ file, start, end: until, text }) {
    const place = join(tree, file);
    const original = readFileSync(place, "utf8");
    const all = related(file);
    let ran = 0;
    let from = 0;
    for (const upTo of stages) {
      const stage = all.slice(from, upTo);
      from = upTo;
      for (let tests = stage.filter(isFit); tests.length > 0; tests = stage.filter(isFit)) {
        writeFileSync(place, original.slice(0, start) + text + original.slice(until));
        const answer = await run(file, tests);
        ran += tests.length;
        const blamed = blamedIn(answer, tests);
        const again = blamed.length > 0 && blamedIn(await run(file, blamed), blamed).length > 0;
        writeFileSync(place, original);
        if (blamed.length === 0) break;
        if (again && (await areFit(file, blamed)))
          return { outcome: answer === "late" ? "late" : "killed", by: blamed[0], ran };
        // a test that fails now and then is no witness, and the first that fails keeps the others from being heard
        for (const test of blamed) unfit.add(test);
      }
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
