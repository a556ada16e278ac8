// The other tools: installed when a section needs them and they are not there. stet itself never depends on them.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const here = new URL(".", import.meta.url);

/** Sections that have none of these tools in them; mcp brings its own. */
const WITHOUT = ["mcp", "kernel", "search", "growth"];

/** @param {readonly string[]} sections */
export function installPeers(sections) {
  const missing = missingPeers();
  if (missing.length === 0 || sections.every((section) => WITHOUT.includes(section))) return;
  console.log(
    `${missing.join(", ")}: not installed. Installing the other tools in bench/: about 900 packages, 1.1 GB.`,
  );
  const { status } = spawnSync("npm", ["ci", "--prefix", fileURLToPath(here), "--silent"], { stdio: "inherit" });
  if (status !== 0) console.error("They could not be installed, so stet is measured without them.");
}

/** @param {URL} [folder] with the package.json that names them */
export function missingPeers(folder = here) {
  const { devDependencies } = JSON.parse(readFileSync(new URL("package.json", folder), "utf8"));
  return Object.keys(devDependencies).filter(
    (name) => !existsSync(new URL(`node_modules/${name}/package.json`, folder)),
  );
}
