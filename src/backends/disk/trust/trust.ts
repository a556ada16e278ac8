// Whether a state was made here: by this user, on this machine, in this place. Any other is looked at, never used.
import fs from "node:fs";
import { dirname } from "node:path";
import { Refusal } from "../../../core/failure.ts";
import type { Dir } from "../paths/pin.ts";
import { isOurs, readStateFile, writeNewStateFile } from "../state/file.ts";
import { trackedByGit } from "./git-index.ts";
import { type Identity, isId, newId, newKey, type Register, type StateRecord } from "./register.ts";

/**
 * new: an empty directory · ours: recorded as made here · earlier: made before there were records, or by others: it has
 * to be looked through · foreign: it must not be used, and `why` completes "It …".
 */
export type Verdict =
  | { readonly kind: "new" }
  | { readonly kind: "ours"; readonly record: StateRecord }
  | { readonly kind: "earlier" }
  | { readonly kind: "foreign"; readonly why: string };

export function judge(base: Dir, path: string, register: Register): Verdict {
  const stat = fs.statSync(base.self, { bigint: true });
  if (!isOurs({ uid: Number(stat.uid) })) return foreign(OTHER_OWNER);
  const names = fs.readdirSync(base.self).filter((name) => !CLAIM.test(name));
  if (names.length === 0) return { kind: "new" };
  const id = idIn(base);
  const record = id === null || id === MALFORMED ? null : register.find(id);
  const here = identityOf(stat, path);
  const tracked = trackedByGit(path);
  if (tracked === true) {
    // What git wrote into it stays there when it is taken out of git again. A clone of it says nothing about the original.
    if (record !== null && isSame(record, here))
      register.note(record.id, (known) => ({ ...known, spoiled: WAS_TRACKED }));
    return foreign(TRACKED);
  }
  if (tracked === "unknown") return foreign(INDEX_UNREADABLE);
  if (id === MALFORMED) return foreign("has an id that stet did not write");
  if (id !== null && record === null) return foreign(UNKNOWN);
  if (record !== null && !isSame(record, here)) return foreign("is a copy of another state");
  // Last, because this alone can be mended: of a state from elsewhere it must not be said.
  if ((Number(stat.mode) & OPEN_TO_OTHERS) !== 0 && record?.modes !== false && process.platform !== "win32") {
    return foreign(OPEN);
  }
  if (record === null) return { kind: names.every((name) => name === ".gitignore") ? "new" : "earlier" };
  if (record.spoiled !== undefined) return foreign(record.spoiled);
  return { kind: "ours", record: followed(record, here, register) };
}

/**
 * The record is there before the id is, so all who see the id find the record; of several who try at the same time one
 * wins, and the others go by what it wrote.
 */
export function claim(base: Dir, path: string, register: Register, elsewhere = 0): StateRecord {
  makePrivate(base);
  const stat = fs.statSync(base.self, { bigint: true });
  const modes = (Number(stat.mode) & OPEN_TO_OTHERS) === 0;
  const record: StateRecord = { id: newId(), key: newKey(), ...identityOf(stat, path), modes, elsewhere };
  register.write(record);
  const mine = base.at(`${ID}-${record.id}`);
  try {
    // Its bytes are safe before it gets its name: an id that is cut short would be one that stet did not write.
    writeNewStateFile(mine, [`${record.id}\n`], register.flushes);
    giveName(mine, base.at(ID));
    // Before anything else is made here: a state without its id would be one from elsewhere.
    if (register.flushes) base.fsync();
    return record;
  } catch (error) {
    register.remove(record.id);
    const winner = (error as NodeJS.ErrnoException).code === "EEXIST" ? judge(base, path, register) : null;
    if (winner?.kind === "ours") return winner.record;
    throw error;
  } finally {
    fs.rmSync(mine, { force: true });
  }
}

/** For every command and every change alike: what is wrong, and the two ways out, which are the owner's. */
export function foreignState(shownAs: string, why: string): Refusal {
  return new Refusal(
    why === OTHER_OWNER ? "permission_denied" : "unsupported",
    `The state in ${shownAs} is not used, because it ${why}: files can be read, but nothing is changed, undone or written down.`,
    { next: waysOut(shownAs, why), details: { stateNotUsed: why } },
  );
}

function waysOut(shownAs: string, why: string): string {
  if (why === OTHER_OWNER) {
    return "Run stet as its owner, have them move it away, or keep the state elsewhere: STET_STATE_DIR, stateDir.";
  }
  const first: Readonly<Record<string, string>> = {
    [TRACKED]: `, after git rm -r --cached ${shownAs}`,
    [INDEX_UNREADABLE]: ", when git has written its index anew",
  };
  const closing = why === OPEN ? ` chmod 700 ${shownAs}, if no other user wrote there, and it is used as it is;` : "";
  const lasting = why === UNKNOWN ? " Where your home does not last, set STET_REGISTER to a directory that does." : "";
  return `The owner of the workspace decides, in its directory${first[why] ?? ""}:${closing} stet adopt takes its history over, stet adopt --afresh moves it aside and starts anew.${lasting}`;
}

const ID = "id";
/** What a process that claims the directory at this moment, or died while doing so, has put there. */
const CLAIM = /^id-[0-9a-f]{32}$/;
const MALFORMED = "malformed";
export const OTHER_OWNER = "belongs to another user";
export const TRACKED = "is tracked by git";
export const INDEX_UNREADABLE = "may be tracked by git, whose index cannot be read whole";
const WAS_TRACKED = "was tracked by git, which may have replaced parts of it";
const OPEN = "is open to other users";
const UNKNOWN = "was not made here by this user";
const OPEN_TO_OTHERS = 0o077;

function foreign(why: string): Verdict {
  return { kind: "foreign", why };
}

function idIn(base: Dir): string | null {
  try {
    const text = readStateFile(base.at(ID), 64, { anyLinks: true })?.toString("latin1");
    if (text === undefined) return null;
    return text.endsWith("\n") && isId(text.slice(0, -1)) ? text.slice(0, -1) : MALFORMED;
  } catch (error) {
    if (error instanceof Refusal) return MALFORMED;
    throw error;
  }
}

function identityOf(stat: fs.BigIntStats, path: string): Identity {
  const { dev, ino, uid, birthtimeNs } = stat;
  return { dev: `${dev}`, ino: `${ino}`, born: tellsBirths() ? `${birthtimeNs}` : "0", uid: Number(uid), path };
}

let birthsAreTold: boolean | undefined;

/** A system that cannot tell when a file was made gives the time of its last change instead, of every file. */
function tellsBirths(): boolean {
  birthsAreTold ??= [process.execPath, dirname(process.execPath), "/", "/tmp"].some((path) => {
    const stat = fs.statSync(path, { bigint: true, throwIfNoEntry: false });
    return stat !== undefined && stat.birthtimeNs !== stat.ctimeNs;
  });
  return birthsAreTold;
}

/** A number of a disk may change at a restart, and a path when the project is moved; one of the two stays. */
function isSame(known: StateRecord, here: Identity): boolean {
  const sameDirectory = known.ino === here.ino && (known.dev === here.dev || known.path === here.path);
  return sameDirectory && known.born === here.born && known.uid === here.uid;
}

/** What may change does not have to be the same the next time. */
function followed(known: StateRecord, here: Identity, register: Register): StateRecord {
  if (known.path === here.path && known.dev === here.dev) return known;
  register.note(known.id, (now) => ({ ...now, ...here }));
  return { ...known, ...here };
}

/** Where the file system keeps no permissions, the record says so. */
function makePrivate(base: Dir): void {
  try {
    fs.chmodSync(base.self, 0o700);
  } catch {
    // what it has instead is looked at next
  }
}

/** By a link, which never replaces what another process put there; where there are none, by a rename. */
function giveName(from: string, to: string): void {
  try {
    fs.linkSync(from, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") throw error;
    if (fs.lstatSync(to, { throwIfNoEntry: false }) !== undefined) throw Object.assign(new Error(), { code: "EEXIST" });
    fs.renameSync(from, to);
  }
}
