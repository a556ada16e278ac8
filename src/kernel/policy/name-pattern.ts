// Names against wildcards in one pass: every place that a match may have reached is one bit, so nothing is tried twice.

/** Patterns side by side. A place waits for a character, or for nothing where it only leads on to others. */
interface Layout {
  size: number;
  readonly starts: number[];
  readonly ends: number[];
  /** Places that wait for any character. */
  readonly any: number[];
  readonly letters: Map<number, number[]>;
  /** By the text of the set. */
  readonly sets: Map<string, number[]>;
  /** Places that stay, whatever character comes: stars. */
  readonly loops: number[];
  /** Reached without a character; always forwards. */
  readonly jumps: (readonly [from: number, to: number])[];
}

/** Whether a name fits one of these patterns: literals, `*`, `?`, `[a-z]`, `{a,b}`. Throws where a set makes no sense. */
export function namePattern(patterns: readonly string[]): (name: string) => boolean {
  const layout: Layout = {
    size: 0,
    starts: [],
    ends: [],
    any: [],
    letters: new Map(),
    sets: new Map(),
    loops: [],
    jumps: [],
  };
  for (const pattern of patterns) {
    layout.starts.push(layout.size);
    layOut(pattern, layout);
    layout.ends.push(layout.size++);
  }
  return compiled(layout);
}

function layOut(pattern: string, layout: Layout): void {
  const { any, letters, sets, loops, jumps } = layout;
  let at = 0;

  const sequence = (inBraces: boolean): void => {
    while (at < pattern.length) {
      const character = pattern[at]!;
      if (inBraces && (character === "," || character === "}")) return;
      at++;
      if (character === "*") loops.push(layout.size);
      else if (character === "?") any.push(layout.size++);
      else if (character === "[") set();
      else if (character === "{") braces();
      else literal(character);
    }
  };

  const literal = (text: string): void => {
    for (let n = 0; n < text.length; n++) add(letters, text.charCodeAt(n), layout.size++);
  };

  const set = (): void => {
    const inside = pattern.slice(at, pattern.indexOf("]", at));
    at += inside.length + 1;
    const one = (): void => add(sets, inside.replace(/^!/, "^"), layout.size++);
    // "[id]" and "[...slug]" are also names of files, in projects that have routes.
    choice([one, () => literal(`[${inside}]`)].values());
  };

  const braces = (): void =>
    choice(
      (function* () {
        do yield () => sequence(true);
        while (pattern[at++] === ",");
      })(),
    );

  const choice = (ways: Iterable<() => void>): void => {
    const entry = layout.size++;
    const ends: number[] = [];
    for (const way of ways) {
      jumps.push([entry, layout.size]);
      way();
      ends.push(layout.size++);
    }
    for (const end of ends) jumps.push([end, layout.size]);
  };

  sequence(false);
}

function compiled(layout: Layout): (name: string) => boolean {
  const words = (layout.size >>> 5) + 1;
  // In the order of where they start, so that one pass finds what leads on to what.
  const jumps = Int32Array.from(layout.jumps.toSorted(([a], [b]) => a - b).flat());
  const loops = bits(words, layout.loops);
  const ends = bits(words, layout.ends);
  const starts = bits(words, layout.starts);
  follow(jumps, starts);
  const waiting = waitingFor(layout, words);
  let now = new Uint32Array(words);
  let next = new Uint32Array(words);
  return (name) => {
    now.set(starts);
    for (let n = 0; n < name.length; n++) {
      const accepting = waiting(name.charCodeAt(n));
      let carry = 0;
      let alive = 0;
      for (let word = 0; word < words; word++) {
        const moving = now[word]! & accepting[word]!;
        const reached = (moving << 1) | carry | (now[word]! & loops[word]!);
        carry = moving >>> 31;
        alive |= reached;
        next[word] = reached;
      }
      if (alive === 0) return false;
      follow(jumps, next);
      [now, next] = [next, now];
    }
    return now.some((word, at) => (word & ends[at]!) !== 0);
  };
}

/** For a character: all places that wait for it. */
function waitingFor({ any, letters, sets }: Layout, words: number): (code: number) => Uint32Array {
  const always = bits(words, any);
  const classes = [...sets].map(([inside, places]) => ({ set: new RegExp(`^[${inside}]$`), places }));
  const find = (code: number): Uint32Array => {
    const places = always.slice();
    mark(places, letters.get(code) ?? []);
    const character = String.fromCharCode(code);
    for (const { set, places: more } of classes) if (set.test(character)) mark(places, more);
    return places;
  };
  const ascii: (Uint32Array | undefined)[] = new Array(128).fill(undefined);
  const others = new Map<number, Uint32Array>();
  return (code) => {
    const known = ascii[code] ?? others.get(code);
    if (known !== undefined) return known;
    const places = find(code);
    if (others.size >= MOST_OTHERS) others.clear();
    if (code < 128) ascii[code] = places;
    else others.set(code, places);
    return places;
  };
}

/** Characters that are remembered, beside the usual ones. */
const MOST_OTHERS = 64;

function follow(jumps: Int32Array, reached: Uint32Array): void {
  for (let n = 0; n < jumps.length; n += 2) {
    const from = jumps[n]!;
    if ((reached[from >>> 5]! & (1 << (from & 31))) === 0) continue;
    const to = jumps[n + 1]!;
    reached[to >>> 5]! |= 1 << (to & 31);
  }
}

function bits(words: number, places: readonly number[]): Uint32Array<ArrayBuffer> {
  const all = new Uint32Array(words);
  mark(all, places);
  return all;
}

function mark(all: Uint32Array, places: readonly number[]): void {
  for (const place of places) all[place >>> 5]! |= 1 << (place & 31);
}

function add<Key>(places: Map<Key, number[]>, key: Key, place: number): void {
  const known = places.get(key);
  if (known === undefined) places.set(key, [place]);
  else known.push(place);
}
