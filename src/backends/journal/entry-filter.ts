// Which entries a LogFilter asks for: exactly, and as a quick test of the raw line that spares parsing most others.
import type { Aspect, Entry, LogFilter, Outcome } from "../../core/backend.ts";
import { Refusal } from "../../core/failure.ts";
import { encode } from "./entry.ts";

/** Sequence numbers and times are inclusive at both ends. A path matches under its old name too. */
export function matches(entry: Entry, filter: LogFilter): boolean {
  if (filter.sinceSeq !== undefined && entry.seq < filter.sinceSeq) return false;
  if (filter.untilSeq !== undefined && entry.seq > filter.untilSeq) return false;
  const [since, until] = periodOf(filter);
  if ((since !== undefined && entry.at < since) || (until !== undefined && entry.at > until)) return false;
  const { path } = filter;
  if (path !== undefined && !entry.changes.some((change) => change.path === path || change.movedFrom === path))
    return false;
  return isOfKind(kindOf(entry), filter);
}

/** What a filter can ask about an entry besides its number, time and paths: few kinds stand for many entries. */
export type Kind = readonly [
  outcome: Outcome,
  session: string,
  agent: string | null,
  tool: string,
  aspects: readonly Aspect[],
];

export function isOfKind([outcome, session, agent, tool, aspects]: Kind, filter: LogFilter): boolean {
  if (filter.session !== undefined && session !== filter.session) return false;
  if (filter.agent !== undefined && agent !== filter.agent) return false;
  if (filter.tool !== undefined && tool !== filter.tool) return false;
  if (filter.outcomes !== undefined && !filter.outcomes.includes(outcome)) return false;
  return filter.only === undefined || aspects.includes(filter.only);
}

export function kindOf(entry: Entry): Kind {
  const { outcome, session, agent = null, tool } = entry;
  return [outcome, session, agent, tool, aspectsOf(entry)];
}

export function aspectsOf({ changes, of, details }: Entry): Aspect[] {
  const speaks = of !== undefined && of.length > 0;
  const removes = changes.some(({ from, to, movedFrom }) => from !== null && (to === null || movedFrom !== undefined));
  const told = details?.restored !== undefined || details?.purged !== undefined;
  return [...(speaks ? (["of entries"] as const) : []), ...(speaks || removes || told ? (["trash"] as const) : [])];
}

/** Both ends are part of it. */
export function periodOf({ since, until }: LogFilter): readonly [since: string | undefined, until: string | undefined] {
  return [since === undefined ? undefined : moment(since), until === undefined ? undefined : moment(until)];
}

/** False only for lines whose entry certainly does not match. */
export function lineFilter({ session, agent, tool, path }: LogFilter): (line: Buffer) => boolean {
  const needles = Object.entries({ session, agent, tool }).flatMap(([key, value]) =>
    value === undefined ? [] : Buffer.from(`"${key}":${encode(value)}`),
  );
  if (path !== undefined) needles.push(Buffer.from(encode(path)));
  return (line) => needles.every((wanted) => line.indexOf(wanted) !== -1);
}

/** Any way of writing a time, as entries write theirs. */
function moment(time: string): string {
  const date = new Date(time);
  const next = "Give an ISO time: 2026-01-31T12:00:00Z.";
  if (Number.isNaN(date.getTime())) throw new Refusal("invalid_input", `"${time}" is not a time.`, { next });
  const written = date.toISOString();
  // Times are compared as text: a year with a sign would come before all others.
  if (!/^\d/.test(written)) throw new Refusal("invalid_input", `"${time}" is beyond the years 0000 to 9999.`, { next });
  return written;
}
