// Rights of a visitor of the page: the one place where roles of tokens become rights.
import type { Principal } from "../../../serve/http/access/tokens.ts";

/**
 * "owner": looks at everything and takes back. "writer": takes back what the policy lets agents change, and looks at
 * what it lets them read. "viewer": looks at that, too, and changes nothing.
 */
export type Role = "owner" | "writer" | "viewer";

/** Who looks at the page. */
export interface Visitor {
  /** The agent name under which the journal has what they do. */
  readonly name: string;
  readonly role: Role;
}

export function mayChange({ role }: Visitor): boolean {
  return role !== "viewer";
}

export function seesAll({ role }: Visitor): boolean {
  return role === "owner";
}

/**
 * Whose token it is, as a visitor. Tokens without a role are for agents, which take back nothing but by their tools: so
 * they look.
 */
export function visitorOf({ name, granted }: Principal): Visitor {
  if (granted === undefined) return { name, role: "viewer" };
  return { name: granted.agent, role: granted.mayChange ? "writer" : "viewer" };
}
