// The entry by which a client starts or reaches stet: a program with arguments, or a URL with a token variable.
import { join } from "node:path";
import { packageDirectory, packageJson } from "../version.ts";

export interface LocalEntry {
  readonly kind: "local";
  readonly command: string;
  readonly args: readonly string[];
}

export interface RemoteEntry {
  readonly kind: "remote";
  readonly url: string;
}

export type Entry = LocalEntry | RemoteEntry;

/** The variable that clients take the token from, so that it stands in no file. */
export const TOKEN_VARIABLE = "STET_TOKEN";

export interface Start {
  /** By the name of the package instead of by its place on this machine, for files that others use too. */
  readonly npx: boolean;
  readonly platform: NodeJS.Platform;
  readonly args: readonly string[];
}

export function localEntry({ npx, platform, args }: Start): LocalEntry {
  if (!npx && !isInNpxCache()) {
    // Absolute on both counts: desktop clients have another PATH than the shell that node was found with.
    return { kind: "local", command: process.execPath, args: [programPath(), ...args] };
  }
  const call = ["-y", `stet@${packageJson().version}`, ...args];
  return platform === "win32"
    ? { kind: "local", command: "cmd", args: ["/c", "npx", ...call] }
    : { kind: "local", command: "npx", args: call };
}

/** Where this stet lies. */
export function programPath(): string {
  return join(packageDirectory(), packageJson().bin.stet);
}

/** npx may clear its cache, so a path into it is no good tomorrow. */
function isInNpxCache(): boolean {
  return /[\\/]_npx[\\/]/.test(packageDirectory());
}
