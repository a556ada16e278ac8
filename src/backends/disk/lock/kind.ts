// Which kind of lock a workspace has: chosen by the first process that opens it, kept to by all others.
import { randomBytes } from "node:crypto";
import fs from "node:fs";
import { Refusal } from "../../../core/failure.ts";
import { JOURNAL_LIMITS } from "../../../core/limits.ts";
import { openStateFile, readStateFile } from "../state/file.ts";
import type { FlavourKind } from "./contract.ts";
import { flock } from "./flock.ts";
import { linkLock } from "./link-lock.ts";

export interface RecordedKind {
  readonly flavour: FlavourKind;
  /** The same for every opening of the same lock, by whatever path, as long as `pin` is open. */
  readonly identity: string;
  /** Keeps the identity from being given to another lock when this one is deleted. The caller closes it. */
  readonly pin: number;
}

/** `shownAs`: the directory as its owner knows it, for the words of a refusal. */
export function recordedKind(dir: string, wanted: "flock" | "link" | undefined, shownAs = dir): RecordedKind {
  const path = `${dir}/${NAME}`;
  const found = kindIn(path) ?? recorded(path, firstChoice(dir, wanted).kind);
  const flavour = FLAVOURS.find(({ kind }) => kind === found);
  const reason = flavour === undefined ? "this stet does not know it here" : flavour.unusable(dir);
  if (flavour === undefined || reason !== null) {
    throw unusable(`${shownAs}/${NAME}`, found, reason);
  }
  if (wanted !== undefined && flavour !== BY_NAME[wanted]) {
    throw new Refusal("unsupported", `This workspace is locked by "${found}", not by "${wanted}".`, {
      next: "Open it without asking for a kind of lock.",
    });
  }
  const pin = openStateFile(path, { maxBytes: JOURNAL_LIMITS.lockBytes, anyLinks: true })?.fd;
  if (pin === undefined) throw removed(`${shownAs}/${NAME}`);
  const { dev, ino } = fs.fstatSync(pin, { bigint: true });
  return { flavour, identity: `${dev}:${ino}`, pin };
}

/** Null when nothing is recorded yet. */
function kindIn(path: string): string | null {
  return readStateFile(path, JOURNAL_LIMITS.lockBytes, { anyLinks: true })?.toString("utf8").trim() ?? null;
}

function recorded(path: string, kind: string): string {
  record(path, kind);
  const found = kindIn(path);
  if (found === null) throw removed(path);
  return found;
}

function removed(path: string): Refusal {
  return new Refusal("busy", `${path} was removed while the lock of this workspace was being opened.`, {
    next: "Try again.",
  });
}

const NAME = "lock-kind";
/** Kinds look so. What looks otherwise is not shown at all: it could be a line of any file. */
const KIND = /^(?:link|flock [a-z0-9]{1,16})$/;
const BY_NAME = { flock, link: linkLock };
const FLAVOURS: readonly FlavourKind[] = [flock, linkLock];

/** To lock by another kind instead would be no lock: processes that use the recorded one would not see it. */
function unusable(path: string, found: string, reason: string | null): Refusal {
  const kind = KIND.test(found) ? `"${found}"` : "of a kind that stet did not write";
  const why = `The lock of this workspace is ${kind}, recorded in ${path}, which cannot be used here: ${reason}.`;
  return new Refusal("unsupported", `${why} Files can be read, but not changed.`, {
    next: `Stop every stet on this workspace, remove ${path}, and make the next change with this one.`,
    details: { recordedIn: path, ...(KIND.test(found) && { lock: found }) },
  });
}

function firstChoice(dir: string, wanted: "flock" | "link" | undefined): FlavourKind {
  const choices = wanted === undefined ? FLAVOURS : [BY_NAME[wanted]];
  const usable = choices.find((flavour) => flavour.unusable(dir) === null);
  if (usable !== undefined) return usable;
  const reasons = choices.map((flavour) => `${flavour.kind}: ${flavour.unusable(dir)}`).join("; ");
  throw new Refusal("unsupported", `No lock between processes works here (${reasons}).`, {
    next: "Keep the state on a local disk.",
  });
}

/** The process that comes first decides. The file appears with its content, never empty, also after a power failure. */
function record(path: string, kind: string): void {
  const mine = `${path}.${randomBytes(8).toString("hex")}`;
  fs.writeFileSync(mine, `${kind}\n`, { flag: "wx", mode: 0o600, flush: true });
  try {
    fs.linkSync(mine, path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EEXIST") return;
    // Without hard links: a rename may replace what another opener recorded in the same instant, with the same choice.
    fs.renameSync(mine, path);
  } finally {
    fs.rmSync(mine, { force: true });
  }
}
