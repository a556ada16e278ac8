// Installs programs that tests drive and stet never depends on, in a folder of their own. Says so when it cannot.
import { spawnSync } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";

/**
 * @param {{ folder: string, what: string, required: boolean, ms?: number, locked?: boolean, args?: string[] }} options
 *   folder: has a package.json with exact versions, and ends with a slash; ms: gives up after so long; locked: it has a
 *   lock file too, by which all is installed; args: more of them for npm
 */
export function installPrograms({ folder, what, required, ms, locked = false, args = [] }) {
  if (isInstalled(folder)) return;
  console.error(`Installing ${what} …`);
  const verb = locked ? ["ci", "--no-audit", "--no-fund"] : ["install", "--no-package-lock"];
  const all = [...verb, "--ignore-scripts", "--loglevel=error", "--fetch-retries=1", ...args];
  const { status } = spawnSync("npm", all, {
    cwd: folder,
    stdio: ["ignore", "inherit", "inherit"],
    shell: process.platform === "win32",
    ...(ms !== undefined && { timeout: ms, killSignal: "SIGKILL" }),
  });
  if (status === 0) return;
  rmSync(`${folder}node_modules`, { recursive: true, force: true });
  if (required) process.exit(1);
  console.error("They could not be installed, or not soon enough; their tests will be skipped.");
}

/** @param {string} folder */
function isInstalled(folder) {
  const { dependencies } = JSON.parse(readFileSync(`${folder}package.json`, "utf8"));
  return Object.entries(dependencies).every(([name, version]) => {
    try {
      return JSON.parse(readFileSync(`${folder}node_modules/${name}/package.json`, "utf8")).version === version;
    } catch {
      return false;
    }
  });
}
