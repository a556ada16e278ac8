// Checking a journal's chain of lines one after another: what was altered, removed, moved, put in, cut off or rewritten.
import type { Entry, Sha, Verification, VerifyOptions } from "../../core/backend.ts";
import { leftUndone } from "./draft.ts";
import { GENESIS, readLine } from "./entry.ts";
import { KnownHeads } from "./signed-heads.ts";

/** Checks stored lines, in their order: each as its bytes, without a line end. */
export function verifyLines(lines: Iterable<Buffer>, options: VerifyOptions = {}): Verification {
  const chain = new Chain(options);
  for (const line of lines) if (!chain.line(line)) break;
  return chain.finish();
}

/** Goes on after a problem as if what stands there had been meant, so that each problem is told once. */
export class Chain {
  /** The first hundred. */
  readonly problems: { seq: number; problem: string }[] = [];
  readonly #unfinished: { seq: number; message: string }[] = [];
  readonly #knownHeads: KnownHeads;
  #entries = 0;
  #next = 1;
  #head: { seq: number; hash: Sha } = { seq: 0, hash: GENESIS };
  /** What the next entry may name as its `prev`; null after a gap, when anything must be believed. */
  #expected: readonly Sha[] | null = [GENESIS];

  constructor(options: VerifyOptions = {}) {
    this.#knownHeads = new KnownHeads(options, (seq, problem) => this.report(seq, problem));
  }

  /** False when so much is wrong that going on would tell nothing new. */
  line(line: Buffer): boolean {
    this.#entries++;
    const { entry, computed, intact, unfit } = readLine(line);
    const seq = this.#next;
    if (unfit !== null) {
      this.report(seq, `Entry ${seq} ${unfit}: stet did not write it so, and leaves it out.`);
      this.#pass(seq, [computed], computed);
    } else if (entry === null) {
      this.report(seq, `Entry ${seq} is not readable as an entry.`);
      this.#pass(seq, null);
    } else if (!intact) {
      this.report(seq, `Entry ${seq} was altered: its content does not have the hash it carries.`);
      this.#pass(seq, [entry.hash, computed], entry.hash);
    } else this.#intact(entry);
    return this.problems.length < MAX_PROBLEMS;
  }

  #intact(entry: Entry): void {
    const { seq, prev, hash } = entry;
    if (seq < this.#next) {
      const again = hash === this.#head.hash ? "stands there twice" : "stands there again, or in the wrong place";
      this.report(seq, `Entry ${seq} ${again}: it comes after entry ${this.#next - 1}.`);
      return;
    }
    this.missing(seq);
    if (this.#expected?.includes(prev) === false)
      this.report(seq, `Entry ${seq} does not follow the entry before it: one of them was put in or replaced.`);
    this.#pass(seq, [hash], hash);
    this.#knownHeads.pass(entry);
    const message = leftUndone(entry);
    if (message !== undefined && this.#unfinished.length < MAX_PROBLEMS) this.#unfinished.push({ seq, message });
  }

  /** Entries up to, but without, `seq` are not there. */
  missing(seq: number): void {
    if (seq <= this.#next) return;
    const last = seq - 1;
    const what = last === this.#next ? `Entry ${last} is` : `Entries ${this.#next} to ${last} are`;
    this.report(this.#next, `${what} missing: removed, or moved elsewhere.`);
    this.#pass(last, null);
  }

  /** Where the journal ends by what is written beside it. */
  end({ seq, hash }: { readonly seq: number; readonly hash: string }): void {
    this.missing(seq + 1);
    if (seq < this.#next - 1)
      this.report(seq, `The journal is said to end at entry ${seq}, and goes on to entry ${this.#next - 1}.`);
    else if (this.#head.seq === seq && this.#head.hash !== hash)
      this.report(seq, `The journal is said to end with another entry ${seq} than the one that is there.`);
  }

  report(seq: number, problem: string): void {
    if (this.problems.length < MAX_PROBLEMS) this.problems.push({ seq, problem });
  }

  /** The number that the next entry should have. */
  get next(): number {
    return this.#next;
  }

  finish(): Verification {
    this.#knownHeads.finish(this.#head.seq);
    return {
      ok: this.problems.length === 0,
      entries: this.#entries,
      head: this.#head,
      problems: this.problems,
      signedHeads: this.#knownHeads.believed,
      ...(this.#unfinished.length > 0 && { unfinished: this.#unfinished }),
    };
  }

  #pass(seq: number, expected: readonly Sha[] | null, hash?: Sha): void {
    this.#next = seq + 1;
    this.#expected = expected;
    if (hash !== undefined) this.#head = { seq, hash };
  }
}

const MAX_PROBLEMS = 100;
