// Which kind of lock a workspace has: chosen by the first process that opens it, kept to by all others.
import { randomBytes } from "node:crypto";
import fs from "node:fs";
import { Refusal } from "../../kernel/failure.ts";
import { flock } from "./flock.ts";
import { linkLock } from "./link-lock.ts";
import type { FlavourKind } from "./lock-flavour.ts";

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
  if (!fs.existsSync(path)) record(path, firstChoice(dir, wanted).kind);
  const found = fs.readFileSync(path, "utf8").trim();
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
  const pin = fs.openSync(path, fs.constants.O_RDONLY);
  const { dev, ino } = fs.fstatSync(pin, { bigint: true });
  return { flavour, identity: `${dev}:${ino}`, pin };
}

const NAME = "lock-kind";
const BY_NAME = { flock, link: linkLock };
const FLAVOURS: readonly FlavourKind[] = [flock, linkLock];

/** To lock by another kind instead would be no lock: whoever uses the recorded one would not see it. */
function unusable(path: string, kind: string, reason: string | null): Refusal {
  const why = `The lock of this workspace is ${JSON.stringify(kind)}, recorded in ${path}, which cannot be used here: ${reason}.`;
  return new Refusal("unsupported", `${why} Files can be read, but not changed.`, {
    next: `Stop every stet on this workspace, remove ${path}, and make the next change with this one.`,
    details: { lock: kind, recordedIn: path },
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

/** Whoever comes first decides. The file appears with its content, never empty, also after a power failure. */
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
