// The way in: a secret that works once, or a token, is exchanged for a cookie, which ends with the process. Of secrets and cookies only hashes are kept.
import { createHash, randomBytes } from "node:crypto";
import type { Visitor } from "./roles.ts";

export interface Entrance {
  /** A secret for a link; it works once. */
  invite(visitor: Visitor): string;
  /** Whom a secret lets in; from then on it lets in no more. */
  redeem(secret: string): Visitor | undefined;
  /** The value of a cookie for this visitor. */
  admit(admission: Admission): string;
  /** Who sends this Cookie header. */
  inside(cookies: string | undefined): Inside | undefined;
  /** Ends a visit, and what is still being answered to it. */
  leave(cookies: string | undefined): void;
  readonly cookieName: string;
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
const MOST_EACH = 32;
const MOST_VISITS = 4096;
const MOST_INVITED = 64;
const IDLE_MS = 24 * 3600_000;

/** Cookies know no ports: each server has a name of its own. */
export function createEntrance(port: number, now: () => number = Date.now): Entrance {
  const cookieName = `stet-page-${port}`;
  const invited = new Map<string, Visitor>();
  /** The one used longest ago first. */
  const visits = new Map<string, Known>();
  const hashIn = (cookies: string | undefined): string | undefined => {
    const values = (cookies ?? "").split(/; */).flatMap((each) => {
      const [name, value] = each.split("=", 2);
      return name === cookieName && value !== undefined ? [value] : [];
    });
    return values.length === 1 ? hashOf(values[0]!) : undefined;
  };
  const end = (hash: string): void => {
    visits.get(hash)?.ending.abort();
    visits.delete(hash);
  };
  const makeRoomFor = (who: string): void => {
    const own = [...visits].filter(([, { admission }]) => admission.who === who);
    if (own.length >= MOST_EACH) end(own[0]![0]);
    if (visits.size >= MOST_VISITS) end(visits.keys().next().value!);
  };
  return {
    cookieName,
    invite(visitor) {
      const secret = newSecret();
      invited.set(hashOf(secret), visitor);
      if (invited.size > MOST_INVITED) invited.delete(invited.keys().next().value!);
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
      const secret = newSecret();
      visits.set(hashOf(secret), { admission, ending: new AbortController(), at: now() });
      return secret;
    },
    inside(cookies) {
      const hash = hashIn(cookies);
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
    leave(cookies) {
      const hash = hashIn(cookies);
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
