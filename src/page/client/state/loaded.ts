// Something that is loaded when it is looked at: while it comes, when it failed, and again.
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { Refused } from "../../wire.ts";
import { heed, refusedOf } from "./said.ts";

export interface Loaded<T> {
  readonly value?: T;
  readonly error?: Refused;
  readonly again: () => void;
}

/**
 * `key`: another one is another thing; undefined while there is nothing to load. `turn`: another one is the same thing
 * later, and what is there stays until that has come.
 */
export function useLoaded<T>(
  key: string | undefined,
  load: (signal: AbortSignal) => Promise<T>,
  turn: number | string = 0,
): Loaded<T> {
  const found = useSignal<{ readonly key: string; readonly value: T } | undefined>(undefined);
  const error = useSignal<{ readonly key: string; readonly why: Refused } | undefined>(undefined);
  const tries = useSignal(0);
  useEffect(() => {
    if (key === undefined) return undefined;
    const stop = new AbortController();
    load(stop.signal).then(
      (value) => {
        if (stop.signal.aborted) return;
        found.value = { key, value };
        error.value = undefined;
      },
      (why: unknown) => {
        if (!stop.signal.aborted && !heed(why)) error.value = { key, why: refusedOf(why) };
      },
    );
    return () => stop.abort();
  }, [key, turn, tries.value]);
  const [now, wrong] = [found.value, error.value];
  return {
    ...(now !== undefined && now.key === key && { value: now.value }),
    ...(wrong !== undefined && wrong.key === key && { error: wrong.why }),
    again: () => {
      error.value = undefined;
      tries.value++;
    },
  };
}
