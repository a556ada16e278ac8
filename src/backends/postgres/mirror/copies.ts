// Where copies lie, and how much of them there may be: one private directory for each process, which it shows to be in use.
import fs from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { Refusal } from "../../../core/failure.ts";

export interface Holder {
  /** Takes it away; the next search makes another one. */
  drop(): void;
}

const REMOVE = { recursive: true, force: true } as const;
const BEAT_MS = 30_000;
/** Numbers of processes say nothing where containers share a directory. One that only slept finds out that its copy is gone. */
const DEAD_MS = 10 * BEAT_MS;
const NAME = "stet-copies-";
const BEAT = "in-use";

const inUse = new Map<string, Copies>();

/** All that use the same directory share its bound, which the last of them gives. */
export function copiesIn(base: string, mostBytes: number, holder: Holder): Copies {
  const key = resolve(base);
  const shared = inUse.get(key) ?? new Copies(key);
  inUse.set(key, shared);
  shared.join(holder, mostBytes);
  return shared;
}

export class Copies {
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

  /** Makes room by dropping those that were searched longest ago. False: there is none. */
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

  /** After the last one, the directory of the process is removed. */
  async leave(holder: Holder): Promise<void> {
    this.release(holder);
    this.#holders.delete(holder);
    if (this.#holders.size > 0) return;
    clearInterval(this.#beating);
    if (inUse.get(this.#base) === this) inUse.delete(this.#base);
    if (this.#own !== undefined) await this.remove(this.#own);
  }

  #begin(): string {
    const own = fs.mkdtempSync(join(privateDirectory(this.#base), NAME));
    this.#own = own;
    this.#beat();
    this.#beating ??= setInterval(() => this.#beat(), BEAT_MS).unref();
    return own;
  }

  /** By the clock of the file system, which several machines may share. */
  #beat(): void {
    if (this.#own === undefined) return;
    try {
      const [base, beat] = [dirname(this.#own), join(this.#own, BEAT)];
      fs.rmSync(beat, REMOVE);
      fs.writeFileSync(beat, "1", { mode: 0o600, flag: "wx" });
      const now = fs.lstatSync(beat).mtimeMs;
      for (const name of fs.readdirSync(base)) {
        const other = join(base, name);
        if (name.startsWith(NAME) && other !== this.#own && isDead(other, now)) void this.remove(other);
      }
    } catch {
      // deleted: another one is made when it is needed
    }
  }
}

/** Before any search asks for it. Where it cannot be made, searches do without. */
export function checkBase(base: string): void {
  try {
    privateDirectory(resolve(base));
  } catch (error) {
    if (error instanceof Refusal) throw error;
  }
}

const OTHERS_WRITE = 0o022;
const STICKY = 0o1000;

/** Its real path, made where it is missing. Refused where another user can put something else in its place. */
function privateDirectory(path: string): string {
  const above = dirname(path);
  const place = above === path ? path : join(privateDirectory(above), basename(path));
  const found = fs.lstatSync(place, { throwIfNoEntry: false });
  if (found?.isSymbolicLink()) return privateDirectory(fs.realpathSync(place));
  if (found === undefined) fs.mkdirSync(place, { recursive: true, mode: 0o700 });
  const { uid, mode } = fs.lstatSync(place);
  if (process.getuid === undefined) return place;
  if (uid !== process.getuid() && uid !== 0) throw notPrivate(place, `belongs to another user (${uid})`);
  // in a sticky directory, others cannot replace what is ours
  if ((mode & OTHERS_WRITE) !== 0 && (mode & STICKY) === 0) throw notPrivate(place, "can be written by other users");
  return place;
}

function notPrivate(place: string, why: string): Refusal {
  return new Refusal("permission_denied", `Refusing to keep copies of files below ${place}: it ${why}.`, {
    next: "Set `mirror` to a directory that only this user and root can write.",
  });
}

/** What another user made in a sticky directory is theirs to remove. */
function isDead(place: string, now: number): boolean {
  const { uid, mtimeMs } = fs.lstatSync(place);
  const beat = fs.lstatSync(join(place, BEAT), { throwIfNoEntry: false });
  return uid === (process.getuid?.() ?? uid) && now - (beat?.mtimeMs ?? mtimeMs) > DEAD_MS;
}
