// Installs the conformance suite, the Inspector and a Node that can run them, in programs/. Says so when it cannot.
// With --in-ci it does so only where CI is set, and gives up soon: the other tests shall not wait for a slow network.
import { spawnSync } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";

const programs = fileURLToPath(new URL("programs/", import.meta.url));
const inCi = process.argv.includes("--in-ci");
if (isInstalled() || (inCi && !process.env.CI)) process.exit(0);

console.error("Installing the conformance suite and the Inspector (about 330 MB) into test/conformance/programs …");
const args = ["install", "--no-package-lock", "--ignore-scripts", "--loglevel=error", "--fetch-retries=1"];
const { status } = spawnSync("npm", args, {
  cwd: programs,
  stdio: ["ignore", "inherit", "inherit"],
  shell: process.platform === "win32",
  ...(inCi && { timeout: 75_000, killSignal: "SIGKILL" }),
});
if (status !== 0) rmSync(`${programs}node_modules`, { recursive: true, force: true });
if (status !== 0 && process.env.STET_CONFORMANCE === "required") process.exit(1);
if (status !== 0) console.error("They could not be installed, or not soon enough; their tests will be skipped.");

function isInstalled() {
  const { dependencies } = JSON.parse(readFileSync(`${programs}package.json`, "utf8"));
  return Object.entries(dependencies).every(([name, version]) => {
    try {
      return JSON.parse(readFileSync(`${programs}node_modules/${name}/package.json`, "utf8")).version === version;
    } catch {
      return false;
    }
  });
}
