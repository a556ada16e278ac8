// Whose steps a sum is of, in the address and in words.
import { longTime, name, short } from "../shown.ts";

/** All that is given must hold. */
export interface Whose {
  readonly session?: string;
  readonly agent?: string;
  readonly since?: string;
  readonly until?: string;
}

const FIELDS = ["session", "agent", "since", "until"] as const;

export function ofWhom(whose: { readonly [Field in keyof Whose]: string | undefined }): string {
  const given = FIELDS.flatMap((field) => (whose[field] === undefined ? [] : [[field, whose[field]]]));
  return new URLSearchParams(given as string[][]).toString();
}

/** Also as addresses had it before: one of them, behind a colon. */
export function whoseIn(of: string): Whose {
  const old = /^(session|agent|since):(.*)$/s.exec(of);
  if (old !== null) return { [old[1]!]: old[2]! };
  const given = new URLSearchParams(of);
  return Object.fromEntries(FIELDS.flatMap((field) => (given.get(field) ? [[field, given.get(field)!]] : [])));
}

/** "everything of codex since …". */
export function titleOf({ session, agent, since, until }: Whose): string {
  const who = session !== undefined ? `session ${short(session)}` : "everything";
  const times = [since && `since ${longTime(since)}`, until && `until ${longTime(until)}`];
  return [who, agent && `of ${name(agent)}`, ...times].filter(Boolean).join(" ");
}
