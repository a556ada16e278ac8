// The version of this stet and where it lies, from the package it was installed as.
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** Put in by a bundler, which may leave no package.json beside the code. */
declare const STET_VERSION: string | undefined;

export function stetVersion(): string {
  return typeof STET_VERSION === "string" ? STET_VERSION : packageJson().version;
}

export interface PackageJson {
  readonly name: string;
  readonly version: string;
  readonly bin: { readonly stet: string };
}

export function packageJson(): PackageJson {
  return JSON.parse(readFileSync(join(packageDirectory(), "package.json"), "utf8")) as PackageJson;
}

/** The nearest directory above this file that holds a package of this name: it differs between sources, dist and a bundle. */
export function packageDirectory(): string {
  let directory = dirname(fileURLToPath(import.meta.url));
  while (!isPackage(directory)) {
    const parent = dirname(directory);
    if (parent === directory) throw new Error("The package.json of stet is missing.");
    directory = parent;
  }
  return directory;
}

function isPackage(directory: string): boolean {
  try {
    return (JSON.parse(readFileSync(join(directory, "package.json"), "utf8")) as PackageJson).name === "stet";
  } catch {
    return false;
  }
}
