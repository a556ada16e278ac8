// The program of a worker: does jobs one after the other.
import { parentPort } from "node:worker_threads";
import { Refusal } from "../core/failure.ts";
import { JOBS } from "./jobs.ts";

const answer = (message: object): void => {
  if (parentPort === null) process.send?.(message);
  else parentPort.postMessage(message);
};

(parentPort ?? process).on("message", ({ job, given }: { job: keyof typeof JOBS; given: readonly unknown[] }) => {
  try {
    const work = JOBS[job] as (...args: readonly unknown[]) => unknown;
    answer({ value: work(...given) });
  } catch (error) {
    const isRefusal = error instanceof Refusal;
    const refused = isRefusal && { failure: error.failure, reason: error.reason, facts: error.facts };
    answer(refused ? { refused } : { defect: String((error as Error)?.stack ?? error) });
  }
});
process.on("disconnect", () => process.exit());
