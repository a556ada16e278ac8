// A program in CommonJS has copies of the SDKs of its own: what arrives there is what arrives in any other.
import { spawnSync } from "node:child_process";
import { cpSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { expect, it } from "vitest";
import { directoryWith } from "../support/workspace.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
// Where the frameworks are found as in a program of another, and stet beside it.
const folder = join(root, "test/adapters/node_modules/.commonjs");

function install(): void {
  rmSync(folder, { recursive: true, force: true });
  for (const name of ["dist", "package.json"])
    cpSync(join(root, name), join(folder, "node_modules/stet", name), { recursive: true });
  cpSync(join(root, "test/adapters/commonjs"), folder, { recursive: true });
}

it("refusals are words also in a bundle, which knows no address of its modules", async () => {
  install();
  const outfile = join(folder, "bundle.cjs");
  const packages = ["@anthropic-ai/sdk", "@vscode/ripgrep", "koffi"];
  await build({
    stdin: { contents: readFileSync(join(folder, "bundled.mjs"), "utf8"), resolveDir: folder },
    ...{ outfile, bundle: true, platform: "node", format: "cjs", external: packages, logLevel: "silent" },
  });
  const { stdout, stderr } = spawnSync(process.execPath, [outfile, directoryWith({})], { encoding: "utf8" });
  expect(`${stdout}${stdout === "" ? stderr : ""}`).toMatch(/Nothing was \w+\. none\.txt does not exist/);
});

it("refusals and approvals are those of the copy that is in use", () => {
  install();
  const args = [join(folder, "program.cjs"), directoryWith({})];
  const { stdout, stderr, status } = spawnSync(process.execPath, args, { encoding: "utf8" });
  expect({ status, stderr: status === 0 ? "" : stderr }).toEqual({ status: 0, stderr: "" });
  expect(JSON.parse(stdout.trim().split("\n").at(-1)!)).toEqual({
    anthropic: "Nothing was changed. a.txt has not been read in this session. View it first, then call again.",
    openai: [0, "done"],
  });
});
