// The one order of results: name by name, as a walk that goes through every directory in the order of its names.

export function comparePaths(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x !== y) return rank(x) - rank(y);
  }
  return a.length - b.length;
}

const SLASH = 47;

/** The end of a name comes before every character: "a/z" before "a.txt". */
function rank(code: number): number {
  return code === SLASH ? -1 : code;
}

/** In this order; no two may have the same path. Compared as plain text, where a NUL stands for the end of a name. */
export function inOrder<T>(items: readonly T[], pathOf: (item: T) => string): T[] {
  const byKey = new Map(items.map((item) => [pathOf(item).replaceAll("/", "\0"), item]));
  return [...byKey.keys()].sort().map((key) => byKey.get(key)!);
}
