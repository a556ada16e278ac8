// stet policy explain of links: it says of each action what the tools then do.
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { stet } from "../support/cli.ts";
import { directoryWith } from "../support/workspace.ts";

describe("stet policy explain of a link", () => {
  const cwd = directoryWith({
    "stet.config.json": '{ "policy": { "deniedPaths": ["private/**"] } }',
    "private/file": "secret",
    "public/file": "open",
  });
  symlinkSync("private/file", join(cwd, "to-private"));
  symlinkSync("public/file", join(cwd, ".env.link"));
  const decide = async (path: string, action: string) =>
    (await stet(["policy", "explain", path, "--action", action, "--json"], { cwd })).json();

  it("judges the link itself where only that is taken, and else what it leads to", async () => {
    for (const action of ["delete", "undo", "restore", "purge"])
      expect(await decide("to-private", action)).toMatchObject({
        path: "to-private",
        kind: "link",
        decisions: [{ action, path: "to-private", allowed: true }],
      });
    for (const action of ["read", "edit", "move"])
      expect(await decide("to-private", action)).toMatchObject({
        decisions: [{ action, path: "private/file", allowed: false }],
      });
    expect(await decide(".env.link", "delete")).toMatchObject({ decisions: [{ allowed: false, rule: "**/.env*" }] });
  });

  it("agrees with the tools", async () => {
    const patch = "*** Begin Patch\n*** Delete File: to-private\n*** End Patch";
    expect(await stet(["call", "apply_patch", JSON.stringify({ patch })], { cwd })).toMatchObject({ code: 0 });
    const { id } = (await stet(["trash", "list", "--json"], { cwd })).json();
    symlinkSync("private/file", join(cwd, "to-private"));
    expect(await stet(["call", "read_file", '{"path":"to-private"}'], { cwd })).toMatchObject({ code: 1 });
    expect(await stet(["trash", "purge", id, "--yes"], { cwd })).toMatchObject({ code: 0 });
  });

  it("names in words which of the two is meant", async () => {
    const { out } = await stet(["policy", "explain", "to-private"], { cwd });
    expect(out).toMatch(/^private\/file \(file\)$/m);
    expect(out).toMatch(/^ {2}delete +allowed +no rule denies it \(of the link to-private itself\)/m);
    expect(out).toMatch(/^ {2}edit +denied +the owner of the workspace denies it {2}/m);
  });
});
