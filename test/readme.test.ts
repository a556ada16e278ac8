// The README tells the truth: its example is a file that compiles and runs, its links and commands exist.
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { directoryWith } from "./support/workspace.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const readme = readFileSync(join(root, "README.md"), "utf8");
// Inside the package, so that the example's `import … from "stet"` means this one.
const compiled = mkdtempSync(join(root, ".example-"));
afterAll(() => rmSync(compiled, { recursive: true, force: true }));
const read = (path: string): string => readFileSync(join(root, path), "utf8");

describe("README", () => {
  it("shows the example file, word for word", () => {
    for (const [, path, code] of readme.matchAll(/<!-- example: (\S+) -->\n```ts\n(.*?)```/gs)) {
      expect(read(path!).split("\n").slice(1).join("\n")).toBe(code);
    }
  });

  it("the example compiles, runs and shows what its comments say", () => {
    const tsc = join(root, "node_modules/typescript/bin/tsc");
    const options = [
      "--module",
      "nodenext",
      "--target",
      "es2023",
      "--strict",
      "--skipLibCheck",
      "--types",
      "node",
      "--rootDir",
      join(root, "examples"),
    ];
    execFileSync(
      process.execPath,
      [tsc, "--ignoreConfig", ...options, "--outDir", compiled, join(root, "examples/first-look.ts")],
      { cwd: root },
    );
    const workspace = directoryWith({ "server.ts": 'const host = "localhost";\n\n\n\nconst port = 3000;\n' });
    const printed = execFileSync(process.execPath, [join(compiled, "first-look.js"), workspace], { encoding: "utf8" });
    expect(printed).toMatch(/stale_file - server\.ts is not the version you saw\. It was changed by other/);
    expect(printed).toContain('+const host = "0.0.0.0";');
    expect(readFileSync(join(workspace, "server.ts"), "utf8")).toBe(
      'const host = "0.0.0.0";\n\n\n\nconst port = 3000;\n',
    );
  });

  it("names only commands and files that exist", () => {
    const { scripts } = JSON.parse(read("package.json"));
    const named = [...readme.matchAll(/npm run ([\w:-]+)/g), ...read("CONTRIBUTING.md").matchAll(/npm run ([\w:-]+)/g)];
    expect(named.map(([, name]) => name).filter((name) => scripts[name!] === undefined)).toEqual([]);
    const links = [...readme.matchAll(/\]\(([^)#:]+)\)/g)].map(([, path]) => path!);
    expect(links.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });
});
