// Installs the conformance suite, the Inspector and a Node that can run them, in programs/. Says so when it cannot.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const programs = fileURLToPath(new URL("programs/", import.meta.url));
if (isInstalled()) process.exit(0);

console.error("Installing the conformance suite and the Inspector (about 330 MB) into test/conformance/programs …");
const args = ["install", "--no-package-lock", "--ignore-scripts", "--loglevel=error", "--fetch-retries=1"];
const { status } = spawnSync("npm", args, {
  cwd: programs,
  stdio: ["ignore", "inherit", "inherit"],
  shell: process.platform === "win32",
});
if (status !== 0 && process.env.STET_CONFORMANCE === "required") process.exit(1);
if (status !== 0) console.error("They could not be installed, for the reason above; their tests will be skipped.");

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
