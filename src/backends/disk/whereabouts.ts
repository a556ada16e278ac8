// Whether a directory that is held open is still the one that its path leads to.
import { type BigIntStats, lstatSync, statSync } from "node:fs";
import { errnoOf } from "./errno.ts";
import type { Dir } from "./pin.ts";

export interface Whereabouts {
  path(): string;
  /** A link in the last place is another directory, unless it is followed. */
  readonly followLink?: boolean;
}

export function stillThere(dir: Dir, { path, followLink = false }: Whereabouts): () => boolean {
  const look = followLink ? statSync : lstatSync;
  const opened = identityOf(statSync(dir.self, { bigint: true }));
  return () => {
    try {
      return identityOf(look(path(), { bigint: true })) === opened;
    } catch (error) {
      if (GONE.has(errnoOf(error) ?? "")) return false;
      throw error;
    }
  };
}

const GONE: ReadonlySet<string> = new Set(["ENOENT", "ENOTDIR", "ELOOP"]);

function identityOf({ dev, ino }: BigIntStats): string {
  return `${dev}:${ino}`;
}
