// The way in: a secret that works once, or a token, is exchanged for a cookie and a key, which end with the process. Only hashes of them are kept.
import { createHash, randomBytes } from "node:crypto";
import type { Visitor } from "./roles.ts";

export interface Entrance {
  /** A secret for a link; it works once. */
  invite(visitor: Visitor): string;
  /** Whom a secret lets in; from then on it lets in no more. */
  redeem(secret: string): Visitor | undefined;
  /** What this visitor shows from now on. */
  admit(admission: Admission): Shown;
  /** Who shows this. */
  inside(shown: Showing): Inside | undefined;
  /** Ends a visit, and what is still being answered to it. */
  leave(shown: Showing): void;
  readonly cookieName: string;
}

/**
 * Both are asked for. Browsers send a cookie to every server of its host, whatever the port, and let each of them set
 * it; scripts cannot read it. The key is kept by the page's script, for its own origin alone.
 */
export interface Shown {
  readonly cookie: string;
  readonly key: string;
}

/** As a request has them: the whole Cookie header, and the header with the key. */
export interface Showing {
  readonly cookies: string | undefined;
  readonly key: string | undefined;
}

export interface Admission {
  readonly visitor: Visitor;
  /** No other visitor has it: what is counted for each goes by it. */
  readonly who: string;
  /** By which they came in, as a header has it. It is looked up again for every request. */
  readonly token?: string;
}

export interface Inside extends Admission {
  /** Aborted when the visit ends. */
  readonly ended: AbortSignal;
}

interface Known {
  readonly admission: Admission;
  readonly ending: AbortController;
  at: number;
}

/** Those who came last stay: of one visitor, so that none of them can push out others, and of all. */
const MAX_EACH = 32;
const MAX_VISITS = 4096;
const MAX_INVITED = 64;
const MAX_COOKIES = 8;
const IDLE_MS = 24 * 3600_000;

/** Cookies know no ports: each server has a name of its own. */
export function createEntrance(port: number, now: () => number = Date.now): Entrance {
  const cookieName = `stet-page-${port}`;
  const invited = new Map<string, Visitor>();
  /** The one used longest ago first. */
  const visits = new Map<string, Known>();
  /** Another server of this host may have set a cookie of the same name beside ours. */
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

/** What is looked up is a hash: the time that it takes tells nothing of a secret. */
function hashOf(secret: string): string {
  return createHash("sha256").update(secret).digest("hex");
}
