// Signed statements that the journal had a given head: ed25519, one line of text each, keys kept outside the workspace.
import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign, verify } from "node:crypto";
import type { EntryDraft, Sha } from "../../core/backend.ts";
import { Refusal } from "../../core/failure.ts";

/** The claim that an entry was the newest at a time, and the signature under it. */
export interface SignedHead {
  readonly seq: number;
  readonly head: Sha;
  readonly at: string;
  readonly signature: string;
}

export function signHead(claim: Omit<SignedHead, "signature">, privateKey: string | KeyObject): SignedHead {
  const key = privateKeyOf(privateKey);
  return { ...claim, signature: sign(null, Buffer.from(claimText(claim)), key).toString("base64url") };
}

export function verifySignedHead(signedHead: SignedHead, publicKeys: readonly KeyObject[]): boolean {
  const claim = Buffer.from(claimText(signedHead));
  const signature = Buffer.from(signedHead.signature, "base64url");
  return publicKeys.some((key) => verify(null, claim, key, signature));
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

/** The entry that carries a signed head, in the field that it has had from the first. It must directly follow the entry named. */
export function signedHeadNote(signedHead: SignedHead): EntryDraft {
  return {
    session: "stet",
    tool: SIGNING_TOOL,
    outcome: "note",
    changes: [],
    details: { checkpoint: formatSignedHead(signedHead) },
  };
}

/** The newest entry of a journal, signed: the text for its owner, and the note that is to be the next entry. */
export function signedNote(
  { seq, hash }: { readonly seq: number; readonly hash: Sha },
  privateKey: string,
): { readonly text: string; readonly draft: EntryDraft } {
  const signedHead = signHead({ seq, head: hash, at: new Date().toISOString() }, privateKey);
  return { text: formatSignedHead(signedHead), draft: signedHeadNote(signedHead) };
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
  const raw = HEX_KEY.test(trimmed) ? Buffer.from(trimmed, "hex") : Buffer.from(trimmed, "base64");
  const isPem = trimmed.startsWith("-----");
  try {
    // Node would take the first 32 bytes of anything longer.
    if (!isPem && !HEX_KEY.test(trimmed) && !BASE64_KEY.test(trimmed)) throw new Error("of another length");
    const key = isPem
      ? createPublicKey(trimmed)
      : createPublicKey({ key: Buffer.concat([SPKI_PREFIX, raw]), format: "der", type: "spki" });
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

function privateKeyOf(key: string | KeyObject): KeyObject {
  try {
    const parsed = typeof key === "string" ? createPrivateKey(key) : key;
    if (parsed.type === "private" && parsed.asymmetricKeyType === "ed25519") return parsed;
  } catch {
    // refused below; the cause is left out because it may quote the key
  }
  throw new Refusal("invalid_input", "The private key given is not an ed25519 key.", { next: "Give it as PEM." });
}
