// What Node's fs cannot do, from an optional package: locks of the system, exchanging two files, extended attributes.
import { createRequire } from "node:module";

export interface Native {
  tryLock(fd: number, options?: { readonly shared: boolean }): boolean;
  unlock(fd: number): void;
  /** Exchanges two files in one step. */
  swapSync(from: string, to: string): void;
  listAttrsSync(fd: number): string[];
  getAttrSync(fd: number, name: string): Uint8Array | null;
  setAttrSync(fd: number, name: string, value: Uint8Array): void;
}

let loaded: Native | string | undefined;

/** A sentence when it is not to be had: the package is optional, and has no build for some platforms. */
export function loadNative(): Native | string {
  loaded ??= tryLoad();
  return loaded;
}

function tryLoad(): Native | string {
  if (process.env.STET_NO_NATIVE === "1") return "the package fs-native-extensions is switched off by STET_NO_NATIVE";
  try {
    return createRequire(import.meta.url)("fs-native-extensions") as Native;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return `the optional package fs-native-extensions does not load (${code ?? String(error)})`;
  }
}
