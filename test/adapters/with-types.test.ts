// The types of the adapters fit those of the frameworks, and the code of docs/adapters.md compiles, with exactOptionalPropertyTypes.
import { spawnSync } from "node:child_process";
import { cpSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import { NAMES, programOf } from "./support/blocks.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
// Where the frameworks are found as in a program of another.
const folder = join(root, "test/adapters/node_modules/.types");
/** The types of LangChain's own middleware do not fit its own agents with exactOptionalPropertyTypes. */
const LOOSER = ["langchain-asks"];

const tsc = (...args: string[]) => {
  const path = join(root, "node_modules/typescript/bin/tsc");
  const { stdout, status } = spawnSync(process.execPath, [path, ...args], { encoding: "utf8" });
  return { stdout, status };
};

function compiled(include: readonly string[], exclude: readonly string[], exactOptionalPropertyTypes: boolean) {
  const dist = (path: string) => [join(root, "dist", path)];
  const paths = {
    stet: dist("index.d.ts"),
    "stet/adapters": dist("adapters/index.d.ts"),
    "stet/adapters/*": dist("adapters/*.d.ts"),
    "stet/surfaces": dist("surfaces/index.d.ts"),
  };
  const typeRoots = [join(root, "node_modules/@types")];
  const own = { allowJs: true, checkJs: true, lib: ["es2023", "dom"], paths, typeRoots, exactOptionalPropertyTypes };
  const config = { extends: join(root, "tsconfig.json"), compilerOptions: own, include, exclude };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config));
  return tsc("-p", folder);
}

describe("types", () => {
  const block = (name: string): string => `block-${name}.ts`;
  const looser = LOOSER.map(block);

  beforeAll(() => {
    rmSync(folder, { recursive: true, force: true });
    cpSync(join(root, "examples/adapters"), folder, { recursive: true });
    cpSync(join(root, "test/adapters/types"), folder, { recursive: true });
    for (const name of NAMES)
      writeFileSync(join(folder, block(name)), `declare const given: any;\n${programOf(name, "given")}`);
  });

  it("of the built package, its examples and the code in its documentation fit those of the frameworks, strictly", () => {
    expect(compiled(["*"], looser, true)).toEqual({ stdout: "", status: 0 });
  });

  it("of LangChain's middleware fit without exactOptionalPropertyTypes", () => {
    expect(compiled(looser, [], false)).toEqual({ stdout: "", status: 0 });
  });

  it.skipIf(process.env.CI)("of the sources and these tests fit too", () => {
    expect(tsc("-p", join(root, "test/adapters"))).toEqual({ stdout: "", status: 0 });
  });
});
