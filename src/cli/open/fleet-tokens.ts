// Who calls the servers of a database: tokens that it knows, looked up for every request, and watched while one is being answered.
import type { Pool } from "../../backends/postgres/index.ts";
import { type Role, type TokenAbout, tokenOf, validTokens } from "../../backends/postgres/tenants/tokens.ts";
import { type Principal, secretIn, type Tokens } from "../../serve/http/access/tokens.ts";

/** Whose, what for, and which. */
export type Grant = readonly [tenant: string, role: Role, workspaces: readonly string[]];

const TOKEN = /^stet_[\w-]{43}$/;
/** How long a request waits for a database that is away before it is sent back. */
const WAIT_MS = 1000;

/** While it cannot be told whether a token was revoked, what it opened stays open for so long. */
const UNKNOWN_MS = 5_000;

/** One question for each request: one that was revoked is refused from then on. */
export function tokensIn(pool: Pool, unknownMs = UNKNOWN_MS): Tokens {
  return {
    async authenticate(header) {
      const secret = secretIn(header);
      if (secret === undefined || !TOKEN.test(secret)) return undefined;
      const about = await tokenOf(pool, secret, WAIT_MS);
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
