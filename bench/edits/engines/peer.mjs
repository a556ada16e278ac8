// Finds the peers installed under bench/node_modules and tells which version is there.
import { existsSync, readFileSync } from "node:fs";

const peersRoot = new URL("../../node_modules/", import.meta.url);

/** @param {string} packageName */
export function installedVersion(packageName) {
  const manifest = new URL(`${packageName}/package.json`, peersRoot);
  if (!existsSync(manifest)) throw new Error("not installed (npm ci --prefix bench)");
  return String(JSON.parse(readFileSync(manifest, "utf8")).version);
}

/** Imports what a package exports. The specifier is a variable so that no tool takes a peer for a dependency. @param {string} specifier */
export const importPeer = (specifier) => import(specifier);

/** Imports a file that the package ships but does not export. @param {string} packageName @param {string} file */
export const importPeerFile = (packageName, file) => import(new URL(`${packageName}/${file}`, peersRoot).href);
