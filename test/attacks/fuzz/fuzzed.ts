// Runs the fuzzer in a process of its own, which can be ended when it hangs.
import { spawn } from "node:child_process";
import { rmSync } from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { HEAVY } from "../../support/processes.ts";

const WORKER = fileURLToPath(new URL("worker.mjs", import.meta.url));
/** After which every command should have ended long ago. */
const PATIENCE_MS = HEAVY ? 10_000 : 60_000;
const MOST_MEGABYTES = 1024;
/** One defect fails many seeds. */
const MOST_PROBLEMS = 10;

/** What went wrong, each with its seed. */
export async function fuzzed(firstSeed: number, count: number): Promise<string[]> {
  const problems: string[] = [];
  for (let seed = firstSeed; seed < firstSeed + count && problems.length < MOST_PROBLEMS; seed++) {
    // After one that hangs, or ends the process, the next ones.
    seed = await untilItEnds(seed, firstSeed + count - seed, problems);
  }
  return problems.slice(0, MOST_PROBLEMS);
}

/** Gives the last seed that was begun. */
async function untilItEnds(firstSeed: number, count: number, problems: string[]): Promise<number> {
  const args = ["--max-semi-space-size=16", "--single-threaded-gc", WORKER, `${firstSeed}`, `${count}`];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"] });
  const found = (what: string) =>
    problems.push(`${what}\nAgain: ${HEAVY ? "STET_HEAVY=1 " : ""}node test/attacks/fuzz/worker.mjs ${seed} 1 --tell`);
  const patience = setTimeout(() => {
    found(`seed ${seed} hangs`);
    child.kill("SIGKILL");
  }, PATIENCE_MS);
  let seed = firstSeed;
  let directory: string | undefined;
  let done = false;
  let stderr = "";
  child.stderr.on("data", (data) => {
    stderr += data;
  });
  const closed = new Promise((resolve) => child.on("close", resolve));
  for await (const line of createInterface({ input: child.stdout })) {
    patience.refresh();
    const [, key, value = "", more] = /^(\w+) (\S+) ?(.*)$/.exec(line) ?? [];
    if (key === "in") directory = value;
    if (key === "seed") seed = Number(value);
    if (key === "seed" && Number(more) > MOST_MEGABYTES) {
      found(`before seed ${seed} the process had taken ${more} MB`);
      child.kill("SIGKILL");
    }
    if (key === "failed") found(line.slice(0, 2000));
    if (key === "done") done = true;
    if (problems.length >= MOST_PROBLEMS) child.kill("SIGKILL");
  }
  await closed;
  clearTimeout(patience);
  if (directory !== undefined) rmSync(directory, { recursive: true, force: true });
  if (!done && child.signalCode === null) found(`seed ${seed} ended the process: ${stderr.slice(0, 2000)}`);
  return seed;
}
