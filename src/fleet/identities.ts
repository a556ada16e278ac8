// Tokens of an identity provider: their claims become a tenant, a role and workspaces, or the caller is refused.
import { isName } from "../backends/postgres/tenants/names.ts";
import { ROLES, type Role } from "../backends/postgres/tenants/tokens.ts";
import { jwtReader } from "../serve/http/access/jwt.ts";
import { type Principal, scopeChallenge, secretIn, type Tokens } from "../serve/http/access/tokens.ts";
import { principalOf } from "./tokens.ts";

/** An identity provider whose tokens are taken, besides those of the database. */
export interface Identities {
  readonly issuer: string;
  readonly audience: string;
  readonly jwks: string;
  /** All of its tokens are of this tenant. */
  readonly tenant?: string | undefined;
  /** What clients ask the provider for to get a role that may change files. */
  readonly writeScope?: string | undefined;
  /** Which claim says what. */
  readonly claims?: { readonly [K in keyof typeof CLAIMS]?: string | undefined } | undefined;
}

const CLAIMS = { principal: "sub", tenant: "stet_tenant", role: "stet_role", workspaces: "stet_workspaces" } as const;
const MUST_BE: Readonly<Record<keyof typeof CLAIMS, string>> = {
  principal: "must say who calls, in up to 128 letters, digits and . _ @ | : + -",
  tenant: "must name a tenant",
  role: `must be ${ROLES.join(", ")}`,
  workspaces: "must name workspaces",
};
const PRINCIPAL = /^[\w.@|:+-]{1,128}$/;
const MAX_PATTERNS = 100;
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Tokens of the database and those of the provider: their form distinguishes them. */
export async function withIdentities(own: Tokens, identities: Identities | undefined): Promise<Tokens> {
  if (identities === undefined) return own;
  const read = await jwtReader(identities);
  const isOurs = (header: string | undefined): boolean => secretIn(header)?.startsWith("stet_") ?? true;
  const judged = async (header: string | undefined): Promise<Principal | string> => {
    const claims = await read(secretIn(header)!);
    return typeof claims === "string" ? claims : granted(claims, identities);
  };
  return {
    resource: { resource: identities.audience, issuer: identities.issuer },
    async authenticate(header) {
      if (isOurs(header)) return own.authenticate(header);
      const found = await judged(header);
      return typeof found === "string" ? undefined : found;
    },
    async whyNot(header) {
      const found = isOurs(header) ? undefined : await judged(header);
      return typeof found === "string" ? found : undefined;
    },
    watch(header, ended) {
      if (isOurs(header)) return own.watch?.(header, ended) ?? (() => {});
      const timer = setTimeout(ended, Math.min(MAX_TIMER_MS, Math.max(0, endOf(secretIn(header)!) - Date.now())));
      timer.unref();
      return () => clearTimeout(timer);
    },
  };
}

/** Of a token that was found to be good. */
function endOf(token: string): number {
  const { exp } = JSON.parse(Buffer.from(token.split(".")[1]!, "base64url").toString()) as { exp: number };
  return exp * 1000;
}

/** In words where anything that says what may be done is missing, or is not of its form. */
function granted(
  claims: Readonly<Record<string, unknown>>,
  { claims: named, tenant, writeScope, audience, issuer }: Identities,
): Principal | string {
  const nameOf = (key: keyof typeof CLAIMS): string => named?.[key] ?? CLAIMS[key];
  const of = (key: keyof typeof CLAIMS): unknown => claims[nameOf(key)];
  const lacking = (key: keyof typeof CLAIMS): string => `its claim ${nameOf(key)} ${MUST_BE[key]}`;
  const principal = of("principal");
  const whose = tenant ?? of("tenant");
  const role = of("role");
  const workspaces = namesIn(of("workspaces"));
  if (typeof principal !== "string" || !PRINCIPAL.test(principal)) return lacking("principal");
  if (typeof whose !== "string" || !isName(whose)) return lacking("tenant");
  if (!ROLES.includes(role as Role)) return lacking("role");
  if (workspaces === undefined) return lacking("workspaces");
  const known = principalOf({ tenant: whose, principal, role: role as Role, workspaces });
  if (role !== "read" || writeScope === undefined) return known;
  const challenge = scopeChallenge({ resource: audience, issuer }, writeScope);
  return { ...known, granted: { ...known.granted!, challenge } };
}

/** A list, or names with spaces between them. */
function namesIn(claim: unknown): readonly string[] | undefined {
  const names: readonly unknown[] =
    typeof claim === "string" ? claim.split(" ").filter((name) => name !== "") : Array.isArray(claim) ? claim : [];
  const isFit = names.length > 0 && names.length <= MAX_PATTERNS && names.every((name) => isName(name));
  return isFit ? (names as string[]) : undefined;
}
