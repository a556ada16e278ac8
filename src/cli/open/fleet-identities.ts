// Callers whom an identity provider vouches for: what their tokens say becomes a tenant, a role and workspaces, or they are refused.
import { isName } from "../../backends/postgres/tenants/names.ts";
import { ROLES, type Role } from "../../backends/postgres/tenants/tokens.ts";
import { jwtReader } from "../../serve/http/access/jwt.ts";
import { type Principal, scopeChallenge, secretIn, type Tokens } from "../../serve/http/access/tokens.ts";
import type { Identities } from "../config/fleet.ts";
import { principalOf } from "./fleet-tokens.ts";

const CLAIMS = { principal: "sub", tenant: "stet_tenant", role: "stet_role", workspaces: "stet_workspaces" } as const;
const MUST_BE: Readonly<Record<keyof typeof CLAIMS, string>> = {
  principal: "must say who calls, in up to 128 letters, digits and . _ @ | : + -",
  tenant: "must name a tenant",
  role: `must be ${ROLES.join(", ")}`,
  workspaces: "must name workspaces",
};
const PRINCIPAL = /^[\w.@|:+-]{1,128}$/;
const MOST_PATTERNS = 100;
const LONGEST_TIMER = 2 ** 31 - 1;

/** Tokens of the database and those of the provider: they are told apart by their form. */
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
    lately: (header) => (isOurs(header) ? own.lately?.(header) : undefined),
    async authenticate(header, from) {
      if (isOurs(header)) return own.authenticate(header, from);
      const found = await judged(header);
      return typeof found === "string" ? undefined : found;
    },
    async whyNot(header) {
      const found = isOurs(header) ? undefined : await judged(header);
      return typeof found === "string" ? found : undefined;
    },
    watch(header, ended) {
      if (isOurs(header)) return own.watch?.(header, ended) ?? (() => {});
      const timer = setTimeout(ended, Math.min(LONGEST_TIMER, Math.max(0, endOf(secretIn(header)!) - Date.now())));
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
  const isFit = names.length > 0 && names.length <= MOST_PATTERNS && names.every((name) => isName(name));
  return isFit ? (names as string[]) : undefined;
}
