// The options of the disk backend.
import { FLAG, oneOf, strictOptions, validate, value } from "../../api/options.ts";
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

const PATH = value("the path of a directory", (given) => typeof given === "string" && given.trim() !== "");

const OPTIONS = strictOptions<DiskOptions>({
  root: value("the path of a directory", (given) => typeof given === "string"),
  durability: oneOf("full", "fast"),
  stateDir: PATH,
  segmentBytes: value("a positive number", (given) => isPositive(given, Number.MAX_VALUE)),
  lockMs: value(`a positive number up to ${MAX_TIMER_MS}`, (given) => isPositive(given, MAX_TIMER_MS)),
  remember: FLAG,
});

export function validateDiskOptions(given: DiskOptions): void {
  validate(given, OPTIONS);
  if (given.root === undefined || given.root === null)
    throw new Refusal("invalid_input", "The root of the workspace is missing.", { next: 'Give one: { root: "." }.' });
}

const isPositive = (given: unknown, max: number): boolean => typeof given === "number" && given > 0 && given <= max;
