// Builds dist/: modules and types for importing, and the bundled program. Made aside and then swapped in, so that dist/ is never half.
// `node scripts/build.mjs [--unchecked] [FOLDER]`: unchecked where the types are checked by another program meanwhile.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { bundleProgram } from "./bundle.mjs";
import { bundlePage } from "./page.mjs";
import { QUICK_TSC } from "./quick-tsc.mjs";
import { writeCalls } from "./tool-calls.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const given = process.argv.slice(2);
const [outDir = join(root, "dist")] = given.filter((arg) => arg !== "--unchecked");
const unchecked = given.includes("--unchecked") ? ["--noCheck"] : [];

const aside = join(root, "node_modules", ".cache");
mkdirSync(aside, { recursive: true });
const made = mkdtempSync(join(aside, "stet-build-"));
try {
  const next = join(made, "next");
  const tsc = join(root, "node_modules/typescript/bin/tsc");
  const args = [tsc, "-p", join(root, "tsconfig.build.json"), "--outDir", next, ...unchecked, ...QUICK_TSC.args];
  const env = { ...process.env, ...QUICK_TSC.env };
  const { status } = spawnSync(process.execPath, args, { stdio: "inherit", env });
  if (status === 0) {
    await Promise.all([bundleProgram(join(next, "bin")), bundlePage(join(next, "page/client")), writeCalls(next)]);
    swap(next, outDir, join(made, "previous"));
  }
  process.exitCode = status ?? 1;
} finally {
  rmSync(made, { recursive: true, force: true });
}

function swap(next, current, previous) {
  try {
    renameSync(current, previous);
  } catch (error) {
    if (error.code !== "ENOENT") throw error;
  }
  renameSync(next, current);
}
