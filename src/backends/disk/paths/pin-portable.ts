// Pinning where no descriptor walk exists (macOS, Windows): real paths, looked at before and after. Narrows the races, does not close them.
import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  lstatSync,
  openSync,
  readdirSync,
  realpathSync,
  type Stats,
} from "node:fs";
import { basename, join } from "node:path";
import { folded } from "../../../core/paths.ts";
import type { Dir, OpenFile, Pinning } from "./pin.ts";
import { isSameFile } from "./same-directory.ts";

// macOS refuses a link anywhere in the path with this flag, and the call itself when O_NOFOLLOW is given too.
const O_NOFOLLOW_ANY = 0x20000000;
const NO_FOLLOW = process.platform === "darwin" ? O_NOFOLLOW_ANY : (constants.O_NOFOLLOW ?? 0);
// A FIFO that took the place of a file must not hold us up.
const READ = constants.O_RDONLY | NO_FOLLOW | (constants.O_NONBLOCK ?? 0);

export const portable: Pinning = {
  races: "narrowed",
  noFollow: NO_FOLLOW,

  root: (real) => new RealDir(real),

  enter(parent, name): Dir {
    const path = parent.at(name);
    if (!lstatSync(path).isDirectory()) throw systemError("ENOTDIR", "enter");
    return new RealDir(samePlace(parent, path));
  },

  open(parent, name, accept): OpenFile {
    const path = parent.at(name);
    accept(lstatSync(path), path);
    const fd = openSync(path, READ);
    try {
      const stat = fstatSync(fd);
      accept(stat, path);
      const now = lstatSync(path);
      if (!isSameFile(now, stat)) throw systemError("ESTALE", "open");
      samePlace(parent, path);
      return { fd, stat };
    } catch (error) {
      closeSync(fd);
      throw error;
    }
  },

  spelling(parent, name): string {
    const path = parent.at(name);
    if (!lstatSync(path).isSymbolicLink()) return basename(samePlace(parent, path));
    // The real path of a link is that of its target, so its own spelling has to be looked for.
    const names = readdirSync(parent.self);
    return names.includes(name) ? name : (names.find((other) => folded(other) === folded(name)) ?? name);
  },
};

/** Never pinned for good: `at` joins names, and its callers rely on the checks above. */
class RealDir implements Dir {
  readonly fd = -1;
  readonly self: string;

  constructor(real: string) {
    this.self = real;
  }

  at(name: string): string {
    return join(this.self, name);
  }

  atBytes(name: Uint8Array): Buffer {
    return Buffer.concat([Buffer.from(join(this.self, "/")), name]);
  }

  get dev(): number {
    return this.stat().dev;
  }

  stat(): Stats {
    return lstatSync(this.self);
  }

  /** Windows has no such call: its file system orders the changes of a directory by itself. */
  fsync(): void {
    if (process.platform === "win32") return;
    const fd = openSync(this.self, constants.O_RDONLY | NO_FOLLOW);
    try {
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
  }

  close(): void {}
}

/** The real path, when it is still a direct child of `parent`; a link put on the way leads elsewhere. */
function samePlace(parent: Dir, path: string): string {
  const real = realpathSync.native(path);
  if (join(real, "..") !== parent.self) throw systemError("ESTALE", "realpath");
  return real;
}

function systemError(code: string, syscall: string): Error {
  return Object.assign(new Error(`${code}: ${syscall}`), { code, errno: -1, syscall });
}
