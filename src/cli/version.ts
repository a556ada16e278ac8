// The version of this stet and where it lies, from the package it was installed as.
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** Put in by a bundler, which may leave no package.json beside the code. */
declare const STET_VERSION: string | undefined;

export function stetVersion(): string {
  return typeof STET_VERSION === "string" ? STET_VERSION : installed().version;
}

/** The nearest package of this name above this file: it differs between sources, dist and a bundle. */
export function installed(from = dirname(fileURLToPath(import.meta.url))): Installed {
  const found = packageIn(from);
  if (found?.name === "stet") return { directory: from, version: found.version, program: join(from, found.bin.stet) };
  if (dirname(from) === from) throw new Error("The package.json of stet is missing.");
  return installed(dirname(from));
}

interface Installed {
  readonly directory: string;
  readonly version: string;
  readonly program: string;
}

interface PackageJson {
  readonly name: string;
  readonly version: string;
  readonly bin: { readonly stet: string };
}

function packageIn(directory: string): PackageJson | undefined {
  try {
    return JSON.parse(readFileSync(join(directory, "package.json"), "utf8")) as PackageJson;
  } catch {
    return undefined;
  }
}
