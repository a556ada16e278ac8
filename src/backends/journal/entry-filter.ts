// Which entries a LogFilter asks for: exactly, and as a quick test of the raw line that spares parsing most others.

import type { Aspect, Entry, LogFilter, Outcome } from "../../core/backend.ts";
import { Refusal } from "../../core/failure.ts";
import { encode } from "./entry.ts";

/** Sequence numbers and times are inclusive at both ends. A path matches under its old name too. */
export function matches(entry: Entry, filter: LogFilter): boolean {
  if (filter.sinceSeq !== undefined && entry.seq < filter.sinceSeq) return false;
  if (filter.untilSeq !== undefined && entry.seq > filter.untilSeq) return false;
  if (filter.since !== undefined && entry.at < moment(filter.since)) return false;
  if (filter.until !== undefined && entry.at > moment(filter.until)) return false;
  if (filter.session !== undefined && entry.session !== filter.session) return false;
  if (filter.agent !== undefined && entry.agent !== filter.agent) return false;
  if (filter.tool !== undefined && entry.tool !== filter.tool) return false;
  if (filter.outcomes !== undefined && !filter.outcomes.includes(entry.outcome)) return false;
  if (filter.only !== undefined && !aspectsOf(entry).includes(filter.only)) return false;
  const { path } = filter;
  return path === undefined || entry.changes.some((change) => change.path === path || change.movedFrom === path);
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
export function lineFilter(filter: LogFilter): (line: Buffer) => boolean {
  const [since, until] = periodOf(filter);
  const timed = since !== undefined || until !== undefined;
  const needles = [
    needle("session", filter.session),
    needle("agent", filter.agent),
    needle("tool", filter.tool),
    filter.path === undefined ? undefined : Buffer.from(encode(filter.path)),
    filter.outcomes?.length === 1 ? needle("outcome", filter.outcomes[0]) : undefined,
  ].filter((wanted) => wanted !== undefined);
  const signs = filter.only === undefined ? [] : SIGNS[filter.only];

  return (line) => {
    if (timed) {
      const at = timeOf(line);
      if (at !== null && since !== undefined && at < since) return false;
      if (at !== null && until !== undefined && at > until) return false;
    }
    for (const wanted of needles) if (line.indexOf(wanted) === -1) return false;
    return signs.length === 0 || signs.some((sign) => line.indexOf(sign) !== -1);
  };
}

const OF = '"of":[';
const SIGNS: Readonly<Record<Aspect, readonly string[]>> = {
  "of entries": [OF],
  trash: [OF, '"to":null', '"movedFrom":', '"restored":', '"purged":'],
};

const needle = (key: string, value: string | undefined) =>
  value === undefined ? undefined : Buffer.from(`"${key}":${encode(value)}`);

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

const AT_KEY = ',"at":"';
const AT_CHARS = "2026-01-31T12:00:00.000Z".length;

/** `at` follows `seq` at the start of every line. */
function timeOf(line: Buffer): string | null {
  const key = line.indexOf(AT_KEY);
  if (key === -1 || key > 32) return null;
  const at = line.toString("latin1", key + AT_KEY.length, key + AT_KEY.length + AT_CHARS);
  return at.endsWith("Z") ? at : null;
}
