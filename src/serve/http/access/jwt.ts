// Tokens of an identity provider: signed by a key that it publishes, for this server and no other, and not over yet.
import type { JWTPayload } from "jose";
import { Refusal } from "../../../core/failure.ts";

export interface JwtOptions {
  /** Who signs, to the letter. */
  readonly issuer: string;
  /** For whom: the address of this server, as its clients know it. */
  readonly audience: string;
  /** Where the keys are published. */
  readonly jwks: string;
}

/** What a token says, once it is known to be good; of any other why it is not, in words. Refuses when the keys cannot be had. */
export type JwtReader = (token: string) => Promise<JWTPayload | string>;

/** Of key pairs only: with a shared secret the published key itself would sign. */
const ALGORITHMS = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"];
const UNREADABLE = "it is no token of a kind that is taken here";
const SHAPE = /^[\w-]+\.[\w-]+\.[\w-]+$/;
const MAX_CHARS = 16_384;
const CLOCKS_DIFFER_SECONDS = 5;

export async function jwtReader({ issuer, audience, jwks }: JwtOptions): Promise<JwtReader> {
  const { createRemoteJWKSet, errors, jwtVerify } = await loadJose();
  const keys = createRemoteJWKSet(new URL(jwks), { timeoutDuration: 3000, cooldownDuration: 10_000 });
  return async (token) => {
    if (token.length > MAX_CHARS || !SHAPE.test(token)) return UNREADABLE;
    try {
      const { payload } = await jwtVerify(token, keys, {
        issuer,
        audience,
        algorithms: ALGORITHMS,
        requiredClaims: ["exp"],
        clockTolerance: CLOCKS_DIFFER_SECONDS,
      });
      return payload;
    } catch (error) {
      if (error instanceof errors.JWTExpired) return "it has expired";
      if (error instanceof errors.JWTClaimValidationFailed) return `its claim ${error.claim} is not what it must be`;
      if (error instanceof errors.JWSSignatureVerificationFailed || error instanceof errors.JWKSNoMatchingKey)
        return "none of the keys of the identity provider has signed it";
      if (error instanceof errors.JOSEError && !AWAY.has(error.code)) return UNREADABLE;
      throw new Refusal("io_error", "The keys of the identity provider cannot be had.", { cause: error });
    }
  };
}

/** The first is what jose says of an answer that is no set of keys. */
const AWAY: ReadonlySet<string> = new Set(["ERR_JOSE_GENERIC", "ERR_JWKS_TIMEOUT", "ERR_JWKS_INVALID"]);

async function loadJose() {
  try {
    return await import("jose");
  } catch (error) {
    throw new Refusal("unsupported", "The package jose, which tokens of an identity provider need, is not installed.", {
      next: "Install it beside stet: npm install jose",
      cause: error,
    });
  }
}
