// Tokens that the database knows: looked up when a request comes, and watched while one is being answered.
import type { Pool } from "../backends/postgres/index.ts";
import { type Role, type TokenAbout, validTokens } from "../backends/postgres/tenants/tokens.ts";
import { type Principal, secretIn, type Tokens } from "../serve/http/access/tokens.ts";
import { createTokenLookup } from "./lookup.ts";

/** Whose, what for, and which. */
export type Grant = readonly [tenant: string, role: Role, workspaces: readonly string[]];

const TOKEN = /^stet_[\w-]{43}$/;
/** While the database does not answer, what a token opened stays open for so long. */
const UNKNOWN_MS = 5_000;

/** A token that was revoked opens nothing a second later, and what it opened is cut. */
export function tokensIn(pool: Pool, unknownMs = UNKNOWN_MS): Tokens {
  const lookup = createTokenLookup(pool);
  return {
    async authenticate(header) {
      const secret = secretIn(header);
      const about = secret !== undefined && TOKEN.test(secret) ? await lookup(secret) : undefined;
      return about && principalOf(about);
    },
    watch: watchTokens(pool, unknownMs),
  };
}

const LOOK_MS = 500;

/** One question for all requests that are being answered. */
function watchTokens(pool: Pool, unknownMs: number): NonNullable<Tokens["watch"]> {
  const watched = new Map<string, Set<() => void>>();
  let knownAt = 0;
  let _timer: NodeJS.Timeout | undefined;

  async function look(): Promise<void> {
    const secrets = [...watched.keys()];
    const valid = await validTokens(pool, secrets, LOOK_MS).then(known, unknown);
    for (const secret of secrets) if (!valid.has(secret)) for (const ended of watched.get(secret) ?? []) ended();
    _timer = watched.size === 0 ? undefined : setTimeout(look, LOOK_MS).unref();
  }

  function known(valid: ReadonlySet<string>): ReadonlySet<string> {
    knownAt = performance.now();
    return valid;
  }

  /** The database is away, and no call can be made. */
  function unknown(): ReadonlySet<string> {
    return new Set(performance.now() - knownAt > unknownMs ? [] : watched.keys());
  }

  return (header, ended) => {
    const secret = secretIn(header) ?? "";
    if (watched.size === 0) knownAt = performance.now();
    const own = watched.get(secret) ?? new Set();
    watched.set(secret, own.add(ended));
    _timer ??= setTimeout(look, LOOK_MS).unref();
    return () => {
      own.delete(ended);
      if (own.size === 0 && watched.get(secret) === own) watched.delete(secret);
    };
  };
}

export function principalOf({
  tenant,
  principal,
  role,
  workspaces,
}: Pick<TokenAbout, "tenant" | "principal" | "role" | "workspaces">): Principal {
  const grant: Grant = [tenant, role, workspaces];
  return {
    name: tenant === "" ? principal : `${tenant}/${principal}`,
    named: true,
    granted: { kind: JSON.stringify(grant), agent: principal, mayChange: role !== "read" },
  };
}
