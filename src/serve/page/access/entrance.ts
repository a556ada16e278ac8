// The way in: a secret that works once is exchanged for a cookie, which ends with the process. Only hashes are kept.
import { createHash, randomBytes } from "node:crypto";
import type { Visitor } from "./roles.ts";

export interface Entrance {
  /** A secret for a link; it works once. */
  invite(visitor: Visitor): string;
  /** Whom a secret lets in; from then on it lets in no more. */
  redeem(secret: string): Visitor | undefined;
  /** The value of a cookie for this visitor. */
  admit(visitor: Visitor): string;
  /** Who sends this Cookie header. */
  visitor(cookies: string | undefined): Visitor | undefined;
  leave(cookies: string | undefined): void;
  readonly cookieName: string;
}

/** Those who came last stay. */
const MOST_VISITORS = 256;
const MOST_INVITED = 64;
const IDLE_MS = 24 * 3600_000;

/** Cookies know no ports: each server has a name of its own. */
export function createEntrance(port: number, now: () => number = Date.now): Entrance {
  const cookieName = `stet-page-${port}`;
  const invited = new Map<string, Visitor>();
  const inside = new Map<string, { readonly visitor: Visitor; at: number }>();
  const hashIn = (cookies: string | undefined): string | undefined => {
    const values = (cookies ?? "").split(/; */).flatMap((each) => {
      const [name, value] = each.split("=", 2);
      return name === cookieName && value !== undefined ? [value] : [];
    });
    return values.length === 1 ? hashOf(values[0]!) : undefined;
  };
  return {
    cookieName,
    invite: (visitor) => secretInto(invited, visitor, MOST_INVITED),
    redeem(secret) {
      const hash = hashOf(secret);
      const visitor = invited.get(hash);
      invited.delete(hash);
      return visitor;
    },
    admit: (visitor) => secretInto(inside, { visitor, at: now() }, MOST_VISITORS),
    visitor(cookies) {
      const hash = hashIn(cookies);
      const known = hash === undefined ? undefined : inside.get(hash);
      if (hash === undefined || known === undefined) return undefined;
      inside.delete(hash);
      if (now() - known.at > IDLE_MS) return undefined;
      inside.set(hash, { ...known, at: now() });
      return known.visitor;
    },
    leave(cookies) {
      const hash = hashIn(cookies);
      if (hash !== undefined) inside.delete(hash);
    },
  };
}

function secretInto<T>(all: Map<string, T>, value: T, most: number): string {
  const secret = randomBytes(32).toString("base64url");
  all.set(hashOf(secret), value);
  if (all.size > most) all.delete(all.keys().next().value!);
  return secret;
}

/** What is looked up is a hash: the time that it takes tells nothing of a secret. */
function hashOf(secret: string): string {
  return createHash("sha256").update(secret).digest("hex");
}
