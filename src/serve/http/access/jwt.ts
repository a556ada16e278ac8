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

/** What a token says, once it is known to be good; undefined for any other. Refuses when the keys cannot be had. */
export type JwtReader = (token: string) => Promise<JWTPayload | undefined>;

/** Of key pairs only: with a shared secret the published key itself would sign. */
const ALGORITHMS = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"];
const SHAPE = /^[\w-]+\.[\w-]+\.[\w-]+$/;
const MOST_CHARS = 16_384;
const CLOCKS_DIFFER_SECONDS = 5;

export async function jwtReader({ issuer, audience, jwks }: JwtOptions): Promise<JwtReader> {
  const { createRemoteJWKSet, errors, jwtVerify } = await loadJose();
  const keys = createRemoteJWKSet(new URL(jwks), { timeoutDuration: 3000, cooldownDuration: 10_000 });
  return async (token) => {
    if (token.length > MOST_CHARS || !SHAPE.test(token)) return undefined;
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
      const isAboutToken = error instanceof errors.JOSEError && !AWAY.has(error.code);
      if (isAboutToken) return undefined;
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
