// The form that every entry of a journal has: that a line chains does not say that stet wrote it.
import { LINK_MODE, type Outcome } from "../../core/backend.ts";
import { isRecord } from "../../core/is-record.ts";
import { JOURNAL_LIMITS, LIMITS } from "../../core/limits.ts";
import { isSha } from "../../core/version.ts";
import { hasLoneSurrogate } from "../paths.ts";

const { nameChars, messageChars, detailLevels } = JOURNAL_LIMITS;

type Fields = Readonly<Record<string, unknown>>;

/** What is wrong, in words that go on after "Entry 5"; null when it is an entry. Fields that are not known yet are let be. */
export function whyUnfit(entry: Fields): string | null {
  const { at, outcome, session, tool, agent, call, changes } = entry;
  if (!isTime(at)) return says("at", "which is not a time as entries write it");
  if (!OUTCOMES.has(outcome)) return says("outcome", "which is none that there is");
  if (!isName(session)) return says("session", NO_NAME);
  if (!isName(tool)) return says("tool", NO_NAME);
  if (agent !== undefined && !isName(agent)) return says("agent", NO_NAME);
  if (call !== undefined && !isName(call)) return says("call", NO_NAME);
  if (!Array.isArray(changes)) return says("changes", "which is not a list");
  for (const change of changes) {
    const why = whyUnfitChange(change);
    if (why !== null) return why;
  }
  return whyUnfitNote(entry);
}

function whyUnfitChange(change: unknown): string | null {
  if (!isRecord(change)) return says("changes", "in which something is not a change");
  const { path, from, to, fromSize = 0, toSize = 0, fromMode = 0, toMode = 0, movedFrom = path, proof = "" } = change;
  if (!isPath(path)) return says("path", NO_PATH);
  if (movedFrom !== path && !isPath(movedFrom)) return says("movedFrom", NO_PATH);
  if (from !== null && !isSha(from)) return says("from", NO_SHA);
  if (to !== null && !isSha(to)) return says("to", NO_SHA);
  if (!isSize(fromSize)) return says("fromSize", NO_SIZE);
  if (!isSize(toSize)) return says("toSize", NO_SIZE);
  if (!isMode(fromMode)) return says("fromMode", NO_MODE);
  if (!isMode(toMode)) return says("toMode", NO_MODE);
  return isName(proof) ? null : says("proof", NO_NAME);
}

function whyUnfitNote({ error = "x", message = "", of = [], details = {} }: Fields): string | null {
  if (typeof error !== "string" || !ERROR.test(error)) return says("error", "which is not a kind of refusal");
  if (typeof message !== "string" || message.length > messageChars)
    return says("message", `which is not a text of at most ${messageChars} characters`);
  if (!Array.isArray(of) || !of.every(isSeq)) return says("of", "which is not a list of numbers of entries");
  if (!isRecord(details)) return says("details", "which is not an object");
  return isWithin(details, detailLevels) ? null : says("details", `of more than ${detailLevels} levels`);
}

const says = (field: string, why: string): string => `has a "${field}" ${why}`;

/** Canonical, as only `resolve` makes them: names between slashes, none of which leads up or nowhere. */
export function isPath(value: unknown): boolean {
  if (typeof value !== "string" || NOT_CANONICAL.test(value)) return false;
  if (value.length * 3 > LIMITS.pathBytes && Buffer.byteLength(value) > LIMITS.pathBytes) return false;
  return !hasLoneSurrogate(value);
}

/** Exactly as `toISOString` writes it. */
function isTime(value: unknown): boolean {
  if (typeof value !== "string" || value.length !== TIME_CHARS) return false;
  if (TIME.test(value)) return true;
  const date = new Date(value);
  return !Number.isNaN(date.getTime()) && date.toISOString() === value;
}

/** A number that an entry of a journal can have. */
export function isSeq(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) > 0;
}

const OUTCOMES: ReadonlySet<unknown> = new Set<Outcome>(["applied", "refused", "external", "aborted", "note"]);
/** An empty name, "." or "..", or a NUL; where it parts names too, a backslash. */
const NOT_CANONICAL = process.platform === "win32" ? /(?:^|\/)\.{0,2}(?:\/|$)|[\0\\]/ : /(?:^|\/)\.{0,2}(?:\/|$)|\0/;
/** From the 29th on, the month decides whether there is such a day. */
const TIME = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/;
const TIME_CHARS = "2026-01-31T12:00:00.000Z".length;
const ERROR = /^[a-z][a-z_]{0,63}$/;
/** Permission bits. Of the kinds of files only that of a link is told, by a mode of its own. */
const MAX_MODE = 0o7777;

const isName = (value: unknown): boolean => typeof value === "string" && value.length <= nameChars;
const isSize = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 0;
const isMode = (value: unknown): boolean => value === LINK_MODE || (isSize(value) && (value as number) <= MAX_MODE);

function isWithin(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return true;
  if (levels === 0) return false;
  for (const each of Object.values(value)) if (!isWithin(each, levels - 1)) return false;
  return true;
}

const NO_NAME = `which is not a text of at most ${nameChars} characters`;
const NO_PATH = "which is not a path inside a workspace";
const NO_SHA = "which is not a sha256";
const NO_SIZE = "which is not such a number";
const NO_MODE = "which are not the permissions of a file";
