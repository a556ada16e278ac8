// The command line at its edges: unusable configurations, places that are gone, output that cannot be written, foreign names.
import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, closeSync, existsSync, mkdirSync, openSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { stet } from "../support/cli.ts";
import { tempDir } from "../support/temp.ts";
import { directoryWith } from "../support/workspace.ts";
import { CLIENT_NAMES, CLIENTS } from "./install-support.ts";

const MAIN = fileURLToPath(new URL("../../dist/bin/stet.cjs", import.meta.url));
const CONFIG = "stet.config.json";
const isPosix = process.platform !== "win32";

describe("a configuration that cannot hold stops stet, and says where", () => {
  it.each<[words: string, text: string | Buffer]>([
    [":1:12: surface: ", '{"surface":"workspace,anchors"}'],
    [":2:11: roots[1]: The root ", '{"roots":["d",\n          "nope"]}'],
    [":1:11: roots[0]: The root ", '{"roots":["a.txt"]}'],
    [":1:15: roots[1]: roots must be separate: ", '{"roots":["d","d"]}'],
    [" cannot be read: it is not UTF-8 text.", Buffer.from([0x7b, 0x0a, 0x22, 0xc3, 0xff])],
    [":1:1: nested too deeply", "[".repeat(200_000)],
    [":1:23: limits.callMs: expected int", '{"limits" : {"callMs":1.5}}'],
  ])("%s", async (words, text) => {
    const cwd = directoryWith({ "a.txt": "a", "d/x": "x", [CONFIG]: text });
    const { code, err } = await stet(["tools", "--config", CONFIG], { cwd });
    expect(err).toContain(`${join(cwd, CONFIG)}${words}`);
    expect(code).toBe(1);
  });

  it("counts no brackets in texts and comments", async () => {
    const text = `{ /* ${"[".repeat(99)} */ "$schema": "\\"${"[{".repeat(80)}" } // ${"{".repeat(99)}`;
    expect((await stet(["log"], { cwd: directoryWith({ [CONFIG]: text }) })).code).toBe(0);
  });

  it.skipIf(!isPosix)("does not overlook a link that leads nowhere, a loop, a pipe or a directory", async () => {
    for (const target of ["missing", CONFIG]) {
      const cwd = directoryWith({ "a.txt": "a" });
      symlinkSync(target, join(cwd, CONFIG));
      for (const args of [["tools"], ["tools", cwd]]) {
        const { code, err } = await stet(args, { cwd });
        expect([code, err]).toEqual([1, expect.stringContaining(`${CONFIG} cannot be read`)]);
      }
    }
    const piped = tempDir();
    execFileSync("mkfifo", [join(piped, CONFIG)]);
    expect((await stet(["log"], { cwd: piped })).err).toContain("it is not a file");
    const directory = directoryWith({ [`${CONFIG}/x`]: "" });
    expect((await stet(["log"], { cwd: directory })).err).toContain("cannot be read");
  });

  it("names the token file that cannot be read", async () => {
    const cwd = directoryWith({ "a.txt": "a" });
    const { err } = await stet(["serve", "--token-file", "none", "--port", "0"], { cwd });
    expect(err).toContain(`The token file ${join(cwd, "none")} cannot be read`);
  });
});

describe("what the owner should know", () => {
  it("is told by every command that opens a workspace", async () => {
    const cwd = directoryWith({ [CONFIG]: '{"readOnly":true}' });
    for (const args of [["log"], ["tools"], ["policy", "explain", "x"]]) {
      const { err, code } = await stet(args, { cwd, env: { STET_READONLY: "1" } });
      expect(code).toBe(0);
      expect(err).toContain("stet: The environment variable STET_READONLY means nothing to stet.\n");
    }
  });
});

describe("called wrongly", () => {
  it.each([
    [["serve", "--port", "abc"]],
    [["serve", "--port", "70000"]],
    [["tools", "--surface", "nope"]],
    [["tools", "--surface", "workspace,anchors"]],
  ])("%j ends with 2", async (args) => {
    const { code, json } = await stet([...args, "--json"], { cwd: directoryWith({}) });
    expect([code, json().error.kind]).toEqual([2, "invalid_input"]);
  });

  it("a variable that a surface reads is no wrong call", async () => {
    process.env.STET_FS_READ_ONLY = "maybe";
    try {
      const cwd = directoryWith({ [CONFIG]: '{"surface":"files"}' });
      for (const args of [["tools"], ["tools", "--surface", "files"]]) {
        const { code, err } = await stet(args, { cwd });
        expect([code, err]).toEqual([1, 'stet: STET_FS_READ_ONLY is "maybe".\nSet it to true or false.\n']);
      }
    } finally {
      delete process.env.STET_FS_READ_ONLY;
    }
  });

  it("a variable that is wrong is refused although a flag is given", async () => {
    const { code, err } = await stet(["serve", "--port", "0"], { cwd: directoryWith({}), env: { STET_PORT: "abc" } });
    expect([code, err]).toEqual([1, expect.stringContaining("STET_PORT: expected a port")]);
  });
});

describe("--json", () => {
  it("also for versions and help", async () => {
    const around = { cwd: tempDir() };
    for (const args of [
      ["--version", "--json"],
      ["version", "--json"],
      ["--json", "-v"],
    ])
      expect((await stet(args, around)).json()).toEqual({ version: expect.stringMatching(/^\d/) });
    for (const args of [["--help", "--json"], ["help", "--json"], ["--json"], ["--json", "--help"]])
      expect((await stet(args, around)).json().commands[0]).toMatchObject({ name: "mcp", usage: expect.any(String) });
    for (const args of [
      ["help", "log", "--json"],
      ["log", "--help", "--json"],
      ["--json", "help", "log"],
    ]) {
      const { name, options, examples } = (await stet(args, around)).json();
      expect(name).toBe("log");
      expect(options).toContainEqual({ name: "--path", value: "PATH", about: expect.any(String) });
      expect(examples.length).toBeGreaterThan(0);
    }
  });

  it("also for a defect", async () => {
    let broken = false;
    const onOut = () => {
      if (broken) return;
      broken = true;
      throw new Error("broken");
    };
    const { code, out } = await stet(["--version", "--json"], { cwd: tempDir(), onOut });
    const error = { kind: "unknown", message: "broken", recoverable: false };
    expect([code, JSON.parse(out.trimEnd().split("\n").at(-1)!)]).toEqual([70, { ok: false, error }]);
  });
});

describe("install", () => {
  it("puts down nothing that could not start", async () => {
    const cwd = directoryWith({ "a.txt": "a", "d/x": "x", "bad/stet.config.json": "{" });
    const failing = [
      ["--root", "a.txt"],
      ["--root", "d", "--root", "."],
      ["--root", "bad"],
      ["--config", "none.json"],
      ["--surface", "nope"],
    ];
    for (const args of failing) {
      const { code, out } = await stet(["install", "--client", "cursor", "--write", ...args], {
        cwd,
        env: { HOME: cwd },
      });
      expect([args, code, out]).toEqual([args, 1, ""]);
    }
    expect(existsSync(join(cwd, ".cursor"))).toBe(false);
  });

  it("names no path of this machine in a file for others", async () => {
    const cwd = directoryWith({});
    const argsOf = async (...more: string[]) =>
      (await stet(["install", "--json", "--scope", "project", ...more], { cwd })).json();
    const plain = await argsOf("--client", "claude-code");
    expect(plain.entry.args).toEqual(["-y", expect.stringMatching(/^stet@\d/), "mcp"]);
    for (const client of CLIENT_NAMES.filter((name) => CLIENTS[name]!.projectFile !== undefined)) {
      const { entry } = await argsOf("--client", client);
      const words = JSON.stringify(entry);
      for (const path of [cwd, process.execPath, process.cwd()])
        expect([client, words.includes(path)]).toEqual([client, false]);
    }
    for (const option of ["root", "config", "state"]) {
      const { error } = await argsOf("--client", "cursor", `--${option}`, cwd);
      expect(error.message).toContain(`A file for others cannot have --${option}`);
    }
  });
});

describe("foreign names", () => {
  it.skipIf(!isPosix)("reach no terminal as they are", async () => {
    const cwd = join(tempDir(), "d\u001b[31m\u202e");
    mkdirSync(cwd);
    const home = { cwd, env: { HOME: tempDir() } };
    const clients = ["cursor", "codex"].flatMap((client) => [
      ["install", "--client", client],
      ["install", "--client", client, "--json"],
      ["install", "--client", client, "--write", "--no-check"],
    ]);
    const all = [["init"], ["init", "--json"], ...clients, ["doctor"], ["doctor", "--json"]];
    for (const args of [...all, ["policy", "explain", "x", "--json"]]) {
      const { out, err } = await stet(args, home);
      expect([args, out.match(/[\u001b\u202e]/), err.match(/[\u001b\u202e]/)]).toEqual([args, null, null]);
    }
    const ending = new AbortController();
    const served = await stet(["serve", "--port", "0"], {
      ...home,
      signal: ending.signal,
      onOut: () => ending.abort(),
    });
    expect(served.out).toContain("\\u{1b}[31m\\u{202e}");
  });
});

describe("a name that nobody may make anew", () => {
  it.skipIf(!isPosix)("comes back all the same, in all ways that are promised", async () => {
    const cwd = directoryWith({ "a\tb.txt": "x" });
    const remove = () =>
      stet(["call", "delete_file", JSON.stringify({ path: "a\tb.txt", expectedSha256: X_SHA })], { cwd });
    for (const args of [
      ["trash", "restore", "1"],
      ["undo", "3"],
      ["call", "restore_file", '{"path":"a\\tb.txt"}'],
    ]) {
      expect((await remove()).code).toBe(0);
      expect([args, (await stet(args, { cwd })).err, existsSync(join(cwd, "a\tb.txt"))]).toEqual([args, "", true]);
    }
  });
});

const X_SHA = "2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881";

describe.skipIf(!isPosix)("as a process", () => {
  const run = (args: readonly string[], options: object) =>
    spawnSync(process.execPath, [MAIN, ...args], { encoding: "utf8", ...options });

  it("says in words that its directory is gone, and still helps", () => {
    const cwd = tempDir();
    const script = `rmdir "$PWD"; "${process.execPath}" "${MAIN}" "$@"`;
    const gone = (...args: string[]) => {
      mkdirSync(cwd, { recursive: true });
      return spawnSync("sh", ["-c", script, "sh", ...args], { cwd, encoding: "utf8" });
    };
    const { status, stderr } = gone("log");
    expect([status, stderr]).toEqual([1, expect.stringContaining("no longer exists")]);
    expect(gone("--help").status).toBe(0);
  });

  it.skipIf(!existsSync("/dev/full"))("says that its output cannot be written", () => {
    const cwd = tempDir();
    const full = openSync("/dev/full", "w");
    try {
      const { status, stderr } = run(["--help"], { cwd, stdio: ["ignore", full, "pipe"] });
      expect([status, stderr]).toEqual([1, "stet: The output cannot be written: ENOSPC.\n"]);
    } finally {
      closeSync(full);
    }
  });

  it("makes no home where there is none", () => {
    const home = join(tempDir(), "missing", "home");
    const { HOME: _home, XDG_CACHE_HOME: _cache, ...env } = process.env;
    expect(run(["--version"], { env: { ...env, HOME: home } }).status).toBe(0);
    expect(existsSync(join(home, ".."))).toBe(false);
    mkdirSync(home, { recursive: true });
    expect(run(["--version"], { env: { ...env, HOME: home } }).status).toBe(0);
    expect(existsSync(join(home, ".cache", "stet", ".stet"))).toBe(true);
  });

  it.skipIf(process.getuid?.() !== 0)("doctor finds a root that this user may not read", (context) => {
    const cwd = directoryWith({ "a.txt": "a" });
    chmodSync(cwd, 0o700);
    const other = { cwd: "/", uid: 65534, gid: 65534, env: { PATH: process.env.PATH, HOME: "/nonexistent" } };
    const canRead = spawnSync(process.execPath, ["-e", "fs.readFileSync(process.argv[1])", MAIN], other);
    context.skip(canRead.status !== 0, "that user cannot read the program either");
    const { status, stdout } = run(["doctor", "--json", "--root", cwd], other);
    expect([status, JSON.parse(stdout).findings.at(-1)]).toEqual([
      1,
      expect.objectContaining({ about: "permissions" }),
    ]);
  });
});
