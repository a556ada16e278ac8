// The command line as a whole: help, version, misspellings, and how refusals and defects end.
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { stet } from "../support/cli.ts";
import { tempDir } from "../support/temp.ts";
import { directoryWith } from "../support/workspace.ts";

const cwd = tempDir();

interface Described {
  readonly name: string;
  readonly summary: string;
  readonly usage: string;
}

const commandsOf = async () => (await stet(["--help", "--json"], { cwd })).json().commands as readonly Described[];

describe("help", () => {
  it("lists every command with its summary, and is what no arguments give", async () => {
    const { code, out, err } = await stet(["--help"], { cwd });
    expect([code, err]).toEqual([0, ""]);
    const commands = await commandsOf();
    expect(commands.length).toBeGreaterThan(15);
    for (const { name, summary } of commands) {
      expect(out).toContain(name);
      expect(out).toContain(summary);
    }
    for (const args of [[], ["-h"], ["help"]]) expect((await stet(args, { cwd })).out).toBe(out);
  });

  it("of a command has usage, every option with its meaning, and examples of options that there are", async () => {
    for (const { name, usage } of await commandsOf()) {
      const { code, out } = await stet([name, "--help"], { cwd });
      expect(code).toBe(0);
      expect(out).toContain(`Usage: ${usage}`);
      const { options, examples } = (await stet([name, "--help", "--json"], { cwd })).json() as {
        options: { name: string; about: string }[];
        examples: string[];
      };
      for (const { name: option, about } of options) {
        expect(out, name).toContain(option);
        expect(about, `${name} ${option}`).toBeTruthy();
      }
      expect(examples.length).toBeGreaterThan(0);
      const known = new Set(options.map((option) => option.name));
      for (const example of examples) {
        const line = example.split(" | ").find((part) => part.includes("stet ")) ?? "";
        expect(line).toContain(`stet ${name}`);
        const used = [...line.matchAll(/ (--[a-z-]+)/g)].map(([, option]) => option!);
        expect(used.filter((option) => !known.has(option))).toEqual([]);
      }
      expect((await stet(["help", name], { cwd })).out).toBe(out);
      expect((await stet([name, "--nonsense", "-h"], { cwd })).out).toBe(out);
    }
  });

  it("is coloured only when told", async () => {
    expect((await stet(["--help"], { cwd, colour: true })).out).toContain("\u001b[1m");
    expect((await stet(["--help"], { cwd })).out).not.toContain("\u001b");
  });
});

describe("version", () => {
  it("is that of the package", async () => {
    const { version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
    for (const flag of ["--version", "-v", "version"])
      expect(await stet([flag], { cwd })).toMatchObject({ code: 0, out: `${version}\n`, err: "" });
  });
});

describe("called wrongly", () => {
  const CASES: readonly (readonly string[] | string)[][] = [
    [["lgo"], 'no command "lgo"', "Did you mean stet log?"],
    [["frobnicate"], 'no command "frobnicate"', "stet --help"],
    [["help", "instal"], "Did you mean stet install?"],
    [["--frob"], "--frob"],
    [["__proto__"], 'no command "__proto__"'],
    [["constructor"], 'no command "constructor"'],
    [["serve", "--surfce", "x"], "no option --surfce", "Did you mean --surface?"],
    [["serve", "--frobnicate"], "no option --frobnicate", "stet serve --help"],
    [["serve", "-z"], "no option -z"],
    [["tools", "--surface"], "--surface needs a value"],
    [["tools", "--surface", "--read-only"], "--surface needs a value", "--surface=VALUE"],
    [["tools", "--read-only=yes"], "--read-only takes no value"],
    [["policy"], "explain"],
    [["policy", "explain"], "needs PATH"],
    [["policy", "explain", "a", "b"], 'no argument "b"'],
    [["policy", "explain", "a", "--action", "wirte"], 'no action "wirte"', "Did you mean write?"],
    [["doctor", "here"], 'no argument "here"'],
    [["init", "a", "b"], "one directory"],
    [["install"], "--client", "claude-desktop"],
    [["install", "--client", "curser"], 'no client "curser"', "Did you mean cursor?"],
    [["install", "--client", "hasOwnProperty"], "no client"],
    [["install", "--client", "cursor", "--scope", "world"], "user or project"],
    [["install", "--client", "windsurf", "--scope", "project"], "Windsurf has no configuration in projects"],
    [["install", "--client", "cursor", "--name", "a b"], "--name"],
    [["install", "--client", "cursor", "--http", "here"], "--http needs a URL"],
  ];

  it.each(CASES)("stet %j", async (given, ...words) => {
    const args = given as readonly string[];
    const { code, out, err } = await stet(args, { cwd });
    expect([code, out]).toEqual([2, ""]);
    for (const word of words) expect(err).toContain(word as string);
    const json = await stet([...args, "--json"], { cwd });
    expect(json.json()).toMatchObject({ ok: false, error: { kind: "invalid_input" } });
  });
});

describe("refusals and defects", () => {
  it("a refusal is words on stderr, and data on stdout with --json", async () => {
    const args = ["tools", "/nonexistent/place"];
    const plain = await stet(args, { cwd });
    expect(plain).toMatchObject({ code: 1, out: "" });
    expect(plain.err).toBe("stet: The root /nonexistent/place does not exist.\nName a directory that exists.\n");
    const { code, json } = await stet([...args, "--json"], { cwd });
    expect(code).toBe(1);
    expect((await stet(["--json", ...args], { cwd })).json()).toEqual(json());
    expect(json()).toEqual({
      ok: false,
      error: {
        kind: "not_found",
        message: "The root /nonexistent/place does not exist.",
        path: "/nonexistent/place",
        recoverable: true,
        suggestedAction: "Name a directory that exists.",
      },
    });
  });

  it("anything else is a defect with its stack", async () => {
    const onOut = () => {
      throw new TypeError("the terminal broke");
    };
    const { code, err } = await stet(["tools"], { cwd, onOut });
    expect(code).toBe(70);
    expect(err).toContain("TypeError: the terminal broke\n    at ");
  });
});

it("lets no foreign text move the cursor", async () => {
  const hostile = directoryWith({ "stet.config.json": '{ "\\u001b[2J\\u202e": 1 }' });
  const { code, err } = await stet(["tools"], { cwd: hostile });
  expect(code).toBe(1);
  expect(err).toContain("1:3: \\u{1b}[2J\\u{202e} is no known key");
});

describe("stet mcp", () => {
  it("keeps stdout for the protocol, also when it cannot start and --json is asked for", async () => {
    for (const args of [
      ["mcp", "/nope"],
      ["--json", "mcp", "/nope"],
      ["mcp", "--nonsense"],
      ["mcp", "--surface", "none"],
    ]) {
      const { code, out, err } = await stet([...args, "--json"], { cwd });
      expect([code > 0, out], args.join(" ")).toEqual([true, ""]);
      expect(JSON.parse(err.trimEnd().split("\n").at(-1)!)).toMatchObject({
        ok: false,
        error: { kind: expect.any(String) },
      });
    }
  });
});
