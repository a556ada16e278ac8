// stet install: what it refuses rather than to put down something else than was asked for.
import {
  chmodSync,
  chownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { stet } from "../support/cli.ts";
import { tempDir } from "../support/temp.ts";
import { CLIENT_NAMES, CLIENTS } from "./install-support.ts";

const URL_OF_SERVER = "http://127.0.0.1:4100/mcp";
const isPosix = process.platform !== "win32";

describe("without a root", () => {
  it("a client that opens no projects is told to name one", async () => {
    const home = realpathSync(tempDir());
    const env = { HOME: home };
    for (const client of CLIENT_NAMES.filter((name) => !CLIENTS[name]!.opensProjects)) {
      for (const more of [[], ["--write"]]) {
        const { code, json } = await stet(["install", "--client", client, "--json", ...more], { cwd: home, env });
        expect([client, code]).toEqual([client, 2]);
        expect(json().error).toMatchObject({
          message: expect.stringContaining("starts servers in no project: say which directory to serve."),
          suggestedAction: `As in: stet install --client ${client} --root /path/to/project`,
        });
      }
    }
    expect(readdirSync(home)).toEqual([]);
  });

  it("no project's file is put into a whole home or disk; a home that is named is served", async () => {
    const home = realpathSync(tempDir());
    const env = { HOME: home };
    for (const cwd of [home, "/"]) {
      const { code, json } = await stet(["install", "--client", "kiro", "--scope", "project", "--json"], { cwd, env });
      expect([code, json().error.message]).toEqual([1, `No root was named, and ${cwd} as a whole is hardly meant.`]);
    }
    expect(readdirSync(home)).toEqual([]);
    const named = await stet(["install", "--root", ".", "--client", "kiro", "--json"], { cwd: home, env });
    expect(named.json().entry.args.at(-1)).toBe(home);
    const remote = await stet(["install", "--client", "kiro", "--http", URL_OF_SERVER], { cwd: home, env });
    expect(remote.code).toBe(0);
  });
});

it.skipIf(!isPosix)("a file that is a link to nowhere stays one", async () => {
  const home = tempDir();
  mkdirSync(join(home, ".cursor"));
  symlinkSync("nowhere.json", join(home, ".cursor/mcp.json"));
  const { code, json } = await stet(["install", "--client", "cursor", "--write", "--json"], {
    cwd: tempDir(),
    env: { HOME: home },
  });
  expect([code, json().error]).toMatchObject([
    1,
    {
      message: expect.stringContaining("is a link that leads nowhere"),
      suggestedAction: "Remove the link, or make the file that it leads to.",
    },
  ]);
  expect(readdirSync(join(home, ".cursor"))).toEqual(["mcp.json"]);
});

describe("--http", () => {
  it.each([
    [["--read-only"], "--read-only means nothing with --http"],
    [["--surface", "anchors"], "--surface means nothing with --http"],
    [["--config", "/nope"], "--config means nothing with --http"],
    [["--npx"], "--npx means nothing with --http"],
    [["--root", "."], "--root means nothing with --http"],
    [["."], 'takes no argument "."'],
  ])("does not drop %j in silence", async (args, words) => {
    const cwd = tempDir();
    const all = ["install", "--client", "cursor", "--http", URL_OF_SERVER, "--write", ...args];
    const { code, out, err } = await stet(all, { cwd, env: { HOME: cwd } });
    expect([code, out, err]).toEqual([2, "", expect.stringContaining(words)]);
    expect(readdirSync(cwd)).toEqual([]);
  });

  it("takes the project whose file it shall stand in", async () => {
    const cwd = tempDir();
    const args = ["install", "--client", "cursor", "--http", URL_OF_SERVER, "--scope", "project", "--json"];
    expect((await stet(args, { cwd })).json().file).toBe(join(realpathSync(cwd), ".cursor/mcp.json"));
  });
});

describe.skipIf(!isPosix)("the file of a client", () => {
  function clientFile(mode: number) {
    const home = tempDir();
    const file = join(home, ".cursor/mcp.json");
    mkdirSync(join(home, ".cursor"));
    writeFileSync(file, "{}");
    chmodSync(file, mode);
    const cwd = tempDir();
    const run = () => stet(["install", "--client", "cursor", "--write", "--no-check"], { cwd, env: { HOME: home } });
    return { file, run, beside: () => readdirSync(join(home, ".cursor")).sort() };
  }

  it("keeps its mode, whatever the umask", async () => {
    for (const mode of [0o666, 0o660, 0o600]) {
      const { file, run } = clientFile(mode);
      expect((await run()).code).toBe(0);
      expect(statSync(file).mode & 0o7777).toBe(mode);
      expect(readFileSync(file, "utf8")).toContain('"stet"');
    }
  });

  it.skipIf(process.getuid?.() !== 0)("keeps its owner", async () => {
    const { file, run } = clientFile(0o640);
    chownSync(file, 12345, 54321);
    expect((await run()).code).toBe(0);
    expect(statSync(file)).toMatchObject({ uid: 12345, gid: 54321, mode: 0o100640 });
  });

  it("is left alone when it may not be written, by whomever", async () => {
    const { file, run, beside } = clientFile(0o444);
    const { code, err } = await run();
    expect([code, err]).toEqual([1, expect.stringContaining(`${file} may not be written; it was left as it is.`)]);
    expect([readFileSync(file, "utf8"), beside()]).toEqual(["{}", ["mcp.json"]]);
  });

  it("lies nowhere else for a variable that is no absolute path", async () => {
    const home = tempDir();
    const env = { HOME: home, XDG_CONFIG_HOME: "rel", CODEX_HOME: "rel" };
    for (const client of ["zed", "codex"]) {
      const { file } = (await stet(["install", "--client", client, "--json"], { cwd: tempDir(), env })).json();
      expect(file.startsWith(join(home, "."))).toBe(true);
    }
  });
});
