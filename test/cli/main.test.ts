// The command line as a whole: help, version, misspellings, and how refusals and defects end.
import { describe, expect, it } from "vitest";
import { commandNames, loadCommand } from "../../src/cli/commands/index.ts";
import type { Command } from "../../src/cli/options/command.ts";
import { nearest, parseGiven } from "../../src/cli/options/usage.ts";
import { columns, paint, sizeInWords } from "../../src/cli/terminal/print.ts";
import { stetVersion } from "../../src/cli/version.ts";
import { stet } from "../support/cli.ts";
import { tempDir } from "../support/temp.ts";
import { directoryWith } from "../support/workspace.ts";

const cwd = tempDir();

describe("help", () => {
  it("lists every command with its summary, and is what no arguments give", async () => {
    const { code, out, err } = await stet(["--help"], { cwd });
    expect([code, err]).toEqual([0, ""]);
    for (const name of commandNames) {
      const command = (await loadCommand(name))!;
      expect(command.name).toBe(name);
      expect(out).toContain(command.summary);
    }
    for (const args of [[], ["-h"], ["help"]]) expect((await stet(args, { cwd })).out).toBe(out);
  });

  it("of a command has usage, every option with its meaning, and examples that parse", async () => {
    for (const name of commandNames) {
      const command = (await loadCommand(name))!;
      const { code, out } = await stet([name, "--help"], { cwd });
      expect(code).toBe(0);
      expect(out).toContain(`Usage: stet ${command.usage}`);
      for (const option of Object.keys(command.options)) {
        expect(out, name).toContain(`--${option}`);
        expect(command.about[option], `${name} --${option}`).toBeTruthy();
      }
      expect(Object.keys(command.options)).toEqual(expect.not.arrayContaining(["help", "json"]));
      expect(command.usage.startsWith(name)).toBe(true);
      expect(command.examples.length).toBeGreaterThan(0);
      for (const example of command.examples) expectToParse(command, example);
      expect((await stet(["help", name], { cwd })).out).toBe(out);
      expect((await stet([name, "--nonsense", "-h"], { cwd })).out).toBe(out);
    }
  });

  it("is coloured only when told", async () => {
    expect((await stet(["--help"], { cwd, colour: true })).out).toContain("\u001b[1m");
    expect((await stet(["--help"], { cwd })).out).not.toContain("\u001b");
  });
});

/** The first command of a pipe, without the words of the shell around it. */
function expectToParse(command: Command, example: string): void {
  const line = example.split(" | ").find((part) => part.includes("stet ")) ?? "";
  const words = [...line.replace(/^.*?(?=stet )/, "").matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(
    ([, single, double, plain]) => single ?? double ?? plain!,
  );
  expect(words.slice(0, 2)).toEqual(["stet", command.name]);
  expect(() => parseGiven(command, words.slice(2))).not.toThrow();
}

describe("version", () => {
  it("is that of the package", async () => {
    expect(stetVersion()).toMatch(/^\d+\.\d+\.\d+/);
    for (const flag of ["--version", "-v", "version"]) {
      expect(await stet([flag], { cwd })).toMatchObject({ code: 0, out: `${stetVersion()}\n`, err: "" });
    }
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

describe("printing", () => {
  it("lines up columns whatever their colours", () => {
    const green = paint({ colour: true }, "green", "ok");
    expect(
      columns([
        ["a", "bb", "c"],
        [green, "b", "d"],
        ["", ""],
      ]),
    ).toBe(`a   bb  c\n${green}  b   d\n`);
    expect(paint({ colour: false }, "green", "ok")).toBe("ok");
  });

  it("lets no foreign text move the cursor", async () => {
    const cwd = directoryWith({ "stet.config.json": '{ "\\u001b[2J\\u202e": 1 }' });
    const { code, err } = await stet(["tools"], { cwd });
    expect(code).toBe(1);
    expect(err).toContain("1:3: \\u{1b}[2J\\u{202e} is no known key");
  });

  it("says sizes", () => {
    expect([0, 1023, 1024, 1536, 5 * 1024 ** 3].map(sizeInWords)).toEqual([
      "0 B",
      "1023 B",
      "1.0 KiB",
      "1.5 KiB",
      "5.0 GiB",
    ]);
  });

  it("finds what was meant, and does not guess wildly", () => {
    expect(nearest("instal", commandNames)).toBe("install");
    expect(nearest("sreve", commandNames)).toBe("serve");
    expect(nearest("xy", commandNames)).toBeUndefined();
    expect(nearest("something", commandNames)).toBeUndefined();
  });
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
