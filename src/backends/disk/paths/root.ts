// The root of a workspace on disk: found once, pinned for as long as it is open, and of no use once its path leads elsewhere.
import { type BigIntStats, realpathSync, statfsSync, statSync } from "node:fs";
import { resolve as absolute } from "node:path";
import { Refusal } from "../../../core/failure.ts";
import { splitPath } from "../../../core/paths.ts";
import { shown } from "../../../core/printable.ts";
import { notADirectory, outside } from "../../paths.ts";
import { errnoOf, refusalOf } from "../errno.ts";
import { type Dir, isSameFile, type Pinning, pinning as platformPinning } from "./pin.ts";

export interface Root {
  /** Absolute, with every link resolved, as it was when the root was opened. */
  readonly path: string;
  readonly dir: Dir;
  readonly dev: number;
  readonly pinning: Pinning;
  /** The names of the absolute paths that mean this root: the real one, and the one it was opened with. */
  readonly spellings: readonly (readonly string[])[];
  /** Refuses when the root was moved, deleted or replaced: what is done here would not be done where it is meant. */
  check(): void;
  close(): void;
}

export function openRoot(root: string, { pinning = platformPinning }: { readonly pinning?: Pinning } = {}): Root {
  if (root.trim() === "") throw new Refusal("invalid_path", "The workspace root is empty.", { path: root });
  const given = absolute(root);
  const real = realRoot(given);
  if (pinning.races === "closed") requireProc();
  const dir = opened(real, () => pinning.root(real));
  const held = statSync(dir.self, { bigint: true });
  const paths = [...new Set([real, given])];
  return {
    path: real,
    dir,
    dev: dir.dev,
    pinning,
    spellings: paths.map((path) => splitPath(path).names),
    check() {
      for (const path of paths) if (!isSameFile(lookAt(path), held)) throw movedAway(path);
    },
    close: () => dir.close(),
  };
}

function opened<T>(path: string, open: () => T): T {
  try {
    return open();
  } catch (error) {
    throw refusalOf(error, path, "open the workspace root");
  }
}

function lookAt(path: string): BigIntStats | undefined {
  try {
    return statSync(path, { bigint: true, throwIfNoEntry: false });
  } catch (error) {
    if (["ENOTDIR", "ELOOP"].includes(errnoOf(error) ?? "")) return undefined;
    throw refusalOf(error, path, "look at the workspace root");
  }
}

function movedAway(path: string): Refusal {
  return new Refusal(
    "unsupported",
    `The workspace root ${shown(path)} was moved, deleted or replaced since it was opened, so nothing is read or changed here any more.`,
    { next: "Start stet again for the directory that is meant." },
  );
}

/** What a caller is told of an error about what stet needs besides the files; of a root that was moved meanwhile, that. */
export function failureOf(root: Root, error: unknown, doing: string, place: string, next: string): Refusal {
  if (!(error instanceof Refusal) || error.kind === "journal_damaged") {
    try {
      root.check();
    } catch (moved) {
      if (moved instanceof Refusal && moved.kind === "unsupported") return moved;
    }
  }
  const refusal = refusalOf(error, place, doing);
  const { kind, failure } = refusal;
  if (refusal === error || kind === "disk_full" || kind === "busy" || kind === "io_error") return refusal;
  // It is not about the path of the call: another path would not help.
  const about = kind === "permission_denied" ? kind : "unsupported";
  return new Refusal(about, failure.message, { next, cause: error });
}

function realRoot(given: string): string {
  const real = opened(given, () => realpathSync.native(given));
  if (!statSync(real).isDirectory()) throw notADirectory(given, given);
  if (!isPseudo(real)) return real;
  const why = `${shown(given)} is on a file system of the kernel, which holds no files of yours.`;
  throw new Refusal("unsupported", why, { path: given, next: "Open a directory on a real disk." });
}

/** Without a genuine /proc, paths under a descriptor mean nothing, and going on without them would be unsafe. */
function requireProc(): void {
  try {
    if (statfsSync("/proc/self/fd").type >>> 0 === PROC_SUPER_MAGIC) return;
  } catch {
    // As if it were something else.
  }
  throw new Refusal("unsupported", "The disk backend needs /proc on Linux, and it is not mounted here.", {
    next: "Mount procfs at /proc.",
  });
}

const PROC_SUPER_MAGIC = 0x9fa0;

// File systems that show the kernel instead of files: reading there leaks secrets of processes, writing changes the machine.

/** `path` may be a path under a pinned descriptor. False where the platform cannot tell. */
function isPseudo(path: string): boolean {
  if (process.platform !== "linux") return false;
  return PSEUDO.has(statfsSync(path).type >>> 0);
}

const PSEUDO: ReadonlySet<number> = new Set([
  0x9fa0, // proc
  0x62656572, // sysfs
  0x27e0eb, // cgroup
  0x63677270, // cgroup2
  0x64626720, // debugfs
  0x74726163, // tracefs
  0x73636673, // securityfs
  0xcafe4a11, // bpf
  0x62656570, // configfs
  0x6165676c, // pstore
  0xde5e81e4, // efivarfs
  0x1cd1, // devpts
  0xf97cff8c, // selinuxfs
  0x43415d53, // smackfs
  0x5a3c69f0, // apparmorfs
  0x42494e4d, // binfmt_misc
  0x6e736673, // nsfs
  0x19800202, // mqueue
  0x65735543, // fusectl
  0x07655821, // resctrl
]);

/** On another device than the root, other disks are fine; views of the kernel are not part of the workspace. */
export function refusePseudo(root: Root, at: Pick<Dir, "dev" | "self">, raw: string): void {
  if (at.dev !== root.dev && isPseudo(at.self))
    throw outside(raw, "is on a file system of the kernel, not in the workspace");
}
