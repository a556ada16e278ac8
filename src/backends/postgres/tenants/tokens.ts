// Who may call a server, and what for: tokens, of which the database has only the sha256.
import { createHash, randomBytes } from "node:crypto";
import { Refusal } from "../../../core/failure.ts";
import { shown } from "../../../core/printable.ts";
import type { Pool } from "../connection/client.ts";
import { again, within } from "../connection/database.ts";
import { inScope } from "../connection/scope.ts";
import { checkName } from "./names.ts";

/** `read`: tools that read. `write`: those that change, too. `owner`: also workspaces that are not there yet. */
export type Role = "read" | "write" | "owner";
export const ROLES: readonly Role[] = ["read", "write", "owner"];

export interface TokenAbout {
  /** How people name it; opens nothing. */
  readonly id: string;
  readonly tenant: string;
  /** Who calls with it, as the journal names them. */
  readonly principal: string;
  readonly role: Role;
  /** Names of workspaces, with * for any characters. */
  readonly workspaces: readonly string[];
  readonly madeAt: Date;
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
}

export interface NewToken extends Pick<TokenAbout, "tenant" | "principal" | "role" | "workspaces"> {
  readonly expiresAt?: Date;
}

const COLUMNS = `id, tenant, principal, role, workspaces, made_at as "madeAt", expires_at as "expiresAt",
  revoked_at as "revokedAt"`;

/** The token itself is in what this returns, and nowhere else. */
export async function createToken(pool: Pool, asked: NewToken): Promise<{ token: string; about: TokenAbout }> {
  checkToken(asked);
  const token = `stet_${randomBytes(32).toString("base64url")}`;
  const { tenant, principal, role, workspaces, expiresAt = null } = asked;
  const { rows } = await again(0, () =>
    pool.query<TokenAbout>({
      text: `insert into token (id, hash, tenant, principal, role, workspaces, expires_at)
        values ($1, $2, $3, $4, $5, $6, $7) returning ${COLUMNS}`,
      values: [randomBytes(6).toString("hex"), hashOf(token), tenant, principal, role, workspaces, expiresAt],
    }),
  );
  return { token, about: rows[0]! };
}

/** Those that open something, unless all are asked for; the oldest first. */
export async function listTokens(
  pool: Pool,
  { tenant, all = false }: { readonly tenant?: string; readonly all?: boolean },
): Promise<readonly TokenAbout[]> {
  const { rows } = await again(0, () =>
    pool.query<TokenAbout>({
      text: `select ${COLUMNS} from token where ($1::text is null or tenant = $1) and ($2 or ${IS_VALID})
        order by tenant, made_at`,
      values: [tenant ?? null, all],
    }),
  );
  return rows;
}

/** From now on it opens nothing. Undefined where there is none of this id. */
export async function revokeToken(pool: Pool, id: string): Promise<TokenAbout | undefined> {
  const { rows } = await again(0, () =>
    pool.query<TokenAbout>({
      text: `update token set revoked_at = coalesce(revoked_at, clock_timestamp()) where id = $1 returning ${COLUMNS}`,
      values: [id],
    }),
  );
  return rows[0];
}

const IS_VALID = "revoked_at is null and (expires_at is null or expires_at > clock_timestamp())";

/** What these open now; not in it is what opens nothing. Asked for every request, so that one that was revoked is refused at once. */
export async function tokensOf(pool: Pool, tokens: readonly string[]): Promise<Map<string, TokenAbout>> {
  const byHash = hashesOf(tokens);
  const hashes = [...byHash.keys()].map((hash) => Buffer.from(hash, "hex"));
  const [only] = hashes;
  const isOne = hashes.length === 1;
  const find = {
    name: isOne ? "stet-token-1" : "stet-token",
    text: `select hash, ${COLUMNS} from token where hash = ${isOne ? "$1" : "any($1)"} and ${IS_VALID}`,
    values: [isOne ? only : hashes],
  };
  const rows = await inScope(pool, { tokens: hashes }, (client) =>
    within<TokenAbout & { readonly hash: Buffer }>(client, find),
  );
  return new Map(rows.map(({ hash, ...about }) => [byHash.get(hash.toString("hex"))!, about]));
}

/** Those that still open something, of many at once. */
export async function validTokens(pool: Pool, tokens: readonly string[], waitMs: number): Promise<Set<string>> {
  const byHash = hashesOf(tokens);
  const hashes = [...byHash.keys()].map((hash) => Buffer.from(hash, "hex"));
  const find = {
    name: "stet-tokens",
    text: `select hash from token where hash = any($1) and ${IS_VALID}`,
    values: [hashes],
  };
  const rows = await again(waitMs, () =>
    inScope(pool, { tokens: hashes }, (client) => within<{ hash: Buffer }>(client, find)),
  );
  return new Set(rows.map(({ hash }) => byHash.get(hash.toString("hex"))!));
}

/** Only * is special: for any characters, also none. */
export function matchesPattern(name: string, pattern: string): boolean {
  const [first = "", ...rest] = pattern.split("*");
  const last = rest.pop();
  if (last === undefined) return name === pattern;
  if (!name.startsWith(first) || name.length < first.length + last.length || !name.endsWith(last)) return false;
  let at = first.length;
  for (const part of rest) {
    const found = name.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return at <= name.length - last.length;
}

const PRINCIPAL = /^[\w.@-]{1,64}$/;
const MOST_PATTERNS = 100;

function checkToken({ tenant, principal, role, workspaces }: NewToken): void {
  if (tenant !== "") checkName(tenant);
  for (const pattern of workspaces) checkName(pattern);
  if (!PRINCIPAL.test(principal))
    throw invalid(`${shown(principal)} cannot be a principal.`, "Use up to 64 letters, digits and . _ @ - only.");
  if (!ROLES.includes(role)) throw invalid(`${shown(role)} is no role.`, `Use one of ${ROLES.join(", ")}.`);
  if (workspaces.length === 0 || workspaces.length > MOST_PATTERNS)
    throw invalid("A token needs workspaces that it reaches.", `Name 1 to ${MOST_PATTERNS} of them; * stands for all.`);
}

function invalid(why: string, next: string): Refusal {
  return new Refusal("invalid_input", why, { next });
}

function hashesOf(tokens: readonly string[]): Map<string, string> {
  return new Map(tokens.map((token) => [hashOf(token).toString("hex"), token]));
}

function hashOf(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}
