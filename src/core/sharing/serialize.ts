// A queue per key: work for one key runs in the order it came.

/** Runs the work of one key in the order in which it came, whether or not the work before it failed. */
export function serializer(): <T>(key: string, work: () => Promise<T>) => Promise<T> {
  const last = new Map<string, Promise<unknown>>();
  return (key, work) => {
    const working = last.get(key)?.then(work, work) ?? work();
    const over = (): void => void (last.get(key) === working && last.delete(key));
    last.set(key, working);
    working.then(over, over);
    return working;
  };
}
