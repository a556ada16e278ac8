// The form that every entry of a journal has: that a line chains does not say that stet wrote it.
import { LINK_MODE, type Outcome } from "../../core/backend.ts";
import { isRecord } from "../../core/is-record.ts";
import { JOURNAL_LIMITS, LIMITS } from "../../core/limits.ts";
import { hasLoneSurrogate } from "../../core/paths.ts";
import { isSha } from "../../core/version.ts";

const { nameChars, messageChars, detailLevels } = JOURNAL_LIMITS;

/** What is wrong, in words that go on after "Entry 5"; null when it is an entry. Fields that are not known yet are let be. */
export function whyUnfit(entry: Readonly<Record<string, unknown>>): string | null {
  if (!isTime(entry.at)) return says("at", "which is not a time as entries write it");
  if (!OUTCOMES.has(entry.outcome as Outcome)) return says("outcome", "which is none that there is");
  if (!isName(entry.session)) return says("session", NO_NAME);
  if (!isName(entry.tool)) return says("tool", NO_NAME);
  if (entry.agent !== undefined && !isName(entry.agent)) return says("agent", NO_NAME);
  if (entry.call !== undefined && !isName(entry.call)) return says("call", NO_NAME);
  if (!Array.isArray(entry.changes)) return says("changes", "which is not a list");
  for (const change of entry.changes) {
    const why = whyUnfitChange(change);
    if (why !== null) return why;
  }
  return whyUnfitNote(entry);
}

/** Canonical, as only `resolve` makes them: names between slashes, none of which leads up or nowhere. */
export function isPath(value: unknown): boolean {
  if (typeof value !== "string" || NOT_CANONICAL.test(value)) return false;
  if (value.length * 3 > LIMITS.pathBytes && Buffer.byteLength(value) > LIMITS.pathBytes) return false;
  return !hasLoneSurrogate(value);
}

/** Exactly as `toISOString` writes it. */
function isTime(value: unknown): value is string {
  if (typeof value !== "string" || value.length !== TIME_CHARS || !TIME.test(value)) return false;
  if (value.charCodeAt(8) < TWO || (value.charCodeAt(8) === TWO && value.charCodeAt(9) < NINE)) return true;
  const date = new Date(value);
  return !Number.isNaN(date.getTime()) && date.toISOString() === value;
}

/** A number that an entry of a journal can have. */
export function isSeq(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) > 0;
}

const OUTCOMES: ReadonlySet<Outcome> = new Set<Outcome>(["applied", "refused", "external", "aborted", "note"]);
const NO_NAME = `which is not a text of at most ${nameChars} characters`;
/** An empty name, "." or "..", or a NUL; where it parts names too, a backslash. */
const NOT_CANONICAL = process.platform === "win32" ? /(?:^|\/)\.{0,2}(?:\/|$)|[\0\\]/ : /(?:^|\/)\.{0,2}(?:\/|$)|\0/;
const TIME = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/;
const TIME_CHARS = "2026-01-31T12:00:00.000Z".length;
/** From the 29th on, the month decides whether there is such a day. */
const TWO = "2".charCodeAt(0);
const NINE = "9".charCodeAt(0);
const ERROR = /^[a-z][a-z_]{0,63}$/;
/** Permission bits. Of the kinds of files only that of a link is told, by a mode of its own. */
const MAX_MODE = 0o7777;

const says = (field: string, why: string): string => `has a "${field}" ${why}`;

function isName(value: unknown): boolean {
  return typeof value === "string" && value.length <= nameChars;
}

function whyUnfitChange(change: unknown): string | null {
  if (!isRecord(change)) return says("changes", "in which something is not a change");
  const { path, from, to, movedFrom, proof } = change;
  if (!isPath(path)) return says("path", NO_PATH);
  if (movedFrom !== undefined && !isPath(movedFrom)) return says("movedFrom", NO_PATH);
  if (from !== null && !isSha(from)) return says("from", NO_SHA);
  if (to !== null && !isSha(to)) return says("to", NO_SHA);
  if (!isSize(change.fromSize)) return says("fromSize", NO_SIZE);
  if (!isSize(change.toSize)) return says("toSize", NO_SIZE);
  if (!isMode(change.fromMode)) return says("fromMode", NO_MODE);
  if (!isMode(change.toMode)) return says("toMode", NO_MODE);
  if (proof !== undefined && !isName(proof)) return says("proof", NO_NAME);
  return null;
}

const NO_PATH = "which is not a path inside a workspace";
const NO_SHA = "which is not a sha256";
const NO_SIZE = "which is not such a number";
const NO_MODE = "which are not the permissions of a file";

function whyUnfitNote({ error, message, of, details }: Readonly<Record<string, unknown>>): string | null {
  if (error !== undefined && !(typeof error === "string" && ERROR.test(error)))
    return says("error", "which is not a kind of refusal");
  if (message !== undefined && !(typeof message === "string" && message.length <= messageChars))
    return says("message", `which is not a text of at most ${messageChars} characters`);
  if (of !== undefined && !(Array.isArray(of) && of.every(isSeq)))
    return says("of", "which is not a list of numbers of entries");
  if (details === undefined) return null;
  if (!isRecord(details)) return says("details", "which is not an object");
  return isWithin(details, detailLevels) ? null : says("details", `of more than ${detailLevels} levels`);
}

function isSize(value: unknown, max: number = Number.MAX_SAFE_INTEGER): boolean {
  return value === undefined || (Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= max);
}

function isMode(value: unknown): boolean {
  return value === LINK_MODE || isSize(value, MAX_MODE);
}

function isWithin(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return true;
  if (levels === 0) return false;
  for (const each of Object.values(value)) if (!isWithin(each, levels - 1)) return false;
  return true;
}
