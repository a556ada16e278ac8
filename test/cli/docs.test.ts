// The pages on the command line and its configuration mention everything there is, with the defaults that hold.
import { readFileSync } from "node:fs";
import { LIMITS } from "stet";
import { describe, expect, it } from "vitest";
import { stet } from "../support/cli.ts";
import { tempDir } from "../support/temp.ts";
import { directoryWith } from "../support/workspace.ts";
import { CLIENTS } from "./install-support.ts";

const page = (name: string): string => readFileSync(new URL(`../../docs/${name}`, import.meta.url), "utf8");

describe("docs/cli.md", () => {
  const text = page("cli.md");
  const blocks = [...text.matchAll(/```\n([\s\S]*?)```/g)].flatMap(([, block]) => block!.split("\n"));
  const examples = blocks.map((line) => line.replace(/^\$ /, "")).filter((line) => /^stet [a-z]+( |$)/.test(line));

  it("has a heading for each command, and examples with options that there are", async () => {
    const { commands } = (await stet(["--help", "--json"], { cwd: tempDir() })).json() as {
      commands: { name: string }[];
    };
    for (const { name } of commands) {
      expect(text).toMatch(new RegExp(`^### \`stet ${name}\\b`, "m"));
      const { options } = (await stet(["help", name, "--json"], { cwd: tempDir() })).json() as {
        options: { name: string }[];
      };
      const own = examples.filter((line) => line.startsWith(`stet ${name}`));
      expect(own.length, name).toBeGreaterThan(0);
      const used = own.flatMap((line) => [...line.matchAll(/ (--[a-z-]+)/g)].map(([, option]) => option!));
      expect(used.filter((option) => !options.some((each) => each.name === option))).toEqual([]);
    }
  });

  it("names every client with its files", () => {
    for (const [name, { projectFile }] of Object.entries(CLIENTS)) {
      const row = text.split("\n").find((line) => line.startsWith(`| \`${name}\` |`))!;
      expect(row, name).toContain(projectFile === undefined ? "| |" : `\`${projectFile}\``);
    }
  });
});

describe("docs/configuration.md", () => {
  const text = page("configuration.md");

  it("names every key, and no variable that means nothing", async () => {
    const schema = JSON.parse(readFileSync(new URL("../../stet.schema.json", import.meta.url), "utf8"));
    const keysIn = (value: Record<string, unknown>): string[] =>
      Object.entries((value.properties ?? {}) as Record<string, Record<string, unknown>>).flatMap(([key, field]) => [
        key,
        ...keysIn(field),
      ]);
    for (const key of keysIn(schema).filter((each) => each !== "$schema")) expect(text, key).toContain(`\`${key}\``);
    const variables = [...text.matchAll(/^\| `(STET_\w+)` \|/gm)].map(([, name]) => name!);
    expect(variables.length).toBeGreaterThan(10);
    const env = Object.fromEntries(variables.map((name) => [name, ""]));
    expect((await stet(["tools"], { cwd: tempDir(), env })).err).not.toContain("means nothing");
  });

  it("has the limits that hold", () => {
    for (const [name, value] of Object.entries(LIMITS)) expect(text).toContain(`| \`${name}\` | ${value} |`);
  });

  it("shows a file that is accepted", async () => {
    const [, example] = /```jsonc\n([\s\S]*?)```/.exec(text)!;
    const cwd = directoryWith({ "named.json": example!, "app/x": "", "docs/x": "" });
    const { code, err } = await stet(["tools", "--config", "named.json"], { cwd });
    expect([code, err]).toEqual([0, expect.any(String)]);
  });
});
