// The code blocks of the documentation are compiled, run, and print what the comments behind their console.log say.
import { execFile, execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { format, promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { directoryWith } from "./support/workspace.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const PAGES = ["docs/library.md", "docs/mcp.md", "docs/policy.md"];
/** Those that are programs of their own, and say what they print. */
const PRINTING = [
  "hello",
  "change",
  "refused",
  "history",
  "reviewers",
  "own-tool",
  "own-workspace",
  "edit",
  "check",
  "policy",
  "serve-http",
  "own-transport",
];
/** Those that are files of examples/. */
const FILES = [
  "agent-loop",
  "own-backend",
  "own-tool",
  "own-transport",
  "own-workspace",
  "reviewers",
  "serve-http",
  "test-own-backend",
];
const BLOCK = /^```ts (\S+)\n([\s\S]*?)^```$/gm;
const blocks = new Map([
  ...PAGES.flatMap((page) =>
    [...readFileSync(join(root, page), "utf8").matchAll(BLOCK)].map(([, name, code]) => [name!, code!] as const),
  ),
  ...FILES.map((name) => [name, readFileSync(join(root, `examples/${name}.ts`), "utf8")] as const),
]);
// Inside the package, so that `import … from "stet"` means this one.
const folder = mkdtempSync(join(root, ".example-"));
const file = (name: string): string => join(folder, `${name}.js`);
const run = (name: string, ...args: string[]): string =>
  execFileSync(process.execPath, [...args, file(name)], { encoding: "utf8", env: environment() });

beforeAll(() => {
  const sources = [...blocks].map(([name, code]) => {
    const app = directoryWith({ "hello.txt": "Hello, world!\n" });
    writeFileSync(join(folder, `${name}.ts`), code.replace('"/home/me/app"', JSON.stringify(app)));
    return join(folder, `${name}.ts`);
  });
  const options = "--ignoreConfig --module nodenext --target es2023 --strict --skipLibCheck --types node".split(" ");
  execFileSync(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), ...options, ...sources], {
    cwd: root,
  });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("blocks of the documentation", () => {
  it("are these", () => {
    expect([...blocks.keys()].sort()).toEqual([...PRINTING, "agent-loop", "own-backend", "test-own-backend"].sort());
    const all = PAGES.flatMap((page) => [...readFileSync(join(root, page), "utf8").matchAll(/^```ts\b.*$/gm)]);
    expect(all).toHaveLength(blocks.size - FILES.length);
  });

  it("hello world comes first, and needs a workspace, a session and a result", () => {
    const page = readFileSync(join(root, "docs/library.md"), "utf8");
    expect(page).toMatch(/^# In a program\n\n```ts hello\n/);
    const [imported, ...acts] = blocks.get("hello")!.split("\n").filter(Boolean);
    expect(imported).toBe('import { openWorkspace } from "stet";');
    expect(acts.slice(0, 3).map((line) => /^const (\w+) = /.exec(line)?.[1])).toEqual([
      "workspace",
      "session",
      "result",
    ]);
  });

  it.each(PRINTING)("%s prints what it says", async (name) => {
    const told = [...blocks.get(name)!.matchAll(/console\.log\(.*\); \/\/ (.*)$/gm)].map(([, words]) => words);
    expect(told.length).toBeGreaterThan(0);
    // In this process: a start of Node for each block would take longer than all of them.
    const printed: string[] = [];
    const log = vi.spyOn(console, "log").mockImplementation((...args) => void printed.push(format(...args).trimEnd()));
    await load(file(name)).finally(() => log.mockRestore());
    expect(printed).toEqual(told);
  });

  it("test-own-backend runs the whole suite", () => {
    const { pass, fail } = /^# pass (?<pass>\d+)\n# fail (?<fail>\d+)$/m.exec(
      run("test-own-backend", "--test-reporter=tap"),
    )!.groups!;
    expect(Number(pass)).toBeGreaterThanOrEqual(38);
    expect(fail).toBe("0");
  });
});

it.skipIf(spawnSync("curl", ["--version"]).status !== 0)("a call with curl is answered as it stands", async () => {
  const [, command] = /^```sh\n(curl [\s\S]*?)^```$/m.exec(readFileSync(join(root, "docs/mcp.md"), "utf8"))!;
  const { openWorkspace } = (await load(join(root, "dist/index.js"))) as typeof import("stet");
  const { serveOverHttp } = (await load(join(root, "dist/serve/index.js"))) as typeof import("stet/serve");
  const { workspace: surface } = (await load(join(root, "dist/surfaces/index.js"))) as Surfaces;
  const workspace = openWorkspace({ root: directoryWith({ "hello.txt": "Hello, world!\n" }) });
  const served = { name: "project", workspace } as const;
  const serving = await serveOverHttp({ surface, served: [served], version: "1" });
  try {
    const [sh, env] = [command!.replace("http://127.0.0.1:4100/mcp", serving.url), { STET_TOKEN: serving.token }];
    const { stdout } = await promisify(execFile)("sh", ["-c", sh], { env: { ...process.env, ...env } });
    expect(JSON.parse(stdout).result.content[0].text).toContain("\nHello, world!\n");
  } finally {
    await serving.close();
  }
});

describe("the loop of an agent", () => {
  it("offers the tools, makes the calls that a model asks for, and hands back results and refusals", async () => {
    const { letWork } = (await load(file("agent-loop"))) as { letWork: LetWork };
    const { openWorkspace } = await import("stet");
    const policy = { allowedActions: ["read", "create"] } as const;
    const workspace = openWorkspace({ root: directoryWith({ "a.txt": "one\n" }), durability: "fast", policy });
    const script = [
      [asked("1", "read_file", { path: "a.txt" }), asked("2", "create_file", { path: "a.txt", content: "" })],
      [asked("3", "nonsense", {}), asked("4", "create_file", "not even an object")],
      [],
    ];
    const seen: { readonly tools: Offered[]; readonly results: object[] }[] = [];
    await letWork(workspace.session(), async (tools, results) => {
      seen.push({ tools, results });
      return script[seen.length - 1]!;
    });
    await workspace.close();
    const names = seen[0]!.tools.map(({ name }) => name);
    expect(names).toEqual(["read_file", "create_file", "apply_patch", "audit_log", "list_trash"]);
    expect(seen[0]!.tools[0]).toMatchObject({
      description: expect.stringMatching(/\w/),
      input_schema: { type: "object", required: ["path"] },
    });
    expect(seen.slice(1).map(({ results }) => results)).toMatchObject([
      [
        { tool_use_id: "1", is_error: false, content: expect.stringContaining("one") },
        { tool_use_id: "2", is_error: true, content: expect.stringContaining("exists") },
      ],
      [
        { tool_use_id: "3", is_error: true, content: expect.stringContaining("There is no tool") },
        { tool_use_id: "4", is_error: true },
      ],
    ]);
  });
});

type Surfaces = typeof import("stet/surfaces");

interface Offered {
  readonly name: string;
}
type Asked = { readonly id: string; readonly name: string; readonly input: unknown };
type LetWork = (
  session: object,
  ask: (tools: Offered[], results: object[]) => Promise<readonly Asked[]>,
) => Promise<void>;

/** Compiled code only: a session of the sources is none of what the examples import. */
function load(path: string): Promise<unknown> {
  return import(pathToFileURL(path).href);
}

function asked(id: string, name: string, input: unknown): Asked {
  return { id, name, input };
}

/** Without what tells a program that vitest runs it. */
function environment(): NodeJS.ProcessEnv {
  const { VITEST: _vitest, NODE_TEST_CONTEXT: _context, ...rest } = process.env;
  return rest;
}
