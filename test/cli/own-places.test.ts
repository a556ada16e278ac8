// Places on the way to the owner's files at which nothing is yet, or something that an agent could replace.
import { createHash } from "node:crypto";
import { readlinkSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type Answer, modern, send } from "../serve/http-support.ts";
import { stet } from "../support/cli.ts";
import { directoryWith } from "../support/workspace.ts";
import { type Call, kindsOf } from "./own-files-support.ts";

const isPosix = process.platform !== "win32";

/** With a link to a directory in `b`, as every package manager makes them. */
function twoRoots(config: object, files: Readonly<Record<string, string>> = {}): string {
  const cwd = directoryWith({
    "a/secret.txt": "secret",
    "b/releases/1/x": "x",
    "c.json": JSON.stringify(config),
    ...files,
  });
  symlinkSync("releases/1", join(cwd, "b/current"));
  return cwd;
}

const ITS_SHA = createHash("sha256").update("releases/1").digest("hex");
const moveTheLink = (toPath: string): Call => [
  "move_file",
  { fromPath: "current", toPath, expectedSha256: ITS_SHA },
  "b",
];
const kinds = async (cwd: string, calls: readonly Call[], state?: string): Promise<string[]> => {
  const env: Record<string, string> = state === undefined ? {} : { STET_STATE: state };
  return (await kindsOf(cwd, calls, { config: "c.json", env })).map(([, kind]) => kind);
};

describe.skipIf(!isPosix)("where nothing is yet, no agent puts a link", () => {
  it("on the way to the tokens", async () => {
    const cwd = twoRoots({ roots: ["a", "b"], http: { tokenFile: "b/tok/tokens" } });
    const calls: Call[] = [
      moveTheLink("tok"),
      ["create_file", { path: "tok/tokens", content: "mine", createParentDirectories: true }, "b"],
    ];
    expect(await kinds(cwd, calls)).toEqual(["permission_denied", "permission_denied"]);
    expect(readlinkSync(join(cwd, "b/current"))).toBe("releases/1");
  });

  it("nor in the place of a file on that way", async () => {
    const cwd = twoRoots({ roots: ["a", "b"], http: { tokenFile: "b/tok/tokens" } }, { "b/tok": "a file" });
    const calls: Call[] = [
      ["read_file", { path: "tok" }, "b"],
      ["delete_file", { path: "tok" }, "b"],
      moveTheLink("tok"),
    ];
    expect(await kinds(cwd, calls)).toEqual(["permission_denied", "permission_denied", "permission_denied"]);
  });
});

it.skipIf(!isPosix)("a link on the way to a root stays what it is while both are served", async () => {
  const cwd = directoryWith({ "a/x": "", "real/y": "", "c.json": '{ "roots": ["a", "a/r"] }' });
  symlinkSync("../real", join(cwd, "a/r"));
  const ending = new AbortController();
  let asked: Promise<Answer> | undefined;
  await stet(["serve", "--config", "c.json", "--port", "0", "--json"], {
    cwd,
    signal: ending.signal,
    onOut(text) {
      const patch = "*** Begin Patch\n*** Delete File: r\n*** End Patch";
      const call = modern("tools/call", { name: "apply_patch", arguments: { workspace: "a", patch } });
      asked = send(JSON.parse(text), call).finally(() => ending.abort());
    },
  });
  expect((await asked)?.text).toContain("isError");
  expect(readlinkSync(join(cwd, "a/r"))).toBe("../real");
});
