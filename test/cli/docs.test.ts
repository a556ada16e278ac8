// The pages on the command line and its configuration mention everything there is, with the defaults that hold.
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { commandNames, loadCommand } from "../../src/cli/commands/index.ts";
import { VARIABLES } from "../../src/cli/config/environment.ts";
import { readConfigFile } from "../../src/cli/config/file/config-file.ts";
import { KNOWN_KEYS } from "../../src/cli/config/file/schema.ts";
import { CLIENTS } from "../../src/cli/install/clients.ts";
import { parseGiven } from "../../src/cli/options/usage.ts";
import { LIMITS } from "../../src/core/limits.ts";
import { HTTP_LIMITS } from "../../src/serve/http/limits.ts";
import { directoryWith } from "../support/workspace.ts";

const page = (name: string): string => readFileSync(new URL(`../../docs/${name}`, import.meta.url), "utf8");

describe("docs/cli.md", () => {
  const text = page("cli.md");
  const blocks = [...text.matchAll(/```\n([\s\S]*?)```/g)].flatMap(([, block]) => block!.split("\n"));
  const examples = blocks.map((line) => line.replace(/^\$ /, "")).filter((line) => /^stet [a-z]+( |$)/.test(line));

  it.each(commandNames)("stet %s has a heading and an example that parses", async (name) => {
    const command = (await loadCommand(name))!;
    expect(text).toMatch(new RegExp(`^### \`stet ${name}\\b`, "m"));
    const own = examples.filter((line) => line.startsWith(`stet ${name}`) && !line.includes(" is "));
    expect(own.length).toBeGreaterThan(0);
    for (const line of own) {
      const words = [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain!);
      expect(() => parseGiven(command, words.slice(2)), line).not.toThrow();
    }
  });

  it("names every client with its files", () => {
    for (const [name, { projectFile, entry }] of Object.entries(CLIENTS)) {
      const row = text.split("\n").find((line) => line.startsWith(`| \`${name}\` |`))!;
      const place = { home: "/h", project: "", platform: "linux", env: {} } as const;
      expect(row, name).toContain(projectFile === undefined ? "| |" : `\`${projectFile(place)}\``);
      expect(row.endsWith("| yes |"), name).toBe(entry({ kind: "remote", url: "x" }) !== undefined);
    }
  });
});

describe("docs/configuration.md", () => {
  const text = page("configuration.md");

  it("names every key and every variable", () => {
    for (const [parent, keys] of Object.entries(KNOWN_KEYS)) {
      for (const key of keys) expect(text, `${parent}.${key}`).toContain(`\`${key}\``);
    }
    for (const name of Object.keys(VARIABLES)) expect(text).toContain(`| \`${name}\` |`);
  });

  it("has the limits that hold", () => {
    for (const [name, value] of Object.entries(LIMITS)) expect(text).toContain(`| \`${name}\` | ${value} |`);
    expect(text).toContain(`${HTTP_LIMITS.callsPerSecond} and ${HTTP_LIMITS.burst} |`);
    expect(text).toContain(`| largest request body | ${HTTP_LIMITS.bodyBytes} |`);
  });

  it("shows a file that is accepted", () => {
    const [, example] = /```jsonc\n([\s\S]*?)```/.exec(text)!;
    const root = directoryWith({ "stet.config.json": example! });
    expect(readConfigFile(`${root}/stet.config.json`).config).toMatchObject({
      surface: "workspace",
      http: { port: 4200 },
    });
  });
});
