// Runs the tests on every version of Node that package.json here names, one after the other, and installs those first.
// npm run test:nodes -- 24 26 test/cli runs some tests on some of them.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = fileURLToPath(new URL(".", import.meta.url));
const root = join(here, "../..");
const { dependencies } = JSON.parse(readFileSync(join(here, "package.json"), "utf8"));
const given = process.argv.slice(2);
const majors = given.filter((arg) => /^\d+$/.test(arg));
const tests = given.filter((arg) => !majors.includes(arg));
const wanted = Object.entries(dependencies)
  .map(([name, alias]) => ({ major: name.slice("node".length), version: alias.split("@").at(-1), name }))
  .filter(({ major }) => majors.length === 0 || majors.includes(major));
if (wanted.length === 0) end(`None of the versions of Node here is ${majors.join(" or ")}.`, 2);
if (process.platform !== "linux" || process.arch !== "x64")
  end("Skipped: these packages of Node are for Linux on x64.", 0);

install();
const failed = wanted.filter(({ version, name }) => {
  console.error(`\nNode ${version}`);
  return spawnSync(programOf(name), ["node_modules/vitest/vitest.mjs", "run", ...tests], {
    cwd: root,
    stdio: ["ignore", "inherit", "inherit"],
    // What the tests start by the name "node" is of the same version.
    env: { ...process.env, TESTS_OF_DIST: "1", PATH: `${dirname(programOf(name))}${delimiter}${process.env.PATH}` },
  }).status;
});
const seen = wanted.map(({ version }) => version).join(", ");
if (failed.length > 0) end(`Failed on Node ${failed.map(({ version }) => version).join(", ")}, of ${seen}.`, 1);
end(`Passed on Node ${seen}.`, 0);

function install() {
  if (wanted.every(({ name, version }) => versionOf(name) === `v${version}`)) return;
  console.error("Installing versions of Node (about 190 MB each) into test/nodes …");
  const args = ["install", "--no-package-lock", "--ignore-scripts", "--loglevel=error", "--fetch-retries=1"];
  const { status } = spawnSync("npm", args, { cwd: here, stdio: ["ignore", "inherit", "inherit"] });
  if (status === 0) return;
  end("Skipped: the versions of Node could not be installed.", process.env.CI ? 1 : 0);
}

function programOf(name) {
  return join(here, "node_modules", name, "bin/node");
}

function versionOf(name) {
  return spawnSync(programOf(name), ["--version"], { encoding: "utf8" }).stdout?.trim();
}

function end(words, code) {
  console.error(words);
  process.exit(code);
}
