// What belongs to the owner stays out of every tool's reach, however many links lead to it and whatever it is called.
import { lstatSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { directoryWith } from "../support/workspace.ts";
import { type Around, type Call, kindsOf } from "./own-files-support.ts";

const isPosix = process.platform !== "win32";

const remove = (path: string): Call => [
  "apply_patch",
  { patch: `*** Begin Patch\n*** Delete File: ${path}\n*** End Patch` },
];

/** Everything that could put something else at this path, or show what is there. */
function attacksOn(path: string): readonly Call[] {
  return [
    ["read_file", { path }],
    // A patch can name neither of these.
    ...(/\n|^\s|\s$/.test(path) ? [] : [remove(path)]),
    ["delete_file", { path, expectedSha256: "0".repeat(64) }],
    ["create_file", { path, content: "{}", createParentDirectories: true }],
    ["move_file", { from: path, to: "away", expectedSha256: "0".repeat(64) }],
    ["move_file", { from: "plain.txt", to: path, expectedSha256: "0".repeat(64) }],
  ];
}

async function expectClosed(cwd: string, paths: readonly string[], around: Around) {
  const calls = paths.flatMap(attacksOn);
  const kinds = await kindsOf(cwd, calls, around);
  expect(kinds.filter(([, kind]) => kind !== "permission_denied")).toEqual([]);
  for (const path of paths) expect(lstatSync(join(cwd, path), { throwIfNoEntry: false })).toBeDefined();
  expect(await kindsOf(cwd, [["read_file", { path: "plain.txt" }]], around)).toEqual([[expect.anything(), "done"]]);
}

describe.skipIf(!isPosix)("links on the way to the owner's files", () => {
  it("to the configuration, in a directory above it", async () => {
    const cwd = directoryWith({ "real/c.json": '{"policy":{"deniedPaths":["secret.txt"]}}', "plain.txt": "p" });
    symlinkSync("real", join(cwd, "confdir"));
    const around = { config: "confdir/c.json" };
    await expectClosed(cwd, ["confdir", "confdir/c.json", "real/c.json"], around);
    const beside = await kindsOf(cwd, [["create_file", { path: "real/other.txt", content: "x" }]], around);
    expect(beside).toEqual([[expect.anything(), "done"]]);
  });

  it("to the configuration, one after the other", async () => {
    const cwd = directoryWith({ "real/c.json": "{}", "plain.txt": "p" });
    symlinkSync("real/c.json", join(cwd, "mid.json"));
    symlinkSync("mid.json", join(cwd, "stet.config.json"));
    await expectClosed(cwd, ["stet.config.json", "mid.json", "real/c.json"], {});
  });

  it("to the tokens, be they there or not yet", async () => {
    const cwd = directoryWith({ "real/t": "a-token-of-sixteen", "plain.txt": "p" });
    symlinkSync("real", join(cwd, "td"));
    await expectClosed(cwd, ["td", "td/t", "real/t"], { env: { STET_TOKEN_FILE: "td/t" } });
    const env = { STET_TOKEN_FILE: "td/later/t" };
    await expectClosed(cwd, ["td"], { env });
    const made = await kindsOf(
      cwd,
      [["create_file", { path: "real/later/t", content: "x", createParentDirectories: true }]],
      { env },
    );
    expect(made).toEqual([[expect.anything(), "permission_denied"]]);
  });

  it("through links outside, back into the workspace", async () => {
    const cwd = directoryWith({ "deep/real/c.json": "{}", "plain.txt": "p" });
    const outside = directoryWith({});
    symlinkSync("../deep/real", join(cwd, "deep/again"));
    symlinkSync(join(cwd, "deep/again/c.json"), join(outside, "c.json"));
    await expectClosed(cwd, ["deep/again", "deep/real/c.json"], { config: join(outside, "c.json") });
  });
});

describe.skipIf(!isPosix)("the name of a configuration", () => {
  it.each(["C:x.json", "new\nline.json", " x, y{1}.json "])("may be %j", async (name) => {
    const cwd = directoryWith({
      [name]: '{"policy":{"deniedPaths":["no"]}}',
      "plain.txt": "p",
      [`${name}x`]: "open",
    });
    await expectClosed(cwd, [name], { config: name });
    const beside = await kindsOf(cwd, [["read_file", { path: `${name}x` }]], { config: name });
    expect(beside).toEqual([[expect.anything(), "done"]]);
  });

  it("may be at the end of a long path", async () => {
    const name = `${`${"d".repeat(100)}/`.repeat(6)}c.json`;
    const cwd = directoryWith({ [name]: "{}", "plain.txt": "p" });
    await expectClosed(cwd, [name], { config: name });
  });
});
