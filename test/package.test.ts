// The package as others get it: packed, installed into an empty project, run, imported and compiled against.
import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { beforeAll, describe, expect, it } from "vitest";
import { mcpCalls } from "./package/mcp-call.ts";
import { HEAVY } from "./support/processes.ts";
import { tempDir } from "./support/temp.ts";
import { directoryWith } from "./support/workspace.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const project = tempDir("stet-package-");
const installed = join(project, "node_modules", "stet");
const bin = join(project, "node_modules", ".bin", "stet");
let packed: { readonly path: string; readonly files: readonly string[] };
let unreachable: string | undefined;

beforeAll(() => {
  const [{ filename, files }] = JSON.parse(npm(["pack", root, "--json", "--ignore-scripts"]));
  packed = { path: join(project, filename), files: files.map(({ path }: { path: string }) => path) };
  writeFileSync(join(project, "package.json"), JSON.stringify({ private: true, type: "module" }));
  if (!HEAVY && process.platform === "linux") putDependencies();
  try {
    npm(["install", packed.path, "--prefer-offline", "--no-audit", "--no-fund", "--ignore-scripts"]);
  } catch (error) {
    const said = String((error as { stderr?: unknown }).stderr ?? error);
    if (!/ENOTFOUND|EAI_AGAIN|ETIMEDOUT|ECONNREFUSED|ECONNRESET|ENETUNREACH|network/.test(said)) throw error;
    unreachable = "the package registry cannot be reached";
  }
}, 300_000);

/**
 * What `npm ci` has fetched for the package is put where npm would unpack it, which takes most of its time. npm keeps what
 * fits the package, fetches what does not, and removes what the package does not ask for.
 */
function putDependencies(): void {
  const { packages } = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8"));
  const ours = Object.keys(packages).filter(
    (path) => path !== "" && !packages[path].dev && existsSync(join(root, path)),
  );
  execFileSync("cp", ["-r", "--parents", ...ours, project], { cwd: root });
}

describe("the tarball", () => {
  it("holds what is needed, and nothing stray", () => {
    const allowed = [
      /^(?:LICENSE|README\.md|SECURITY\.md|package\.json|stet\.schema\.json)$/,
      /^docs\/[\w/-]+\.md$/,
      /^dist\/bin\/(?:stet\.cjs|program\.cjs|worker\.cjs|NOTICES\.txt)$/,
      /^dist\/page\/client\/(?:index\.html|app\.css|icon\.svg|NOTICES\.txt)$/,
      /^dist\/(?!cli\/|bin\/)[\w/-]+\.(?:js|d\.ts)$/,
    ];
    expect(packed.files.filter((file) => !allowed.some((pattern) => pattern.test(file)))).toEqual([]);
    const named = [...targetsOf(manifest.exports), ...Object.values<string>(manifest.bin)];
    const present = (target: string) => packed.files.includes(target.replace(/^\.\//, ""));
    expect(named.filter((target) => !present(target))).toEqual([]);
  });

  it("names the licence of everything in the bundled program", () => {
    const notices = readFileSync(join(root, "dist/bin/NOTICES.txt"), "utf8");
    for (const name of ["@modelcontextprotocol/server", "zod", "picomatch"]) expect(notices).toMatch(`${name} `);
    expect(notices).toContain("Permission is hereby granted");
  });

  it.runIf(HEAVY)("has no findings of attw", () => {
    const attw = join(root, "node_modules/@arethetypeswrong/cli/dist/index.js");
    const run = () => execFileSync(process.execPath, [attw, packed.path, "--profile", "esm-only"], { stdio: "pipe" });
    expect(run).not.toThrow();
  });
});

describe("installed into an empty project", () => {
  it("has no findings of publint", async (context) => {
    context.skip(unreachable !== undefined, unreachable);
    const { messages } = await publint({ pkgDir: installed, pack: false, strict: true });
    expect(messages.map((message) => formatMessage(message, manifest))).toEqual([]);
  });

  it("runs as a command", (context) => {
    context.skip(unreachable !== undefined, unreachable);
    const workspace = directoryWith({ "a.txt": "one\n" });
    const stet = (...args: string[]) => execFileSync(bin, args, { cwd: workspace, encoding: "utf8", env: quiet() });
    expect(stet("--version").trim()).toBe(manifest.version);
    const { ok, data } = JSON.parse(stet("call", "read_file", '{"path":"a.txt"}', "--json"));
    expect([ok, data.content]).toEqual([true, "one\n"]);
    // By now the compiled code was kept, and everything is still found.
    const { findings } = JSON.parse(stet("doctor", "--json"));
    const states = Object.fromEntries(findings.map(({ about, state }: Record<string, string>) => [about, state]));
    expect(states).toMatchObject({ ripgrep: "ok", native: "ok" });
  });

  it("serves MCP, with everything it loads or starts only when needed", async (context) => {
    context.skip(unreachable !== undefined, unreachable);
    const workspace = directoryWith({
      "a.js": "export const one = 1;\n",
      "b.txt": "caf\u00e9 one\n",
      "legacy.txt": Buffer.from("Fa\u00e7ade \u00e0 c\u00f4t\u00e9 de l'\u00e9t\u00e9\n".repeat(20), "latin1"),
    });
    const started = { command: bin, args: ["mcp", workspace], env: quiet() };
    const [read, edited] = await mcpCalls({ ...started, args: [...started.args, "--surface", "anchors"] }, [
      ["read_file", { path: "a.js", hashes: true }],
      ["edit", (answer) => ({ path: "a.js", operations: [broken(answer)] })],
    ]);
    expect(read).toContain("export const one");
    expect(edited).toMatch(/safety|syntax/i);
    // With and without ripgrep: the worker thread, whose program is text in the bundle; and a decoder from node_modules.
    const withoutRipgrep = { ...started, env: { ...quiet(), STET_SEARCH: "javascript" }, revision: "2026-07-28" };
    const [found] = await mcpCalls(started, [["search_files", { query: "one", mode: "text" }]]);
    expect(found).toMatch(/a\.js[\s\S]*b\.txt/);
    const [searched, decoded] = await mcpCalls(withoutRipgrep, [
      ["search_files", { query: "caf. one", mode: "regex" }],
      ["read_file", { path: "legacy.txt" }],
    ]);
    expect(searched).toContain("b.txt");
    expect(decoded).toContain(String.raw`Fa\xE7ade \xE0 c\xF4t\xE9`);
  });

  it("takes at most 35 MB", (context) => {
    context.skip(unreachable !== undefined, unreachable);
    const files = readdirSync(join(project, "node_modules"), { recursive: true, withFileTypes: true });
    const sizes = files
      .filter((file) => file.isFile())
      .map(({ parentPath, name }) => statSync(join(parentPath, name)).size);
    expect(sizes.reduce((all, size) => all + size, 0)).toBeLessThan(35e6);
  });

  it("can be imported by every sub-path, but for those whose framework is missing", (context) => {
    context.skip(unreachable !== undefined, unreachable);
    const needing = {
      "stet/adapters/claude": "@modelcontextprotocol/server",
      "stet/adapters/langchain": "@langchain/core",
      "stet/serve": "@modelcontextprotocol/server",
    };
    for (const [path, name] of Object.entries(needing)) {
      const lone = `await import("${path}").catch(({ message }) => console.log(message))`;
      const said = execFileSync(process.execPath, ["--input-type=module", "-e", lone], {
        cwd: project,
        encoding: "utf8",
      });
      expect(said).toMatch(`Cannot find package '${name}'`);
    }
    const paths = subPaths().filter((path) => !(path in needing));
    const program = `for (const path of ${JSON.stringify(paths)}) console.log(path, Object.keys(await import(path)).length);`;
    const printed = execFileSync(process.execPath, ["--input-type=module", "-e", program], {
      cwd: project,
      encoding: "utf8",
    });
    const schema = JSON.parse(
      readFileSync(createRequire(join(project, "x.js")).resolve("stet/stet.schema.json"), "utf8"),
    );
    expect(schema.$schema).toContain("json-schema.org");
    const empty = printed.split("\n").filter((line) => / 0$/.test(line));
    expect(empty).toEqual([]);
    expect(printed.trim().split("\n")).toHaveLength(paths.length);
  });

  it("has types that resolve, strictly, takes schemas of its own zod in tools of others, and says of another copy that it is one", (context) => {
    context.skip(unreachable !== undefined, unreachable);
    const imports = subPaths().map((path, n) => `import * as part${n} from "${path}";\nvoid part${n};`);
    const used = readFileSync(join(root, "examples/first-look.ts"), "utf8");
    mkdirSync(join(project, "src"), { recursive: true });
    writeFileSync(join(project, "src/parts.ts"), imports.join("\n"));
    writeFileSync(join(project, "src/first-look.ts"), used);
    const other = join(project, "other");
    cpSync(join(project, "node_modules/zod"), join(other, "node_modules/zod"), { recursive: true });
    for (const [file, pattern, replacement] of [
      ["package.json", /"version": "[^"]*"/, '"version": "4.1.0"'],
      ["v4/core/versions.d.ts", /minor: \d+/, "minor: 1"],
      ["v4/core/versions.d.cts", /minor: \d+/, "minor: 1"],
    ] as const) {
      const path = join(other, "node_modules/zod", file);
      writeFileSync(path, readFileSync(path, "utf8").replace(pattern, replacement));
    }
    writeFileSync(join(other, "tool.ts"), toolWith('import { z } from "zod";'));
    writeFileSync(join(other, "own.ts"), toolWith('import { z } from "stet/surfaces";'));
    // Compiled together: whatever is wrong is told with the name of its file.
    const said = compile(["src/parts.ts", "src/first-look.ts", "other/own.ts", "other/tool.ts"]);
    expect(said).toContain("'_zod.version.minor' are incompatible");
    expect(said.split("\n").filter((line) => /^\S/.test(line) && !line.startsWith("other/tool.ts("))).toEqual([]);
    // A range, so that one copy can serve both: none that changes what schemas mean, and none too old for the server.
    expect(manifest.dependencies.zod).toMatch(/^\^4\.\d+\.\d+$/);
  });
});

/** A tool of somebody else, with whatever zod `line` gets. */
function toolWith(line: string): string {
  return `${line}
    import { defineTool } from "stet/surfaces";
    export const count = defineTool({
      name: "count", title: "Count", description: "Counts lines.", effect: "read", actions: ["read"],
      input: z.object({ path: z.string() }), output: z.object({ lines: z.number() }), refused: "Nothing was counted.",
      run: async ({ session }, { path }) => ({ lines: (await session.read(path)).lines }),
      text: ({ lines }) => String(lines),
    });`;
}

/** What the compiler has to say. */
function compile(files: readonly string[]): string {
  const options = [
    "--noEmit",
    "--strict",
    "--module",
    "nodenext",
    "--target",
    "es2023",
    "--exactOptionalPropertyTypes",
  ];
  const types = ["--typeRoots", join(root, "node_modules/@types"), "--types", "node", "--skipLibCheck"];
  const tsc = join(root, "node_modules/typescript/bin/tsc");
  const args = [tsc, "--ignoreConfig", ...options, ...types, ...files.map((file) => join(project, file))];
  // One thread that does not clear up in between takes least.
  const env = { ...process.env, GOGC: "off" };
  const { stdout, stderr } = spawnSync(process.execPath, [...args, "--singleThreaded"], {
    cwd: project,
    env,
    encoding: "utf8",
    timeout: 60_000,
  });
  return stdout + stderr;
}

/** Leaves a bracket open, which only the parser in its own process notices. */
function broken(read: string): Record<string, unknown> {
  const [, hash] = /1#(\w+)/.exec(read) ?? [];
  return { op: "replace_line", hash, content: "export const one = (1;" };
}

function npm(args: readonly string[]): string {
  return execFileSync("npm", args, { cwd: project, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
}

/** Nothing is kept in the home of whoever runs the tests. */
function quiet(): Record<string, string> {
  return { ...(process.env as Record<string, string>), XDG_CACHE_HOME: join(project, "cache") };
}

function targetsOf(exported: unknown): string[] {
  if (typeof exported === "string") return [exported];
  return Object.values(exported as Record<string, unknown>).flatMap(targetsOf);
}

function subPaths(): string[] {
  return Object.keys(manifest.exports)
    .filter((path) => !path.endsWith(".json"))
    .map((path) => path.replace(/^\./, "stet"));
}
