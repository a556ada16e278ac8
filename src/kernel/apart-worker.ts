// The thread in which jobs run apart.
import { parentPort } from "node:worker_threads";
import { Refusal } from "./failure.ts";
import { JOBS } from "./jobs.ts";
import { pack, unpack } from "./packed.ts";

parentPort?.on("message", ({ job, given }: { job: keyof typeof JOBS; given: readonly unknown[] }) => {
  try {
    const work = JOBS[job] as (...args: readonly unknown[]) => unknown;
    parentPort?.postMessage({ value: pack(work(...given.map(unpack))) });
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    parentPort?.postMessage({ failure: error.failure });
  }
});
