// Exchanges a one-time secret or a token for a cookie and a key, which end with the process. It keeps only hashes.
import { createHash, randomBytes } from "node:crypto";
import type { Visitor } from "./roles.ts";

export interface Entrance {
  /** Makes a secret for a link; it works once. */
  invite(visitor: Visitor): string;
  /** The visitor whom a secret lets in. The secret is used up by it. */
  redeem(secret: string): Visitor | undefined;
  /** Makes what this visitor shows from now on. */
  admit(admission: Admission): Shown;
  /** The visitor who shows this. */
  inside(shown: Showing): Inside | undefined;
  /** Ends a visit and the answers that are still on their way to it. */
  leave(shown: Showing): void;
  readonly cookieName: string;
}

/**
 * Each covers a weakness of the other. Browsers send a cookie to all servers of its host, whatever the port, and let each
 * of them set it. The page's script keeps the key for its own origin, where a script could read it.
 */
export interface Shown {
  readonly cookie: string;
  readonly key: string;
}

/** From the headers of a request: the whole Cookie header, and the key. */
export interface Showing {
  readonly cookies: string | undefined;
  readonly key: string | undefined;
}

export interface Admission {
  readonly visitor: Visitor;
  /** Unique to the visitor: limits for each visitor count by it. */
  readonly who: string;
  /** As an Authorization header has it, where they came in by a token. It is looked up again for every request. */
  readonly token?: string;
}

export interface Inside extends Admission {
  /** Aborts when the visit ends. */
  readonly ended: AbortSignal;
}

interface Known {
  readonly admission: Admission;
  readonly ending: AbortController;
  at: number;
}

/** The newest visits stay. A limit for each visitor keeps one from pushing out the others. */
const MAX_EACH = 32;
const MAX_VISITS = 4096;
const MAX_INVITED = 64;
const MAX_COOKIES = 8;
const IDLE_MS = 24 * 3600_000;

/** Browsers do not tell cookies apart by port, so each server names its own. */
export function createEntrance(port: number, now: () => number = Date.now): Entrance {
  const cookieName = `stet-page-${port}`;
  const invited = new Map<string, Visitor>();
  /** In the order of their last use, the oldest first. */
  const visits = new Map<string, Known>();
  /** There may be several: another server of this host may have set a cookie of the same name. */
  const hashIn = ({ cookies, key }: Showing): string | undefined => {
    if (key === undefined) return undefined;
    const values = (cookies ?? "").split(/; */).flatMap((each) => {
      const [name, value] = each.split("=", 2);
      return name === cookieName && value !== undefined ? [value] : [];
    });
    const hashes = values.slice(0, MAX_COOKIES).map((cookie) => hashOf(`${cookie} ${key}`));
    return hashes.find((hash) => visits.has(hash));
  };
  const end = (hash: string): void => {
    visits.get(hash)?.ending.abort();
    visits.delete(hash);
  };
  const makeRoomFor = (who: string): void => {
    const own = [...visits].filter(([, { admission }]) => admission.who === who);
    if (own.length >= MAX_EACH) end(own[0]![0]);
    if (visits.size >= MAX_VISITS) end(visits.keys().next().value!);
  };
  return {
    cookieName,
    invite(visitor) {
      const secret = newSecret();
      invited.set(hashOf(secret), visitor);
      if (invited.size > MAX_INVITED) invited.delete(invited.keys().next().value!);
      return secret;
    },
    redeem(secret) {
      const hash = hashOf(secret);
      const visitor = invited.get(hash);
      invited.delete(hash);
      return visitor;
    },
    admit(admission) {
      makeRoomFor(admission.who);
      const [cookie, key] = [newSecret(), newSecret()];
      visits.set(hashOf(`${cookie} ${key}`), { admission, ending: new AbortController(), at: now() });
      return { cookie, key };
    },
    inside(shown) {
      const hash = hashIn(shown);
      const known = hash === undefined ? undefined : visits.get(hash);
      if (hash === undefined || known === undefined) return undefined;
      if (now() - known.at > IDLE_MS) {
        end(hash);
        return undefined;
      }
      known.at = now();
      visits.delete(hash);
      visits.set(hash, known);
      return { ...known.admission, ended: known.ending.signal };
    },
    leave(shown) {
      const hash = hashIn(shown);
      if (hash !== undefined) end(hash);
    },
  };
}

function newSecret(): string {
  return randomBytes(32).toString("base64url");
}

/** Lookups by hash take a time that tells nothing about a secret. */
function hashOf(secret: string): string {
  return createHash("sha256").update(secret).digest("hex");
}
