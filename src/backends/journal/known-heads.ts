// What is known about a journal from elsewhere: an expected head, signed heads. Only these show a cut or rewritten log.
import type { KeyObject } from "node:crypto";
import type { Entry, VerifyOptions } from "../../core/backend.ts";
import { Refusal } from "../../core/failure.ts";
import { GENESIS } from "./entry.ts";
import { parseSignedHead, publicKeyOf, SIGNING_TOOL, type SignedHead, verifySignedHead } from "./signed-heads.ts";

type Report = (seq: number, problem: string) => void;

export class KnownHeads {
  /** Signed heads whose signature is by one of the given keys. */
  believed = 0;
  readonly #report: Report;
  readonly #keys: readonly KeyObject[];
  readonly #signed = new Map<string, boolean>();
  readonly #bySeq = new Map<number, KnownHead[]>();
  #wantedHash: string | null = null;

  constructor(options: VerifyOptions, signedHeads: readonly string[], report: Report) {
    this.#report = report;
    this.#keys = (options.publicKeys ?? []).map(publicKeyOf);
    if (options.expectedHead !== undefined) this.#expect(options.expectedHead.trim());
    for (const text of signedHeads) this.#addSigned(text, "A signed head beside the journal");
  }

  /** One entry of the journal, in order. */
  pass(entry: Entry): void {
    if (entry.hash === this.#wantedHash) this.#wantedHash = null;
    const heads = this.#bySeq.get(entry.seq);
    if (heads !== undefined) {
      for (const { hash, from } of heads) {
        if (hash === entry.hash) continue;
        this.#report(entry.seq, `${from} names another entry ${entry.seq}: the journal was rewritten.`);
      }
      this.#bySeq.delete(entry.seq);
    }
    if (entry.outcome === "note" && entry.tool === SIGNING_TOOL) this.#noteOf(entry);
  }

  finish(lastSeq: number): void {
    for (const [seq, [known]] of this.#bySeq) {
      if (seq <= lastSeq || known === undefined) continue;
      this.#report(seq, `${known.from} names entry ${seq}, but the journal ends at ${lastSeq}: its tail was cut off.`);
    }
    if (this.#wantedHash !== null) {
      this.#report(lastSeq, "No entry has the expected hash: the tail was cut off or the journal was rewritten.");
    }
    if (this.#keys.length > 0 && this.believed === 0 && lastSeq > 0) {
      this.#report(lastSeq, "No head is signed by a given key: nothing shows that the journal was not rewritten.");
    }
  }

  #expect(expected: string): void {
    if (parseSignedHead(expected) !== null) {
      this.#addSigned(expected, "The expected signed head");
      return;
    }
    const [, seq, hash] = HEAD.exec(expected) ?? [];
    if (hash === undefined) {
      throw new Refusal("invalid_input", "The expected head is neither <seq>:<hash>, nor a hash, nor a signed head.", {
        next: "Give it as it was printed when it was taken.",
      });
    }
    if (seq === undefined) this.#wantedHash = hash === GENESIS ? null : hash;
    if (seq !== undefined) this.#add(Number(seq), { hash, from: "The expected head" });
  }

  #addSigned(text: string, from: string): void {
    const signedHead = parseSignedHead(text);
    if (signedHead === null) {
      this.#report(0, `${from} is not readable as a signed head.`);
      return;
    }
    if (!this.#isBelieved(text, signedHead)) {
      this.#report(signedHead.seq, `${from}, for entry ${signedHead.seq}, is not signed by a given key.`);
      return;
    }
    this.#add(signedHead.seq, { hash: signedHead.head, from });
  }

  #noteOf(entry: Entry): void {
    const text = entry.details?.checkpoint;
    const signedHead = typeof text === "string" ? parseSignedHead(text) : null;
    if (typeof text !== "string" || signedHead === null) {
      this.#report(entry.seq, `Entry ${entry.seq} should carry a signed head and does not.`);
      return;
    }
    if (!this.#isBelieved(text, signedHead)) {
      this.#report(entry.seq, `The signed head in entry ${entry.seq} is not signed by a given key.`);
      return;
    }
    if (signedHead.seq !== entry.seq - 1 || signedHead.head !== entry.prev) {
      this.#report(entry.seq, `The signed head in entry ${entry.seq} is not of the entry before it.`);
    }
  }

  #add(seq: number, head: KnownHead): void {
    const known = this.#bySeq.get(seq);
    if (known === undefined) this.#bySeq.set(seq, [head]);
    if (known?.every(({ hash }) => hash !== head.hash)) known.push(head);
  }

  /** Without keys a signed head is still a known head, of the worth of the place where it was kept. */
  #isBelieved(text: string, signedHead: SignedHead): boolean {
    if (this.#keys.length === 0) return true;
    const known = this.#signed.get(text);
    if (known !== undefined) return known;
    const signed = verifySignedHead(signedHead, this.#keys);
    this.#signed.set(text, signed);
    if (signed) this.believed++;
    return signed;
  }
}

interface KnownHead {
  readonly hash: string;
  readonly from: string;
}

const HEAD = /^(?:(\d{1,15}):)?([0-9a-f]{64})$/;
