// The launcher: compiled code is kept for the next start, but only where nobody else can write, and never needed.
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { tempDir } from "../support/temp.ts";

const program = fileURLToPath(new URL("../../dist/bin/stet.cjs", import.meta.url));
const { version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
const OLD = new Date("2020-01-01");

describe("compiled code", () => {
  it("is kept for the owner alone, used again, and replaced when it is not what it should be", () => {
    const cache = tempDir();
    expect(stetVersion(cache)).toBe(version);
    const [file] = kept(cache);
    expect(file).toMatch(/^command-v.*\.v8$/);
    const path = join(directory(cache), file!);
    expect(modes([join(cache, "stet"), directory(cache), path])).toEqual([0o700, 0o700, 0o600]);

    const whole = readFileSync(path);
    utimesSync(path, OLD, OLD);
    expect(stetVersion(cache)).toBe(version);
    expect(statSync(path).mtime).toEqual(OLD);

    writeFileSync(path, Buffer.alloc(whole.length, 7));
    expect(stetVersion(cache)).toBe(version);
    expect(readFileSync(path).equals(Buffer.alloc(whole.length, 7))).toBe(false);
    expect(kept(cache)).toEqual([file]);
  });

  it("still finds ripgrep, with code that was kept", () => {
    const env = { ...process.env, XDG_CACHE_HOME: tempDir(), STET_NO_COMPILE_CACHE: "" };
    const findings = (): readonly { about: string; state: string }[] => {
      const args = [program, "doctor", "--json", "--root", tempDir()];
      return JSON.parse(execFileSync(process.execPath, args, { encoding: "utf8", env })).findings;
    };
    for (const start of ["cold", "warm"])
      expect([start, findings().find(({ about }) => about === "ripgrep")?.state]).toEqual([start, "ok"]);
    expect(kept(env.XDG_CACHE_HOME)).toHaveLength(1);
  });

  it("is not kept where others may write, behind a link, in no directory, or when it is not wanted", () => {
    const open = tempDir();
    mkdirSync(directory(open), { recursive: true, mode: 0o700 });
    chmodSync(directory(open), 0o777);
    expect(stetVersion(open)).toBe(version);
    expect(kept(open)).toEqual([]);
    chmodSync(directory(open), 0o755);
    expect(stetVersion(open)).toBe(version);
    expect(kept(open)).toEqual([]);

    const linked = tempDir();
    const elsewhere = tempDir();
    mkdirSync(join(linked, "stet"), { mode: 0o700 });
    symlinkSync(elsewhere, directory(linked));
    expect(stetVersion(linked)).toBe(version);
    expect(readdirSync(elsewhere)).toEqual([]);

    const blocked = tempDir();
    writeFileSync(join(blocked, "stet"), "");
    expect(stetVersion(blocked)).toBe(version);

    const unwanted = tempDir();
    expect(stetVersion(unwanted, { STET_NO_COMPILE_CACHE: "1" })).toBe(version);
    expect(readdirSync(unwanted)).toEqual([]);
  });
});

function stetVersion(cache: string, env: Record<string, string> = {}): string {
  const around = { ...process.env, XDG_CACHE_HOME: cache, LOCALAPPDATA: cache, ...env };
  return execFileSync(process.execPath, [program, "--version"], { encoding: "utf8", env: around }).trim();
}

function directory(cache: string): string {
  return join(cache, "stet", ".stet");
}

function kept(cache: string): string[] {
  return readdirSync(directory(cache));
}

function modes(paths: readonly string[]): number[] {
  return paths.map((path) => statSync(path).mode & 0o777);
}
