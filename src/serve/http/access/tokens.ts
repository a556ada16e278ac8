// Bearer tokens: what an owner may give, where they are kept, and whose each one is. Only their hashes stay in memory.
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { statSync } from "node:fs";
import { Refusal } from "../../../core/failure.ts";
import { readRegularFile, Unfit } from "../../regular-file.ts";

export interface Principal {
  /** No other caller has it here: what is counted for each caller goes by it. */
  readonly name: string;
  /** False for a token without a name, given or made by stet: clients may share it, each under its own name. */
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

/** A token that clients may call with. */
export interface GivenToken {
  /** Whose token it is; calls with it belong to one agent. At most one token may go without a name. */
  readonly name?: string;
  /** At least 16 printable characters. */
  readonly token: string;
}

/** What the token without a name is called, in logs and journals. */
export const UNNAMED = "default";
const MIN_CHARACTERS = 16;

/** The first thing that is wrong with them, and with which. */
export function complaintAbout(
  given: readonly GivenToken[],
): { readonly index: number; readonly what: string } | undefined {
  for (const [index, one] of given.entries()) {
    const what = wrongWith(one) ?? repeated(one, given.slice(0, index));
    if (what !== undefined) return { index, what };
  }
  return undefined;
}

function wrongWith({ name, token }: GivenToken): string | undefined {
  if (name !== undefined && !/^[\w.@-]{1,64}$/.test(name))
    return "the name of a token may have up to 64 letters, digits and . _ @ - only";
  if (name === UNNAMED) return `"${UNNAMED}" is the name of the token without a name`;
  if (typeof token !== "string" || !/^[\x21-\x7e]*$/.test(token))
    return "a token must be of visible ASCII characters without spaces";
  if (token.length < MIN_CHARACTERS)
    return `the token is too short to be safe: it has fewer than ${MIN_CHARACTERS} characters`;
  return undefined;
}

function repeated({ name, token }: GivenToken, before: readonly GivenToken[]): string | undefined {
  if (before.some((other) => other.token === token)) return "another name has the same token";
  if (!before.some((other) => other.name === name)) return undefined;
  return name === undefined ? "it has no name, and more than one has none" : "another token has the same name";
}

export interface TokenSources {
  /** A file with one token a line, or "name token" a line; lines that start with # are comments. */
  readonly file?: string | undefined;
  /** One token, from an environment variable. */
  readonly value?: string | undefined;
}

/** The tokens that an owner keeps in a file and in the environment, for `tokens` of the HTTP options. */
export function readTokens({ file, value }: TokenSources): readonly GivenToken[] {
  const fromFile = file === undefined ? [] : tokensInFile(file);
  return value === undefined || value.trim() === "" ? fromFile : [...fromFile, { token: value.trim() }];
}

function tokensInFile(file: string): readonly GivenToken[] {
  const lines = contentOf(file)
    .split(/\r?\n/)
    .map((text, index) => ({ words: text.trim().split(/\s+/), number: index + 1 }))
    .filter(({ words }) => words[0] !== "" && !words[0]!.startsWith("#"));
  if (lines.length === 0)
    throw new Refusal("invalid_input", `The token file ${file} has no token.`, {
      path: file,
      next: `Put one into it: openssl rand -hex 32 > ${file}`,
    });
  const tokens = lines.map(({ words, number }) => {
    if (words.length === 1) return { token: words[0]! };
    if (words.length === 2) return { name: words[0]!, token: words[1]! };
    throw new Refusal("invalid_input", `Line ${number} of the token file ${file} is not "token" or "name token".`, {
      path: file,
    });
  });
  const complaint = complaintAbout(tokens);
  if (complaint === undefined) return tokens;
  throw refuseToken(`Line ${lines[complaint.index]!.number} of the token file ${file}: ${complaint.what}.`, file);
}

/** Whether anybody else than its owner can read or change the file; false where that is unknown. */
export function isOpenToOthers(file: string): boolean {
  const { mode } = statSync(file);
  return process.platform !== "win32" && (mode & 0o077) !== 0;
}

const MAX_BYTES = 1024 * 1024;

function contentOf(file: string): string {
  try {
    return readRegularFile(file, MAX_BYTES).toString();
  } catch (error) {
    if (error instanceof Unfit)
      throw new Refusal("io_error", `The token file ${file} ${error.message}.`, {
        path: file,
        next: "Name a file of lines, each a token.",
      });
    const { code } = error as NodeJS.ErrnoException;
    const kind = code === "ENOENT" ? "not_found" : "io_error";
    throw new Refusal(kind, `The token file ${file} cannot be read (${code}).`, { path: file, cause: error });
  }
}

/** Whose tokens are taken besides our own (RFC 9728). */
export interface ProtectedResource {
  /** The address of this server, as its clients know it. */
  readonly resource: string;
  readonly issuer: string;
}

export const RESOURCE = "/.well-known/oauth-protected-resource";

/** Where a client finds the metadata. */
export function metadataUrl({ resource }: ProtectedResource): string {
  const { origin, pathname } = new URL(resource);
  return `${origin}${RESOURCE}${pathname === "/" ? "" : pathname}`;
}

/** For a caller whose token is good, but not for this: with another scope it would be. */
export function scopeChallenge(about: ProtectedResource, scope: string): string {
  return `Bearer realm="stet", error="insufficient_scope", scope="${scope}", resource_metadata="${metadataUrl(about)}"`;
}
