// The options of the disk backend, looked at before anything is opened: a slip of the pen must not weaken a promise.
import { MAX_TIMER_MS } from "../../core/deadline.ts";
import { Refusal } from "../../core/failure.ts";
import type { Durability } from "./flushes.ts";

/** Where the files are, and how they are kept. */
export interface DiskOptions {
  /** The directory. It must exist. */
  readonly root: string;
  /** "full": a change that was reported is on disk, also after a power failure. "fast": safe from crashes of processes only. */
  readonly durability?: Durability;
  /** Where the histories of all roots lie, if not in the user's own directory for such things. */
  readonly stateDir?: string;
  /** The size of one file of the journal. */
  readonly segmentBytes?: number;
  /** How long to wait for another process that holds the lock. */
  readonly lockMs?: number;
  /** True: what a session saw is kept with the history, for the next process that names this session. Default: false. */
  readonly remember?: boolean;
}

export function checkDiskOptions(given: DiskOptions): void {
  if (given?.root === undefined || given.root === null) {
    throw new Refusal("invalid_input", "The root of the workspace is missing.", { next: 'Give one: { root: "." }.' });
  }
  for (const [name, value] of Object.entries(given)) {
    if (!Object.hasOwn(CHECKS, name)) {
      throw new Refusal("invalid_input", `The disk backend has no option ${JSON.stringify(name)}.`, {
        next: `Its options are ${Object.keys(CHECKS).join(", ")}.`,
      });
    }
    const { holds, words } = CHECKS[name as keyof DiskOptions];
    if (value === undefined || holds(value)) continue;
    const found = typeof value === "number" ? String(value) : JSON.stringify(value);
    throw new Refusal("invalid_input", `${name} must be ${words}, not ${found}.`);
  }
}

interface Check {
  readonly words: string;
  holds(value: unknown): boolean;
}

const DURABILITIES: readonly unknown[] = ["full", "fast"] satisfies readonly Durability[];

const CHECKS: Readonly<Record<keyof DiskOptions, Check>> = {
  root: { words: "the path of a directory", holds: (value) => typeof value === "string" },
  durability: { words: '"full" or "fast"', holds: (value) => DURABILITIES.includes(value) },
  stateDir: {
    words: "the path of a directory",
    holds: (value) => typeof value === "string" && value.trim() !== "",
  },
  segmentBytes: { words: "a positive number", holds: (value) => isPositive(value, Number.MAX_VALUE) },
  lockMs: { words: `a positive number up to ${MAX_TIMER_MS}`, holds: (value) => isPositive(value, MAX_TIMER_MS) },
  remember: { words: "true or false", holds: (value) => typeof value === "boolean" },
};

function isPositive(value: unknown, most: number): boolean {
  return typeof value === "number" && value > 0 && value <= most;
}
