// Who may call: bearer tokens, each one a principal. Only their hashes are kept.
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { Refusal } from "../../../core/failure.ts";
import { complaintAbout, type GivenToken, UNNAMED } from "./given-tokens.ts";
import type { ProtectedResource } from "./protected-resource.ts";

export interface Principal {
  /** No other caller has it here: what is counted for each caller goes by it. */
  readonly name: string;
  /** False for a token without a name, given or made by stet: clients may share it, and tell themselves apart. */
  readonly named: boolean;
  /** Where callers are of several kinds: what this one may reach, and how the journal names it. */
  readonly granted?: Granted;
}

export interface Granted {
  /** The same for all who may do the same. */
  readonly kind: string;
  readonly agent: string;
  /** For callers who can get a token that allows more: the challenge that tells how. */
  readonly challenge?: string;
  /** Whether it may call tools that change files. */
  readonly mayChange: boolean;
}

export interface Tokens {
  /** Where clients can get one of an identity provider. */
  readonly resource?: ProtectedResource;
  /** The principal of an Authorization header; undefined when there is none, or it is not known here. `from`: the address that sent it. */
  authenticate(header: string | undefined, from?: string): Principal | undefined | Promise<Principal | undefined>;
  /** Where they are looked up elsewhere: who this was the last time, without asking again. By now it may open nothing. */
  lately?(header: string | undefined): Principal | undefined;
  /** Of one that opens nothing, though it may be a good one elsewhere: why, in words. */
  whyNot?(header: string | undefined): Promise<string | undefined>;
  /** Where tokens may end: calls `ended` soon after this one did, until the returned function is called. */
  watch?(header: string | undefined, ended: () => void): () => void;
}

/** What stands behind "Bearer". */
export function secretIn(header: string | undefined): string | undefined {
  return /^Bearer +([\x21-\x7e]+) *$/i.exec(header ?? "")?.[1];
}

export function randomToken(): string {
  return randomBytes(32).toString("base64url");
}

/** The one token of an owner who gave none. */
export function acceptMinted(token: string): Tokens {
  return accept([{ principal: { name: MINTED, named: false }, token }]);
}

/** How logs name it. */
const MINTED = "local";

export function acceptTokens(given: readonly GivenToken[]): Tokens {
  const complaint = complaintAbout(given);
  if (complaint !== undefined) throw refuseToken(`Of the tokens, number ${complaint.index + 1}: ${complaint.what}.`);
  return accept(given.map(({ name, token }) => ({ principal: principalOf(name), token })));
}

function accept(all: readonly { readonly principal: Principal; readonly token: string }[]): Tokens {
  const known = all.map(({ principal, token }) => ({ principal, hash: hashOf(token) }));
  return {
    authenticate(header) {
      const secret = secretIn(header);
      if (secret === undefined) return undefined;
      const hash = hashOf(secret);
      // every hash is compared, so that the time taken does not tell which of them fits
      return known.filter((one) => timingSafeEqual(one.hash, hash))[0]?.principal;
    },
  };
}

function principalOf(name: string | undefined): Principal {
  return name === undefined ? { name: UNNAMED, named: false } : { name, named: true };
}

export function refuseToken(why: string, path?: string): Refusal {
  return new Refusal("invalid_input", why, {
    next: "Make one with: openssl rand -hex 32",
    ...(path !== undefined && { path }),
  });
}

function hashOf(secret: string): Buffer {
  return createHash("sha256").update(secret).digest();
}
