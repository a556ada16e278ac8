// What has to hold before anything of a state is moved: that it needs adopting, may be moved, and can be.
import fs from "node:fs";
import { isStateNotUsed, Refusal } from "../../../core/failure.ts";
import { LIMITS } from "../../../core/limits.ts";
import { shown } from "../../../core/printable.ts";
import type { Dir } from "../paths/pin.ts";
import type { Root } from "../paths/root.ts";
import { isOurs } from "../state/file.ts";
import { openState, type StateOptions } from "../state/state.ts";
import { newId, newKey, type Register } from "./register.ts";
import { INDEX_UNREADABLE, OTHER_OWNER, TRACKED } from "./trust.ts";

/** Of a state that was made here: why stet does not use it all the same, to complete "It …"; null when it does. */
export async function whyNotOpened(root: Root, options: Omit<StateOptions, "segmentBytes">): Promise<string | null> {
  try {
    const state = await openState(root, { ...options, segmentBytes: LIMITS.segmentBytes }, false);
    try {
      const release = await state?.lock.acquire({ timeoutMs: LIMITS.lockMs });
      release?.();
    } finally {
      state?.close();
    }
    return null;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    if (error.kind === "journal_damaged") return `cannot be opened: ${error.failure.message.replace(/\.$/, "")}`;
    if (isStateNotUsed(error)) return String(error.failure.details?.stateNotUsed);
    throw error;
  }
}

/** Git would write into it again, and what belongs to another user is not ours to move. */
export function refuseUnmovable(why: string | null): void {
  if (why === TRACKED) {
    throw new Refusal("unsupported", `The state ${why}, so a checkout could replace parts of it at any time.`, {
      next: "Take it out of git first, with git rm -r --cached on it; then repeat this.",
    });
  }
  if (why === INDEX_UNREADABLE) {
    throw new Refusal("unsupported", `The state ${why}: nothing was changed.`, {
      next: "If git status fails too, remove the index and run git reset; in a sparse checkout, run git sparse-checkout reapply --no-sparse-index. Then repeat this.",
    });
  }
  if (why === OTHER_OWNER) throw ofAnother(`The state ${why}: nothing was changed.`);
}

/** A directory that is moved elsewhere must be writable itself. They are the user's own, so they are made so. */
export function makeMovable(base: Dir): void {
  if (process.platform === "win32") return;
  makeWritable(base.self, fs.statSync(base.self));
  for (const name of fs.readdirSync(base.self, { encoding: "buffer" })) {
    const stat = fs.lstatSync(base.atBytes(name), { throwIfNoEntry: false });
    if (!stat?.isDirectory()) continue;
    if (!isOurs(stat) && process.geteuid?.() !== 0) {
      throw ofAnother(`The state holds ${shown(name.toString())}, which belongs to another user: nothing was changed.`);
    }
    makeWritable(base.atBytes(name), stat);
  }
}

/** Else everything would be moved before it turns out that the register cannot take the record of it. */
export function tryRegister(register: Register, path: string): void {
  const trial = { id: newId(), key: newKey(), dev: "0", ino: "0", born: "0", uid: 0, path, modes: true, elsewhere: 0 };
  register.write(trial);
  register.remove(trial.id);
}

function makeWritable(path: string | Buffer, { mode }: fs.Stats): void {
  if ((mode & OWNER_ALL) !== OWNER_ALL) fs.chmodSync(path, (mode & 0o7777) | OWNER_ALL);
}

const OWNER_ALL = 0o700;

function ofAnother(message: string): Refusal {
  return new Refusal("permission_denied", message, {
    next: "Have its owner move it away or give it to you, or keep the state elsewhere: STET_STATE_DIR, stateDir.",
  });
}
