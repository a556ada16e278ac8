// Where copies lie, and how much of them there may be: one private directory for each process, which it shows to be in use.
import fs from "node:fs";
import { join, resolve } from "node:path";

/** The copy of one workspace. */
export interface Holder {
  /** Takes it away; the next search makes another one. */
  drop(): void;
}

export interface Copies {
  /** An empty directory. */
  place(): string;
  remove(place: string): Promise<void>;
  /** Makes room by dropping those that were searched longest ago. False: there is none. */
  claim(holder: Holder, bytes: number): boolean;
  release(holder: Holder): void;
  /** After the last one, the directory of the process is removed. */
  leave(holder: Holder): Promise<void>;
}

const REMOVE = { recursive: true, force: true } as const;
const BEAT_MS = 30_000;
/** Numbers of processes say nothing where containers share a directory. One that only slept finds out that its copy is gone. */
const DEAD_MS = 10 * BEAT_MS;
const NAME = "stet-copies-";
const BEAT = "in-use";

const inUse = new Map<string, Shared>();

/** All that use the same directory share its bound, which the last of them gives. */
export function copiesIn(base: string, mostBytes: number, holder: Holder): Copies {
  const key = resolve(base);
  const shared = inUse.get(key) ?? new Shared(key);
  inUse.set(key, shared);
  shared.join(holder, mostBytes);
  return shared;
}

class Shared implements Copies {
  #mostBytes = 0;
  /** The one searched longest ago first. */
  readonly #bytes = new Map<Holder, number>();
  readonly #holders = new Set<Holder>();
  readonly #base: string;
  #own: string | undefined;
  #beating: NodeJS.Timeout | undefined;
  #count = 0;

  constructor(base: string) {
    this.#base = base;
  }

  join(holder: Holder, mostBytes: number): void {
    this.#holders.add(holder);
    this.#mostBytes = mostBytes;
  }

  place(): string {
    this.#own = this.#own !== undefined && fs.existsSync(this.#own) ? this.#own : this.#begin();
    const place = join(this.#own, String(this.#count++));
    fs.mkdirSync(place, { mode: 0o700 });
    return place;
  }

  async remove(place: string): Promise<void> {
    await fs.promises.rm(place, REMOVE).catch(() => {});
  }

  claim(holder: Holder, bytes: number): boolean {
    this.#bytes.delete(holder);
    let left = this.#mostBytes - bytes;
    if (left < 0) return false;
    for (const each of this.#bytes.values()) left -= each;
    for (const [each, had] of this.#bytes) {
      if (left >= 0) break;
      left += had;
      this.#bytes.delete(each);
      each.drop();
    }
    this.#bytes.set(holder, bytes);
    return true;
  }

  release(holder: Holder): void {
    this.#bytes.delete(holder);
  }

  async leave(holder: Holder): Promise<void> {
    this.release(holder);
    this.#holders.delete(holder);
    if (this.#holders.size > 0) return;
    clearInterval(this.#beating);
    if (inUse.get(this.#base) === this) inUse.delete(this.#base);
    if (this.#own !== undefined) await this.remove(this.#own);
  }

  #begin(): string {
    fs.mkdirSync(this.#base, { recursive: true, mode: 0o700 });
    const own = fs.mkdtempSync(join(this.#base, NAME));
    this.#own = own;
    this.#beat();
    this.#beating ??= setInterval(() => this.#beat(), BEAT_MS).unref();
    return own;
  }

  /** By the clock of the file system, which several machines may share. */
  #beat(): void {
    if (this.#own === undefined) return;
    try {
      const beat = join(this.#own, BEAT);
      fs.writeFileSync(beat, "1", { mode: 0o600 });
      const now = fs.statSync(beat).mtimeMs;
      for (const name of fs.readdirSync(this.#base)) {
        const other = join(this.#base, name);
        if (name.startsWith(NAME) && other !== this.#own && now - lastBeat(other) > DEAD_MS) void this.remove(other);
      }
    } catch {
      // deleted: another one is made when it is needed
    }
  }
}

function lastBeat(place: string): number {
  const stat = fs.lstatSync(join(place, BEAT), { throwIfNoEntry: false });
  return (stat ?? fs.lstatSync(place)).mtimeMs;
}
