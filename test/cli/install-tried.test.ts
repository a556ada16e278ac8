// stet install, the second time and afterwards: what is there, what changes, whether the server starts, what is left to do.
import { existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { stet } from "../support/cli.ts";
import { tempDir } from "../support/temp.ts";

function machine(files: Readonly<Record<string, string>> = {}) {
  const home = realpathSync(tempDir());
  for (const [path, text] of Object.entries({ "project/a.txt": "a\n", ...files })) {
    mkdirSync(dirname(join(home, path)), { recursive: true });
    writeFileSync(join(home, path), text);
  }
  const run = (args: readonly string[], env: object = {}, cwd = join(home, "project")) =>
    stet(["install", ...args], { cwd, env: { HOME: home, ...env } });
  return { home, run };
}

describe("--write", () => {
  it("the server is started as the client would, and what is left to do is said", async () => {
    const { home, run } = machine();
    const cursor = await run(["--client", "cursor", "--write", "--surface", "tracked"]);
    expect(cursor).toMatchObject({
      code: 0,
      out: expect.stringMatching(/\ntried out: the server starts and has 5 tools\n$/),
    });
    const gemini = await run(["--client", "gemini", "--write", "--json", "--surface", "tracked"]);
    expect(gemini.json().tried).toBe("the server starts and has 5 tools");
    const again = await run(["--client", "gemini", "--write", "--surface", "tracked"], {}, home);
    expect(again.out).toContain(`tried out: the server starts, but serves nothing in ${home} and has 5 tools`);
    expect(again.err).toContain("Left to do: Start Gemini CLI in a project and trust the folder");
  });

  it("nothing is written of one that does not start", async () => {
    const { home, run } = machine({ "project/stet.config.json": "{ frob" });
    const ran = await run(["--client", "codex", "--write"]);
    expect([ran.code, ran.out]).toEqual([1, ""]);
    expect(ran.err).toMatch(/The server would not start, and nothing was written: .*not valid JSON/);
    expect(existsSync(join(home, ".codex"))).toBe(false);
    expect((await run(["--client", "codex", "--write", "--no-check"])).code).toBe(0);
    expect(readFileSync(join(home, ".codex/config.toml"), "utf8")).toContain("[mcp_servers.stet]");
  });

  it("a project's file is tried with the program that is here", async () => {
    const { run } = machine();
    const { code, out, err } = await run(["--client", "vscode", "--scope", "project", "--write"]);
    expect([code, out]).toEqual([0, expect.stringContaining("whether npx finds the package was not tried")]);
    expect(err).toContain("Left to do: ");
  });
});

describe("a second install", () => {
  const OLD = { command: "node", args: ["/x/stet.cjs", "mcp", "/home/me/old"] };
  const file = ".cursor/mcp.json";
  const there = JSON.stringify({ mcpServers: { stet: OLD } });

  it("shows what is there and what would change, and does it only when told", async () => {
    const { home, run } = machine({ [file]: there });
    const shown = await run(["--client", "cursor"]);
    expect(shown.code).toBe(0);
    expect(shown.err).toContain("There is another entry named stet. What --write --force would change:\n");
    for (const line of ['-  "command": "node",', '-    "/home/me/old"', '+    "mcp"'])
      expect(shown.err).toContain(line);
    expect((await run(["--client", "cursor", "--json"])).json()).toMatchObject({ state: "differs", existing: OLD });
    const refused = await run(["--client", "cursor", "--write"]);
    expect([refused.code, refused.out]).toEqual([1, ""]);
    expect(refused.err).toContain('-    "/home/me/old"\n');
    expect(refused.err).toContain("it was left as it is.\nReplace it with --force, or choose another --name.");
    expect(readFileSync(join(home, file), "utf8")).toBe(there);
    const forced = await run(["--client", "cursor", "--write", "--force", "--no-check"]);
    expect([forced.code, forced.out]).toEqual([0, expect.stringContaining('-    "/home/me/old"\n')]);
    expect(readFileSync(join(home, file), "utf8")).not.toContain("/home/me/old");
  });

  it("says when there is nothing to do", async () => {
    const { run } = machine();
    await run(["--client", "cursor", "--write", "--no-check"]);
    expect((await run(["--client", "cursor"])).err).toContain("It is there already.");
    expect((await run(["--client", "cursor", "--write", "--no-check"])).out).toContain("already had the server stet.");
  });

  it("of a file that cannot be read still shows what belongs there", async () => {
    const { run } = machine({ [file]: '{"mcpServers": {' });
    const { code, out, err } = await run(["--client", "cursor"]);
    expect([code, out, err]).toEqual([
      0,
      expect.stringContaining('"stet"'),
      expect.stringContaining("CloseBraceExpected"),
    ]);
  });
});
