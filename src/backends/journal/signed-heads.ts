// Signed statements that the journal had a given head: ed25519, one line of text each, keys kept outside the workspace.
import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign, verify } from "node:crypto";
import type { Entry, EntryDraft, Sha, VerifyOptions } from "../../core/backend.ts";
import { Refusal } from "../../core/failure.ts";
import { GENESIS } from "./entry.ts";

/** The claim that an entry was the newest at a time, and the signature under it. */
export interface SignedHead {
  readonly seq: number;
  readonly head: Sha;
  readonly at: string;
  readonly signature: string;
}

/** `stet1:<seq>:<head>:<time>:<signature>`: what goes into the journal, and wherever the owner keeps a copy. */
export function formatSignedHead(signedHead: SignedHead): string {
  return `${claimText(signedHead)}:${signedHead.signature}`;
}

export function parseSignedHead(text: string): SignedHead | null {
  const [, seq, head, at, signature] = FORMAT.exec(text.trim()) ?? [];
  if (seq === undefined || head === undefined || at === undefined || signature === undefined) return null;
  return { seq: Number(seq), head: head as Sha, at, signature };
}

/** The newest entry of a journal, signed: the text for its owner, and the note that is to be the next entry. */
export function signedNote(
  { seq, hash: head }: { readonly seq: number; readonly hash: Sha },
  privateKey: string,
  now: Date = new Date(),
): { readonly text: string; readonly draft: EntryDraft } {
  const claim = { seq, head, at: now.toISOString() };
  const signature = sign(null, Buffer.from(claimText(claim)), privateKeyOf(privateKey)).toString("base64url");
  const text = formatSignedHead({ ...claim, signature });
  // The field has this name from the first.
  const details = { checkpoint: text };
  return { text, draft: { session: "stet", tool: SIGNING_TOOL, outcome: "note", changes: [], details } };
}

export const SIGNING_TOOL = "sign";

/** A new pair of ed25519 keys, as PEM: the private one for `backend.sign`, the public one for `verify`. */
export function generateSigningKeys(): { readonly publicKey: string; readonly privateKey: string } {
  const { publicKey, privateKey } = generateKeyPairSync("ed25519");
  return {
    publicKey: publicKey.export({ type: "spki", format: "pem" }).toString(),
    privateKey: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
  };
}

/** A public key as PEM, or its 32 bytes as hex, base64 or base64url. */
export function publicKeyOf(text: string): KeyObject {
  const trimmed = text.trim();
  const encoding = HEX_KEY.test(trimmed) ? "hex" : BASE64_KEY.test(trimmed) ? "base64" : null;
  try {
    const raw = encoding && Buffer.concat([SPKI_PREFIX, Buffer.from(trimmed, encoding)]);
    const key = createPublicKey(raw === null ? trimmed : { key: raw, format: "der", type: "spki" });
    if (key.asymmetricKeyType === "ed25519") return key;
  } catch {
    // refused below, like a key of another type
  }
  throw new Refusal("invalid_input", "A public key given is not an ed25519 key.", {
    next: "Give it as PEM, or its 32 bytes as hex or base64.",
  });
}

const FORMAT = /^stet1:(\d{1,15}):([0-9a-f]{64}):(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z):([A-Za-z0-9_-]{86})$/;
const HEX_KEY = /^[0-9a-f]{64}$/i;
const BASE64_KEY = /^[\w+/-]{43}=?$/;
/** What stands before the 32 bytes of an ed25519 key in DER (RFC 8410). */
const SPKI_PREFIX = Buffer.from("302a300506032b6570032100", "hex");

const claimText = (claim: Omit<SignedHead, "signature">) => `stet1:${claim.seq}:${claim.head}:${claim.at}`;

function privateKeyOf(text: string): KeyObject {
  try {
    const key = createPrivateKey(text);
    if (key.asymmetricKeyType === "ed25519") return key;
  } catch {
    // refused below; the cause is left out because it may quote the key
  }
  throw new Refusal("invalid_input", "The private key given is not an ed25519 key.", { next: "Give it as PEM." });
}

/** What is known about a journal from elsewhere: only an expected head and signed heads show a cut or rewritten log. */
export class KnownHeads {
  readonly #report: (seq: number, problem: string) => void;
  readonly #keys: readonly KeyObject[];
  /** Those whose signature is by one of the given keys. */
  readonly #believed = new Set<string>();
  #expected: ExpectedHead | null = null;

  constructor({ publicKeys = [], expectedHead }: VerifyOptions, report: (seq: number, problem: string) => void) {
    this.#report = report;
    this.#keys = publicKeys.map(publicKeyOf);
    if (expectedHead !== undefined) this.#expected = this.#expect(expectedHead.trim());
  }

  get believed(): number {
    return this.#believed.size;
  }

  /** One entry of the journal, in order. */
  pass(entry: Entry): void {
    const known = this.#expected;
    if (known !== null && (known.seq === undefined ? known.hash === entry.hash : known.seq === entry.seq)) {
      if (known.hash !== entry.hash)
        this.#report(entry.seq, `${known.from} names another entry ${entry.seq}: the journal was rewritten.`);
      this.#expected = null;
    }
    if (entry.outcome === "note" && entry.tool === SIGNING_TOOL) this.#passNote(entry);
  }

  finish(lastSeq: number): void {
    const { seq, from } = this.#expected ?? {};
    if (this.#expected !== null && seq === undefined)
      this.#report(lastSeq, "No entry has the expected hash: the tail was cut off or the journal was rewritten.");
    if (seq !== undefined && seq > lastSeq)
      this.#report(seq, `${from} names entry ${seq}, but the journal ends at ${lastSeq}: its tail was cut off.`);
    if (this.#keys.length > 0 && this.believed === 0 && lastSeq > 0)
      this.#report(lastSeq, "No head is signed by a given key: nothing shows that the journal was not rewritten.");
  }

  #expect(expected: string): ExpectedHead | null {
    const signed = parseSignedHead(expected);
    if (signed !== null) {
      const from = "The expected signed head";
      if (this.#isBelieved(expected, signed)) return { seq: signed.seq, hash: signed.head, from };
      this.#report(signed.seq, `${from}, for entry ${signed.seq}, is not signed by a given key.`);
      return null;
    }
    const [, seq, hash] = HEAD.exec(expected) ?? [];
    if (hash === undefined)
      throw new Refusal("invalid_input", "The expected head is neither <seq>:<hash>, nor a hash, nor a signed head.", {
        next: "Give it as it was printed when it was taken.",
      });
    const from = "The expected head";
    if (seq !== undefined) return { seq: Number(seq), hash, from };
    return hash === GENESIS ? null : { hash, from };
  }

  #passNote({ seq, prev, details }: Entry): void {
    const text = String(details?.checkpoint);
    const signed = parseSignedHead(text);
    if (signed === null) this.#report(seq, `Entry ${seq} should carry a signed head and does not.`);
    else if (!this.#isBelieved(text, signed))
      this.#report(seq, `The signed head in entry ${seq} is not signed by a given key.`);
    else if (signed.seq !== seq - 1 || signed.head !== prev)
      this.#report(seq, `The signed head in entry ${seq} is not of the entry before it.`);
  }

  /** Without keys a signed head is still a known head, of the worth of the place where it was kept. */
  #isBelieved(text: string, signed: SignedHead): boolean {
    if (this.#keys.length === 0) return true;
    const claim = Buffer.from(claimText(signed));
    const signature = Buffer.from(signed.signature, "base64url");
    const isSigned = this.#keys.some((key) => verify(null, claim, key, signature));
    if (isSigned) this.#believed.add(text);
    return isSigned;
  }
}

interface ExpectedHead {
  /** Undefined: any entry may have the hash. */
  readonly seq?: number;
  readonly hash: string;
  readonly from: string;
}

const HEAD = /^(?:(\d{1,15}):)?([0-9a-f]{64})$/;
