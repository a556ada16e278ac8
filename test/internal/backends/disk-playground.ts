// A playground whose root is opened as the disk backend opens it, by each way to pin directories.
import { type FailureKind, Refusal } from "stet";
import { type Pinning, pinning, portable } from "../../../src/backends/disk/paths/pin.ts";
import { openRoot, type Root } from "../../../src/backends/disk/paths/root.ts";
import { type Playground as Files, playground as files } from "../../support/playground.ts";

/** The platform's own way, and the fallback, which must behave the same wherever nobody races. */
export const PINNINGS: readonly (readonly [string, Pinning])[] =
  pinning === portable
    ? [["portable", portable]]
    : [
        ["linux", pinning],
        ["portable", portable],
      ];

export interface Playground extends Files {
  root(pinning?: Pinning): Root;
}

export function playground(): Playground {
  const play = files();
  const roots: Root[] = [];
  return {
    ...play,
    root(pinning) {
      const root = openRoot(play.ws, pinning ? { pinning } : {});
      roots.push(root);
      return root;
    },
    remove() {
      for (const root of roots) root.close();
      play.remove();
    },
  };
}

/** The kind of the refusal, or "ok" when there was none. */
export function kindOfRefusal(run: () => unknown): FailureKind | "ok" {
  try {
    run();
    return "ok";
  } catch (error) {
    if (error instanceof Refusal) return error.kind;
    throw error;
  }
}
