// Who may call: bearer tokens, each one a principal. Only their hashes are kept.
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { Refusal } from "../../kernel/failure.ts";

export interface GivenToken {
  /** Whose token it is; calls with it belong to one agent. At most one token may go without a name. */
  readonly name?: string;
  readonly token: string;
}

export interface Principal {
  readonly name: string;
  /** False for the token without a name: several clients may share it, so it says nothing about who calls. */
  readonly named: boolean;
}

export interface Tokens {
  /** The principal of an Authorization header; undefined when there is none, or it is not known here. */
  authenticate(header: string | undefined): Principal | undefined;
}

const UNNAMED: Principal = { name: "default", named: false };
const LEAST_CHARACTERS = 16;

export function randomToken(): string {
  return randomBytes(32).toString("base64url");
}

export function acceptTokens(given: readonly GivenToken[]): Tokens {
  const known = given.map(accepted);
  const names = new Set(known.map(({ principal }) => principal.name));
  if (names.size < known.length) throw refuse("Two tokens have the same name, or more than one has none.");
  if (new Set(known.map(({ hash }) => hash.toString("hex"))).size < known.length)
    throw refuse("Two names have the same token.");
  return {
    authenticate(header) {
      const secret = /^Bearer +([\x21-\x7e]+) *$/i.exec(header ?? "")?.[1];
      if (secret === undefined) return undefined;
      const hash = hashOf(secret);
      // every hash is compared, so that the time taken does not tell which of them fits
      return known.filter((one) => timingSafeEqual(one.hash, hash))[0]?.principal;
    },
  };
}

function accepted({ name, token }: GivenToken): { readonly principal: Principal; readonly hash: Buffer } {
  if (name !== undefined && !/^[\w.@-]{1,64}$/.test(name))
    throw refuse("The name of a token may have up to 64 letters, digits and . _ @ - only.");
  if (name === UNNAMED.name) throw refuse(`"${UNNAMED.name}" is the name of the token without a name.`);
  const whose = name === undefined ? "The token" : `The token of ${name}`;
  if (typeof token !== "string" || !/^[\x21-\x7e]*$/.test(token))
    throw refuse(`${whose} must be of visible ASCII characters without spaces.`);
  if (token.length < LEAST_CHARACTERS)
    throw refuse(`${whose} is too short to be safe: it has fewer than ${LEAST_CHARACTERS} characters.`);
  return { principal: name === undefined ? UNNAMED : { name, named: true }, hash: hashOf(token) };
}

function refuse(why: string): Refusal {
  return new Refusal("invalid_input", why, { next: "Make one with: openssl rand -hex 32" });
}

function hashOf(secret: string): Buffer {
  return createHash("sha256").update(secret).digest();
}
