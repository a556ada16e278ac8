// The examples run, with the scripted model that each has, and compile as strictly as the tests here do.
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { format } from "node:util";
import { describe, expect, it, vi } from "vitest";

const root = fileURLToPath(new URL("../../", import.meta.url));
const examples = readdirSync(join(root, "examples/adapters")).filter((file) => !/^scene|-model/.test(file));
const claude = existsSync(new URL("node_modules/@anthropic-ai/claude-agent-sdk-linux-x64", import.meta.url));

it("there is one for each framework", () => {
  const frameworks = readdirSync(join(root, "src/adapters")).filter((file) =>
    existsSync(join(root, "examples/adapters", file.replace(/ts$/, "mjs"))),
  );
  expect(examples).toEqual(frameworks.map((file) => file.replace(/ts$/, "mjs")));
  expect(examples).toHaveLength(7);
});

it.each(examples)("%s does it, and takes it back", async (file) => {
  if (file === "claude.mjs" && !claude) return;
  for (const key of ["AI_GATEWAY_API_KEY", "ANTHROPIC_API_KEY", "OPENAI_API_KEY"]) vi.stubEnv(key, "");
  const printed: string[] = [];
  const log = vi.spyOn(console, "log").mockImplementation((...args) => void printed.push(format(...args)));
  await import(join(root, "examples/adapters", file)).finally(() => log.mockRestore());
  vi.unstubAllEnvs();
  expect(printed).toEqual(["done", expect.stringMatching(/^example: \w+, applied$/), "Hello, stet!", "Hello, world!"]);
});

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
