// What a visitor of the page may do. The one place where roles of tokens become rights on the page.
import type { Principal } from "../../http/access/tokens.ts";

/** "owner": looks at everything and takes back. "viewer": looks, at what the policy lets agents read. */
export type Role = "owner" | "viewer";

/** Who looks at the page. */
export interface Visitor {
  /** The agent name under which the journal has what they do. */
  readonly name: string;
  readonly role: Role;
}

export function mayChange({ role }: Visitor): boolean {
  return role === "owner";
}

/**
 * Whose token it is, as a visitor. Tokens are for agents, which take back nothing but by their tools: so they look. One
 * that reaches only some of the workspaces lets in to none: the page shows all that are served.
 */
export function visitorOf({ name, granted }: Principal & { readonly granted?: unknown }): Visitor | undefined {
  return granted === undefined ? { name, role: "viewer" } : undefined;
}
