// Lets a transfer hold the lock of a workspace that is open as a backend.
import type { Backend } from "../../core/backend.ts";
import { Refusal } from "../../core/failure.ts";
import type { Disk } from "./commit.ts";

type Holder = <T>(work: (held: Disk | null) => Promise<T>) => Promise<T>;

/** Of every backend that `disk` made. */
export const holders = new WeakMap<Backend, Holder>();

/** Runs `work` as the only writer of a workspace of `disk`; with null where it has no history, and none is made. */
export function holdHistory<T>(backend: Backend, work: (held: Disk | null) => Promise<T>): Promise<T> {
  const holder = holders.get(backend);
  if (holder === undefined) throw new Refusal("unsupported", "This workspace is not a directory.");
  return holder(work);
}
