// The README tells the truth: its example compiles and runs, its snippets are what stet prints, its commands are run.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type AnyTool, joinable, surfaceNamed, surfaceNames } from "stet/surfaces";
import { afterAll, describe, expect, it } from "vitest";
import { stet } from "./support/cli.ts";
import { tempDir } from "./support/temp.ts";
import { directoryWith } from "./support/workspace.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const read = (path: string): string => readFileSync(join(root, path), "utf8");
const readme = read("README.md");
const guarantees = read("docs/guarantees.md");
const { scripts } = JSON.parse(read("package.json")) as { readonly scripts: Readonly<Record<string, string>> };
// Inside the package, so that the example's `import … from "stet"` means this one.
const compiled = mkdtempSync(join(root, ".example-"));
afterAll(() => rmSync(compiled, { recursive: true, force: true }));

describe("the example", () => {
  it("compiles, runs and shows what its comments say", () => {
    const tsc = join(root, "node_modules/typescript/bin/tsc");
    const options = "--module nodenext --target es2023 --strict --skipLibCheck --types node".split(" ");
    writeFileSync(join(compiled, "first-look.ts"), read("examples/first-look.ts"));
    execFileSync(process.execPath, [tsc, "--ignoreConfig", ...options, join(compiled, "first-look.ts")], { cwd: root });
    const workspace = directoryWith({ "server.ts": 'const host = "localhost";\nconst port = 3000;\n' });
    const printed = execFileSync(process.execPath, [join(compiled, "first-look.js"), workspace], { encoding: "utf8" });
    expect(printed).toMatch(/^Edit rejected, .* It was changed by other .*/);
    expect(printed).toContain("What changed since the version you saw:\n--- a/server.ts\n+++ b/server.ts\n");
    expect(printed).toMatch(/\nEdited server\.ts [\s\S]*your edit was applied to the newer version\.\n$/);
    expect(readFileSync(join(workspace, "server.ts"), "utf8")).toBe('const host = "0.0.0.0";\nconst port = 3000;\n');
  });

  it("the conversation is one of those that test/docs.test.ts replays", () => {
    const page = read("docs/surfaces/workspace.md");
    const blocks = [...readme.matchAll(/^```(?:call|answer)\n[\s\S]*?^```$/gm)].map(([block]) => block);
    expect(blocks).toHaveLength(2);
    expect(page).toContain(blocks.join("\n\n"));
  });
});

describe.skipIf(process.platform === "win32")("client configurations", () => {
  const snippets = [...guarantees.matchAll(/<!-- install: (.*?) -->\n```json\n(.*?)```/gs)];
  const cases = snippets.flatMap(([, args, text]) => {
    const [clients, flags = ""] = args!.split(/ (?=--)/);
    return clients!.split(" ").map((client) => ({ client, flags: flags.split(" ").filter(Boolean), text: text! }));
  });

  it("are there for the usual clients, and for a running server", () => {
    expect(cases.map(({ client }) => client)).toEqual([
      "claude-code",
      "vscode",
      "cursor",
      "claude-desktop",
      "claude-code",
    ]);
  });

  it.each(cases)("$client $flags: as stet install prints it", async ({ client, flags, text }) => {
    const home = realpathSync(tempDir());
    const project = join(home, "project");
    mkdirSync(project);
    const { json } = await stet(["install", "--client", client, ...flags, "--json"], {
      cwd: home,
      env: { HOME: home },
    });
    const { snippet } = json();
    const here = {
      [process.execPath]: "/usr/bin/node",
      [join(root, "dist")]: "/home/me/stet/dist",
      [home]: "/home/me",
    };
    const told = Object.entries(here).reduce((words, [from, to]) => words.replaceAll(from, to), snippet as string);
    expect(JSON.parse(text)).toEqual(JSON.parse(told));
  });
});

describe("the table of tools", () => {
  it.each(surfaceNames)("%s: every tool, in the column of its annotation", (name) => {
    const row = guarantees.split("\n").find((line) => line.startsWith(`| [\`${name}\`]`))!;
    const cells = row.split("|").map((cell) => cell.trim());
    const tools = surfaceNamed(name).tools as readonly AnyTool[];
    const by = (effect: string) => tools.filter((tool) => tool.effect === effect).map((tool) => tool.name);
    const clashing = [
      ["workspace", "anchors", "filesystem"],
      ["tracked", "compact"],
    ].find((names) => names.includes(name));
    const others = surfaceNames.filter((other) => other !== name && !joinable(name).includes(other));
    expect(others).toEqual(clashing?.filter((other) => other !== name) ?? []);
    expect(cells.slice(2, 5)).toEqual([by("read"), by("write"), by("destroy")].map((names) => names.join(", ")));
  });
});

/** Every command of the README, and the test that runs it, or the script that does. */
const RUN_BY: Readonly<Record<string, string>> = {
  "npm start": "test/cli/process.test.ts",
  "npm run demo": "test/demo.test.ts",
  "npm run demo:fleet": "test/demo.test.ts",
  "npm run bench": "test/bench/trust.test.ts",
  "npm run test:nodes": "test/nodes/run.mjs",
  "npm pack": "test/package.test.ts",
  "npm run mcpb": "test/package/channels.test.ts",
  "node dist/bin/stet.cjs serve": "test/cli/process.test.ts",
  "stet install": "test/cli/install.test.ts",
  "stet serve": "test/cli/process.test.ts",
  "stet ui": "test/page/use/ui.test.ts",
  "stet log": "test/cli/history-log.test.ts",
  "stet show": "test/cli/history-log.test.ts",
  "stet undo": "test/cli/history-undo.test.ts",
  "stet trash": "test/cli/history-undo.test.ts",
  "stet restore": "test/cli/history-roots.test.ts",
  "stet verify": "test/cli/history-call.test.ts",
  "stet push": "test/cli/moving.test.ts",
  "stet pull": "test/cli/moving.test.ts",
  "stet doctor": "test/cli/commands.test.ts",
};
/** What runs before this test, or is this test. */
const UNDER_WAY = ["npm ci", "npm test"];

describe("commands", () => {
  const shell = [...readme.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].flatMap(([, block]) => block!.trim().split("\n"));
  const inline = [...readme.matchAll(/`((?:npm|stet|node) [^`]*)`/g)].map(([, command]) => command!);
  const commands = [...shell, ...inline].flatMap((line) => line.replace(/\s+#.*/, "").split(" && "));

  it("each is run by a test", () => {
    expect(commands.length).toBeGreaterThan(8);
    const known = [...Object.keys(RUN_BY), ...UNDER_WAY];
    const unknown = commands.filter((command) => !known.some((name) => `${command} `.startsWith(`${name} `)));
    expect(unknown).toEqual([]);
  });

  it("that test is there, and runs it", () => {
    for (const [command, test] of Object.entries(RUN_BY)) {
      expect(existsSync(join(root, test)), test).toBe(true);
      const [, name] = /^stet (\w+)$/.exec(command) ?? [];
      if (name !== undefined) expect(read(test), command).toMatch(new RegExp(`"${name}"|run\\("--client"`));
    }
  });

  it("npm start and npm run demo build, then run what the tests run", () => {
    expect(scripts.start).toBe("npm run --silent build && node dist/bin/stet.cjs serve");
    expect(scripts.demo).toBe("npm run --silent build && node examples/demo.mjs");
  });

  it("the versions of Node are those that the tests are run on", () => {
    const { dependencies } = JSON.parse(read("test/nodes/package.json"));
    const versions = Object.values(dependencies).map((alias) => String(alias).split("@").at(-1)!);
    const [, named] = /`npm run test:nodes` runs them on Node (.*?);/.exec(readme)!;
    expect(named!.split(/, | and /)).toEqual(versions);
  });

  it("all npm scripts that the README and CONTRIBUTING name exist", () => {
    const named = [readme, read("CONTRIBUTING.md")].flatMap((page) => [...page.matchAll(/npm run ([\w:-]+)/g)]);
    expect(named.map(([, name]) => name!).filter((name) => scripts[name] === undefined)).toEqual([]);
  });
});
