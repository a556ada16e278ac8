// The program in surroundings that lack something: a home, a terminal worth the name, room on the disk, a file that is one.
import { execFileSync, type SpawnSyncOptionsWithStringEncoding, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { tempDir } from "../support/temp.ts";

const MAIN = fileURLToPath(new URL("../../dist/bin/stet.cjs", import.meta.url));
const { HOME: _home, XDG_CACHE_HOME: _cache, XDG_CONFIG_HOME: _config, ...bare } = process.env;

function run(args: readonly string[], options: Partial<SpawnSyncOptionsWithStringEncoding>) {
  return spawnSync(process.execPath, [MAIN, ...args], { encoding: "utf8", timeout: 50_000, env: bare, ...options });
}

describe.skipIf(process.platform === "win32")("without a home", () => {
  it("that is a place, nothing is put where stet happens to be started", () => {
    const cwd = tempDir();
    mkdirSync(join(cwd, "relative"));
    for (const HOME of ["", "relative", "."]) {
      expect(run(["--version"], { cwd, env: { ...bare, HOME } }).status).toBe(0);
      expect([HOME, readdirSync(cwd), readdirSync(join(cwd, "relative"))]).toEqual([HOME, ["relative"], []]);
    }
  });

  it.skipIf(process.getuid?.() !== 0)("and unknown to the machine, all works that needs none", (context) => {
    // No user of this number has an entry, so nothing on the machine knows a home for it.
    const nobody = { uid: 54321, gid: 54321, cwd: "/" };
    const canRead = spawnSync(process.execPath, ["-e", "fs.readFileSync(process.argv[1])", MAIN], nobody);
    context.skip(canRead.status !== 0, "that user cannot read the program");
    const cwd = tempDir();
    execFileSync("chmod", ["777", cwd]);
    expect(run(["--version"], nobody)).toMatchObject({ status: 0, stderr: "" });
    expect(run(["log", "--root", cwd], nobody)).toMatchObject({ status: 0 });
    const install = (...args: string[]) => run(["install", "--client", "cursor", ...args], { ...nobody, cwd });
    expect(install("--scope", "project").status).toBe(0);
    expect(install()).toMatchObject({ status: 1, stderr: expect.stringContaining("There is no home directory here.") });
    expect(run(["log", "--root", "~/x"], nobody)).toMatchObject({
      status: 1,
      stderr: expect.stringContaining("Set HOME to an absolute path, or write paths without ~."),
    });
  });
});

describe.skipIf(process.platform === "win32")("a file that cannot be written or read", () => {
  it("stet init leaves nothing behind, and works the next time", () => {
    const cwd = tempDir();
    const env = { ...bare, HOME: "/nonexistent", STET_NO_COMPILE_CACHE: "1" };
    const script = `trap '' XFSZ; ulimit -f 0; exec "${process.execPath}" "${MAIN}" init`;
    const full = spawnSync("sh", ["-c", script], { cwd, encoding: "utf8", env });
    expect([full.status, full.stderr]).toEqual([1, expect.stringContaining("EFBIG")]);
    expect(readdirSync(cwd)).toEqual([]);
    expect(run(["init"], { cwd, env }).status).toBe(0);
    expect(readdirSync(cwd)).toEqual(["stet.config.json"]);
  });

  it("stet install does not wait for a pipe in the place of a client's file", () => {
    const home = tempDir();
    const pipe = join(home, ".cursor/mcp.json");
    mkdirSync(join(home, ".cursor"));
    execFileSync("mkfifo", [pipe]);
    const args = ["install", "--client", "cursor", "--write"];
    const { status, stderr } = run(args, { cwd: tempDir(), env: { ...bare, HOME: home } });
    expect([status, stderr]).toEqual([1, expect.stringContaining(`Cannot read ${pipe}: it is not a file.`)]);
    expect(existsSync(`${pipe}.before-stet`)).toBe(false);
  });
});
