// Installs programs that tests drive and stet never depends on, in a folder of their own. Says so when it cannot.
import { spawnSync } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";

/**
 * @param {{ folder: string, what: string, required: boolean, ms?: number }} options
 *   folder: has a package.json with exact versions, and ends with a slash; ms: gives up after so long
 */
export function installPrograms({ folder, what, required, ms }) {
  if (isInstalled(folder)) return;
  console.error(`Installing ${what} …`);
  const args = ["install", "--no-package-lock", "--ignore-scripts", "--loglevel=error", "--fetch-retries=1"];
  const { status } = spawnSync("npm", args, {
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
