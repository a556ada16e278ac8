// The one order of results: name by name, as a walk that enters every directory in the order of its names.

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

/** The end of a name sorts before every character: "a/z" before "a.txt". */
function rank(code: number): number {
  return code === SLASH ? -1 : code;
}
