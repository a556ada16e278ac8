// The types of the adapters fit those of the frameworks, with exactOptionalPropertyTypes.
import { spawnSync } from "node:child_process";
import { cpSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../../", import.meta.url));
describe("types", () => {
  const tsc = (...args: string[]) =>
    spawnSync(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), ...args], { encoding: "utf8" });

  it("of the built package fit those of the frameworks, strictly", () => {
    // Where the frameworks are found as in a program of another.
    const folder = join(root, "test/adapters/node_modules/.types");
    rmSync(folder, { recursive: true, force: true });
    cpSync(join(root, "examples/adapters"), folder, { recursive: true });
    cpSync(join(root, "test/adapters/types"), folder, { recursive: true });
    const dist = (path: string) => [join(root, "dist", path)];
    const paths = {
      stet: dist("index.d.ts"),
      "stet/adapters": dist("adapters/index.d.ts"),
      "stet/adapters/*": dist("adapters/*.d.ts"),
      "stet/surfaces": dist("surfaces/index.d.ts"),
    };
    const typeRoots = [join(root, "node_modules/@types")];
    const compilerOptions = { allowJs: true, checkJs: true, lib: ["es2023", "dom"], paths, typeRoots };
    const config = { extends: join(root, "tsconfig.json"), compilerOptions, include: ["*"], exclude: [] };
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config));
    const { stdout, status } = tsc("-p", folder);
    expect([stdout, status]).toEqual(["", 0]);
  });

  it.skipIf(process.env.CI)("of the sources and these tests fit too", () => {
    const { stdout, status } = tsc("-p", join(root, "test/adapters"));
    expect([stdout, status]).toEqual(["", 0]);
  });
});
