// The root of a workspace on disk: found once, pinned for as long as it is open.
import { realpathSync, statfsSync, statSync } from "node:fs";
import { resolve as absolute } from "node:path";
import { Refusal } from "../../kernel/failure.ts";
import { shown, splitPath } from "../names.ts";
import { notADirectory, refusalOf } from "./errno.ts";
import { type Dir, type Pinning, pinning as platformPinning } from "./pin.ts";
import { isPseudo } from "./pseudo.ts";

export interface Root {
  /** Absolute, with every link resolved, as it was when the root was opened. */
  readonly path: string;
  readonly dir: Dir;
  readonly dev: number;
  readonly pinning: Pinning;
  /** The names of the absolute paths that mean this root: the real one, and the one it was opened with. */
  readonly spellings: readonly (readonly string[])[];
  close(): void;
}

export function openRoot(root: string, options: { readonly pinning?: Pinning } = {}): Root {
  const pinning = options.pinning ?? platformPinning;
  if (root.trim() === "") throw new Refusal("invalid_path", "The workspace root is empty.", { path: root });
  const given = absolute(root);
  const real = realRoot(given);
  if (pinning.races === "closed") requireProc();
  const dir = pinning.root(real);
  return {
    path: real,
    dir,
    dev: dir.dev,
    pinning,
    spellings: [...new Set([real, given])].map((path) => splitPath(path).names),
    close: () => dir.close(),
  };
}

function realRoot(given: string): string {
  let real: string;
  try {
    real = realpathSync.native(given);
    if (!statSync(real).isDirectory()) throw notADirectory(given, given);
  } catch (error) {
    throw refusalOf(error, given, "open the workspace root");
  }
  if (!isPseudo(real)) return real;
  throw new Refusal(
    "unsupported",
    `${shown(given)} is on a file system of the kernel, which holds no files of yours.`,
    {
      path: given,
      next: "Open a directory on a real disk.",
    },
  );
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
