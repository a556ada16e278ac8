// The thread in which regular expressions run, so that one that would take for ever is ended with it.
import { Worker } from "node:worker_threads";
import type { Cancellation } from "../../core/cancellation.ts";
import { type Deadline, timerMs } from "../../core/deadline.ts";
import { Refusal } from "../../core/failure.ts";
import { cancelled, noneLeft, SIMPLER, tookTooLong } from "../endings.ts";
import { type Scanned, type ScanRequest, scan } from "./scan.ts";

/** Source text, not a file: it runs from sources, from a build and from a bundle alike. */
const PROGRAM = `
const { parentPort } = require("node:worker_threads");
const scan = ${scan.toString()};
parentPort.on("message", (request) => parentPort.postMessage(scan(request)));
`;

/** Started once and kept for the next search; it does not keep the process alive. */
let idle: Worker | undefined;

export function scanInWorker(
  request: ScanRequest,
  deadline: Deadline,
  signal: Cancellation | undefined,
): Promise<readonly Scanned[]> {
  deadline.check();
  const worker = idle ?? started();
  idle = undefined;
  worker.ref();
  return new Promise((resolve, reject) => {
    const settle = (finish: () => void) => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", stop);
      worker.off("message", answered).off("error", failed);
      worker.unref();
      finish();
    };
    const stop = () =>
      settle(() => {
        void worker.terminate();
        reject(signal?.aborted ? cancelled(signal) : tookTooLong());
      });
    const answered = (answer: readonly Scanned[]) =>
      settle(() => {
        if (idle === undefined) idle = worker;
        else void worker.terminate();
        resolve(answer);
      });
    const failed = (error: Error) => settle(() => reject(refusalOf(error)));
    const timer = setTimeout(stop, timerMs(deadline));
    signal?.addEventListener("abort", stop);
    worker.on("message", answered).on("error", failed);
    worker.postMessage(
      request,
      request.files.map(({ buffer }) => buffer as ArrayBuffer),
    );
  });
}

function started(): Worker {
  try {
    return new Worker(PROGRAM, { eval: true, execArgv: [] });
  } catch (error) {
    throw refusalOf(error as Error);
  }
}

/** What is none of these is a defect and stays as it is. */
function refusalOf(error: Error & { readonly code?: string }): Error {
  if (error.code === NO_THREAD) return noneLeft(NO_THREAD, error);
  return error instanceof RangeError ? exhausted(error) : error;
}

const NO_THREAD = "ERR_WORKER_INIT_FAILED";

function exhausted(error: RangeError): Refusal {
  return new Refusal("pattern_too_complex", `The pattern needs more memory than there is: ${error.message}.`, {
    next: SIMPLER,
  });
}
