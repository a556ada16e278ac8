// A naive model of a history: what files hold, which entries are in effect, which versions must still be had back, and what an undo must do.
import { createHash } from "node:crypto";
import { type Entry, Refusal, type UndoWhat } from "stet";
import { expect } from "vitest";

export function sha(content: string): string {
  return createHash("sha256").update(content).digest("hex");
}

export class Model {
  readonly files = new Map<string, string>();
  readonly texts = new Map<string, string>();
  /** Taken from the journal after they were compared with it. */
  readonly entries: Entry[] = [];
  /** What the journal says last of each path; what another program wrote is noticed later. */
  readonly #known = new Map<string, string | null>();
  /** Versions that must be had back: every one before or after a change, until it is purged or collected. */
  readonly #kept = new Set<string>();
  /** What undos and restorations took back, as it was asked for. */
  readonly #takes = new Map<number, readonly number[]>();

  put(path: string, content: string | null): void {
    if (content === null) this.files.delete(path);
    else this.files.set(path, content);
    if (content !== null) this.texts.set(sha(content), content);
  }

  /** New entries begin where the last ones ended. */
  heard(entry: Entry): void {
    for (const { path, from, to } of happened(entry) ? entry.changes : []) {
      // What was there before the journal knew of a file is no news to it.
      if (this.#known.has(path)) expect(from, `entry ${entry.seq}, ${path}`).toBe(this.#known.get(path));
      this.#known.set(path, to);
      for (const version of [from, to]) if (version !== null) this.#kept.add(version);
    }
    this.entries.push(entry);
  }

  /** Changes that are not taken back. What one of `together` took back counts again. */
  inEffect(together: ReadonlySet<number> = new Set()): Entry[] {
    const back = new Set<number>();
    const made = this.entries.filter((entry) => happened(entry) && entry.changes.length > 0);
    for (const { seq } of made.toReversed())
      if (!back.has(seq) && !together.has(seq)) for (const each of this.#takes.get(seq) ?? []) back.add(each);
    return made.filter(({ seq }) => !back.has(seq));
  }

  /** Deletions of one file that can be restored or purged. */
  trash(): Entry[] {
    return this.inEffect().filter(({ changes }) => changes.length === 1 && changes[0]!.to === null);
  }

  /** Checks what was told of an undo, and does it. `since`: so many entries were there before it. */
  undone(what: UndoWhat, told: readonly number[] | Refusal, since: number): void {
    const made = told instanceof Refusal ? undefined : this.#madeSince(since);
    const entries = this.#toUndo(what, made?.seq ?? Number.POSITIVE_INFINITY);
    if (told instanceof Refusal) {
      expect(this.#canUndo(entries), `${JSON.stringify(what)}: ${told}`).toBe(false);
      return;
    }
    const seqs = entries.map(({ seq }) => seq);
    expect([...told].sort(byNumber), `told of ${JSON.stringify(what)}`).toEqual(seqs);
    if (made !== undefined) this.#took(made, seqs);
    for (const { changes } of entries.toReversed())
      for (const { path, from } of changes) this.put(path, from === null ? null : this.texts.get(from)!);
  }

  /** A deletion was taken back. */
  restored(deletion: Entry, since: number): void {
    const made = this.#madeSince(since);
    if (made !== undefined) this.#took(made, [deletion.seq]);
    const [{ path, from }] = deletion.changes as [Entry["changes"][number]];
    this.put(path, this.texts.get(from!)!);
  }

  purged(version: string): void {
    this.#kept.delete(version);
  }

  /** The store before and after garbage was collected, so many versions of each path left: what the rule does not drop is there. */
  collected(before: ReadonlySet<string>, after: ReadonlySet<string>, max: number): void {
    this.keeps(before);
    const byPath = new Map<string, string[]>();
    const needed = new Set([...this.#known.values()].filter((version) => version !== null));
    const open = this.entries.find(({ details }) => details?.opened !== undefined)?.seq ?? Number.POSITIVE_INFINITY;
    for (const { seq, changes } of this.entries.filter(happened))
      for (const { path, from, to } of changes)
        for (const version of [from, to].filter((each) => each !== null && before.has(each)) as string[]) {
          byPath.set(path, [...(byPath.get(path) ?? []).filter((other) => other !== version), version]);
          if (seq > open) needed.add(version);
        }
    for (const all of byPath.values()) for (const version of max > 0 ? all.slice(-max) : []) needed.add(version);
    const named = max > 0 ? [...byPath.values()].flat() : [...before];
    const dropped = new Set(named.filter((version) => !needed.has(version)));
    expect([...after].sort(), "kept by gc").toEqual([...before].filter((version) => !dropped.has(version)).sort());
    for (const version of dropped) this.#kept.delete(version);
  }

  keeps(store: ReadonlySet<string>): void {
    expect(
      [...this.#kept].filter((version) => !store.has(version)),
      "versions that are lost",
    ).toEqual([]);
  }

  /** The one entry that a call wrote to change files. */
  #madeSince(since: number): Entry | undefined {
    return this.entries.slice(since).find(({ outcome }) => outcome === "applied");
  }

  #took(made: Entry, seqs: readonly number[]): void {
    expect([...(made.of ?? [])].sort(byNumber), `entry ${made.seq} says what it took back`).toEqual(seqs);
    this.#takes.set(made.seq, seqs);
  }

  #toUndo(what: UndoWhat, before: number): Entry[] {
    if ("entry" in what) return this.entries.filter(({ seq }) => seq === what.entry);
    const fits = ({ seq, session, outcome, changes }: Entry): boolean =>
      seq < before &&
      seq >= (what.sinceSeq ?? 0) &&
      (what.session === undefined || (session === what.session && outcome === "applied")) &&
      (what.path === undefined || changes.some(({ path }) => path === what.path));
    const fitting = this.entries.filter((entry) => happened(entry) && fits(entry));
    return this.inEffect(new Set(fitting.map(({ seq }) => seq))).filter(fits);
  }

  /** As long as all is kept and nothing else has changed these files since. */
  #canUndo(entries: readonly Entry[]): boolean {
    const now = new Map([...this.files].map(([path, content]): [string, string | null] => [path, sha(content)]));
    return (
      entries.length > 0 &&
      entries.toReversed().every(({ changes }) =>
        changes.every(({ path, from, to }) => {
          if ((now.get(path) ?? null) !== to || (from !== null && !this.#kept.has(from))) return false;
          now.set(path, from);
          return true;
        }),
      )
    );
  }
}

const happened = ({ outcome }: Entry): boolean => outcome === "applied" || outcome === "external";
const byNumber = (one: number, other: number): number => one - other;
