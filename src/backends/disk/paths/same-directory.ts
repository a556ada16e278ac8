// Whether a directory that is held open is still the one that its path leads to.
import { lstatSync, statSync } from "node:fs";
import { errnoOf } from "../errno.ts";
import type { Dir } from "./pin.ts";

/** A name in a directory, where a link is another directory; or a path of the owner's choice, where a link is followed. */
export type Whereabouts = { readonly parent: Dir; readonly name: string } | { readonly followed: string };

/** When a name in it was last changed, in nanoseconds; null when it is no longer there. */
export type StillThere = () => bigint | null;

export function stillThere(dir: Dir, place: Whereabouts): StillThere {
  const held = statSync(dir.self, { bigint: true });
  return () => {
    try {
      const now =
        "followed" in place
          ? statSync(place.followed, { bigint: true })
          : lstatSync(place.parent.at(place.name), { bigint: true });
      return isSameFile(now, held) ? now.ctimeNs : null;
    } catch (error) {
      if (GONE.has(errnoOf(error) ?? "")) return null;
      throw error;
    }
  };
}

/** As big integers where that matters: Windows numbers files beyond what a double can tell apart. */
export function isSameFile<Id extends number | bigint>(one: FileId<Id> | undefined, other: FileId<Id>): boolean {
  return one !== undefined && one.ino === other.ino && one.dev === other.dev;
}

interface FileId<Id> {
  readonly dev: Id;
  readonly ino: Id;
}

const GONE: ReadonlySet<string> = new Set(["ENOENT", "ENOTDIR", "ELOOP"]);
