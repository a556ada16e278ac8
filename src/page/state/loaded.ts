// Something that is loaded when it is looked at: while it comes, when it failed, and again.
import { type Signal, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { complain } from "./said.ts";

export interface Loaded<T> {
  readonly value?: T;
  readonly error?: string;
  readonly again: () => void;
}

/** `key`: another one is another thing. Undefined while there is nothing to load. */
export function useLoaded<T>(key: string | undefined, load: (signal: AbortSignal) => Promise<T>): Loaded<T> {
  const value: Signal<T | undefined> = useSignal<T | undefined>(undefined);
  const error = useSignal<string | undefined>(undefined);
  const turn = useSignal(0);
  const now = turn.value;
  useEffect(() => {
    value.value = undefined;
    error.value = undefined;
    if (key === undefined) return undefined;
    const stop = new AbortController();
    load(stop.signal).then(
      (found) => {
        if (!stop.signal.aborted) value.value = found;
      },
      (why: unknown) => {
        if (stop.signal.aborted) return;
        error.value = why instanceof Error ? why.message : String(why);
        complain(why);
      },
    );
    return () => stop.abort();
  }, [key, now]);
  return {
    ...(value.value !== undefined && { value: value.value }),
    ...(error.value !== undefined && { error: error.value }),
    again: () => {
      turn.value++;
    },
  };
}
