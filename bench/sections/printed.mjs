// A section whose own script prints its table: the words are taken over as they are.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

/** @param {string} script @param {readonly string[]} args */
export function printed(script, args) {
  const file = fileURLToPath(new URL(`../${script}`, import.meta.url));
  const cwd = fileURLToPath(new URL("../..", import.meta.url));
  const { stdout, stderr, status } = spawnSync(process.execPath, [file, ...args], { cwd, encoding: "utf8" });
  const said = stdout.trimEnd();
  return status === 0 || said !== "" ? { printed: said, status } : { failed: stderr.trim().split("\n").at(-1) };
}
