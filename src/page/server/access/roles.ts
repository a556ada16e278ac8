// Rights of a visitor of the page. Only here do roles of tokens become rights.
import type { Principal } from "../../../serve/http/access/tokens.ts";

/**
 * An owner sees everything and takes back. A writer takes back what the policy lets agents change, and sees what it lets
 * them read. A viewer sees the same and changes nothing.
 */
export type Role = "owner" | "writer" | "viewer";

export interface Visitor {
  /** The journal records what they do under this agent name. */
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
 * The owner of a token, as a visitor. A token without a role is for an agent, which takes back by its tools only: it is a
 * viewer here.
 */
export function visitorOf({ name, granted }: Principal): Visitor {
  if (granted === undefined) return { name, role: "viewer" };
  return { name: granted.agent, role: granted.mayChange ? "writer" : "viewer" };
}
