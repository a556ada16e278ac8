// What is known about a journal from elsewhere: an expected head, signed checkpoints. Only these show a cut or rewritten log.
import type { KeyObject } from "node:crypto";
import type { Entry, VerifyOptions } from "../../core/backend.ts";
import { Refusal } from "../../core/failure.ts";
import { GENESIS } from "./entry.ts";
import { CHECKPOINT_TOOL, type Checkpoint, parseCheckpoint, publicKeyOf, verifyCheckpoint } from "./signed-heads.ts";

type Report = (seq: number, problem: string) => void;

export class Anchors {
  /** Checkpoints whose signature is by one of the given keys. */
  believed = 0;
  readonly #report: Report;
  readonly #keys: readonly KeyObject[];
  readonly #signed = new Map<string, boolean>();
  readonly #bySeq = new Map<number, Anchor[]>();
  #wantedHash: string | null = null;

  constructor(options: VerifyOptions, checkpoints: readonly string[], report: Report) {
    this.#report = report;
    this.#keys = (options.publicKeys ?? []).map(publicKeyOf);
    if (options.expectedHead !== undefined) this.#expect(options.expectedHead.trim());
    for (const text of checkpoints) this.#addCheckpoint(text, "A checkpoint beside the journal");
  }

  /** One entry of the journal, in order. */
  pass(entry: Entry): void {
    if (entry.hash === this.#wantedHash) this.#wantedHash = null;
    const anchors = this.#bySeq.get(entry.seq);
    if (anchors !== undefined) {
      for (const { hash, from } of anchors) {
        if (hash === entry.hash) continue;
        this.#report(entry.seq, `${from} names another entry ${entry.seq}: the journal was rewritten.`);
      }
      this.#bySeq.delete(entry.seq);
    }
    if (entry.outcome === "note" && entry.tool === CHECKPOINT_TOOL) this.#noteOf(entry);
  }

  finish(lastSeq: number): void {
    for (const [seq, [anchor]] of this.#bySeq) {
      if (seq <= lastSeq || anchor === undefined) continue;
      this.#report(seq, `${anchor.from} names entry ${seq}, but the journal ends at ${lastSeq}: its tail was cut off.`);
    }
    if (this.#wantedHash !== null) {
      this.#report(lastSeq, "No entry has the expected hash: the tail was cut off or the journal was rewritten.");
    }
    if (this.#keys.length > 0 && this.believed === 0 && lastSeq > 0) {
      this.#report(
        lastSeq,
        "No checkpoint is signed by a given key: nothing shows that the journal was not rewritten.",
      );
    }
  }

  #expect(expected: string): void {
    if (parseCheckpoint(expected) !== null) {
      this.#addCheckpoint(expected, "The expected checkpoint");
      return;
    }
    const [, seq, hash] = HEAD.exec(expected) ?? [];
    if (hash === undefined) {
      throw new Refusal("invalid_input", "The expected head is neither <seq>:<hash>, nor a hash, nor a checkpoint.", {
        next: "Give it as it was printed when it was taken.",
      });
    }
    if (seq === undefined) this.#wantedHash = hash === GENESIS ? null : hash;
    if (seq !== undefined) this.#add(Number(seq), { hash, from: "The expected head" });
  }

  #addCheckpoint(text: string, from: string): void {
    const checkpoint = parseCheckpoint(text);
    if (checkpoint === null) {
      this.#report(0, `${from} is not readable as a checkpoint.`);
      return;
    }
    if (!this.#isBelieved(text, checkpoint)) {
      this.#report(checkpoint.seq, `${from}, for entry ${checkpoint.seq}, is not signed by a given key.`);
      return;
    }
    this.#add(checkpoint.seq, { hash: checkpoint.head, from });
  }

  #noteOf(entry: Entry): void {
    const text = entry.details?.checkpoint;
    const checkpoint = typeof text === "string" ? parseCheckpoint(text) : null;
    if (typeof text !== "string" || checkpoint === null) {
      this.#report(entry.seq, `Entry ${entry.seq} should carry a checkpoint and does not.`);
      return;
    }
    if (!this.#isBelieved(text, checkpoint)) {
      this.#report(entry.seq, `The checkpoint in entry ${entry.seq} is not signed by a given key.`);
      return;
    }
    if (checkpoint.seq !== entry.seq - 1 || checkpoint.head !== entry.prev) {
      this.#report(entry.seq, `The checkpoint in entry ${entry.seq} is not of the entry before it.`);
    }
  }

  #add(seq: number, anchor: Anchor): void {
    const known = this.#bySeq.get(seq);
    if (known === undefined) this.#bySeq.set(seq, [anchor]);
    if (known?.every(({ hash }) => hash !== anchor.hash)) known.push(anchor);
  }

  /** Without keys a checkpoint is still an anchor, of the worth of the place where it was kept. */
  #isBelieved(text: string, checkpoint: Checkpoint): boolean {
    if (this.#keys.length === 0) return true;
    const known = this.#signed.get(text);
    if (known !== undefined) return known;
    const signed = verifyCheckpoint(checkpoint, this.#keys);
    this.#signed.set(text, signed);
    if (signed) this.believed++;
    return signed;
  }
}

interface Anchor {
  readonly hash: string;
  readonly from: string;
}

const HEAD = /^(?:(\d{1,15}):)?([0-9a-f]{64})$/;
