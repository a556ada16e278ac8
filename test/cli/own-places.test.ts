// Places on the way to the owner's files at which nothing is yet, or something that an agent could replace; and states that would lie in each other.
import { createHash } from "node:crypto";
import { lstatSync, readlinkSync, symlinkSync } from "node:fs";
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
const kinds = async (cwd: string, calls: readonly Call[]): Promise<string[]> =>
  (await kindsOf(cwd, calls, { config: "c.json" })).map(([, kind]) => kind);

describe.skipIf(!isPosix)("where nothing is yet, no agent puts a link", () => {
  it("on the way to the state of another root", async () => {
    const cwd = twoRoots({ roots: [{ path: "a", stateDir: "b/states/deep/a" }, { path: "b" }] });
    const calls: Call[] = [
      moveTheLink("states"),
      moveTheLink("states/deep"),
      ["create_file", { path: "new.txt", content: "1" }, "a"],
      ["list_directory", { path: "states/deep/a" }, "b"],
      moveTheLink("elsewhere"),
    ];
    expect(await kinds(cwd, calls)).toEqual([
      "permission_denied",
      "permission_denied",
      "done",
      "permission_denied",
      "done",
    ]);
    expect(lstatSync(join(cwd, "b/states/deep/a")).isDirectory()).toBe(true);
  });

  it("on the way to it by a link that goes up again", async () => {
    const cwd = twoRoots({ roots: [{ path: "a", stateDir: "s/a" }, { path: "b" }] });
    symlinkSync("b/nowhere/../states", join(cwd, "s"));
    expect(await kinds(cwd, [moveTheLink("states"), moveTheLink("nowhere")])).toEqual([
      "permission_denied",
      "permission_denied",
    ]);
  });

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

it("the stateDir of the file is closed where that of the environment wins", async () => {
  const cwd = directoryWith({ "stet.config.json": '{ "stateDir": "history" }', "x.txt": "x" });
  const create = (path: string): Call => ["create_file", { path, content: "1" }];
  expect(await kindsOf(cwd, [create("1.txt")], {})).toEqual([[expect.anything(), "done"]]);
  const calls: Call[] = [
    ["list_directory", { path: "history" }],
    ["create_file", { path: "history/mine", content: "" }],
    create("2.txt"),
  ];
  for (const elsewhere of [join(directoryWith({}), "new"), "other"]) {
    const env = { STET_STATE_DIR: elsewhere };
    const found = (await kindsOf(cwd, calls, { env })).map(([, kind]) => kind);
    expect(found.slice(0, 2)).toEqual(["permission_denied", "permission_denied"]);
  }
});

describe("states in each other are refused", () => {
  const refusalOf = async (
    config: object,
    env: Readonly<Record<string, string>> = {},
    named?: string,
  ): Promise<string> => {
    const cwd = directoryWith({ "a/x": "", "b/x": "", "stet.config.json": JSON.stringify(config) });
    const { code, err } = await stet(["tools", ...(named === undefined ? [] : ["--config", named])], { cwd, env });
    return code === 0 ? "accepted" : err.replaceAll(cwd, "");
  };
  const two = (a: object, b: object) => ({
    roots: [
      { path: "a", ...a },
      { path: "b", ...b },
    ],
  });

  it.each([
    [two({}, { stateDir: "a/.stet/below" }), "roots[1].stateDir: it lies in the state of another root"],
    [two({}, { stateDir: "a/.stet" }), "roots[1].stateDir: it holds the state of another root"],
    [two({ stateDir: "sd/a" }, { stateDir: "sd/a/b" }), "roots[1].stateDir: it lies in the state of another root"],
    [two({ stateDir: "sd/a/b" }, { stateDir: "sd/a" }), "roots[1].stateDir: it holds the state of another root"],
    [two({ stateDir: "b/.stet/a" }, {}), "roots[0].stateDir: it lies in the state of another root"],
    [{ roots: ["a"], stateDir: "a/.stet/below" }, "it lies in .stet"],
  ])("%j", async (config, words) => {
    expect(await refusalOf(config)).toContain(words);
  });

  it("also between the environment and the file", async () => {
    const config = { roots: ["a"], stateDir: "s" };
    const outcomes = [];
    for (const place of ["s/below", "s", "t"]) outcomes.push(await refusalOf(config, { STET_STATE_DIR: place }));
    expect(outcomes).toEqual([
      expect.stringContaining("it lies in another stateDir of the configuration"),
      "accepted",
      "accepted",
    ]);
  });

  it("and not where they lie beside each other, or in the usual place", async () => {
    for (const config of [
      two({ stateDir: "sd/a" }, { stateDir: "sd/ab" }),
      two({ stateDir: "b/states/a" }, { stateDir: "b/.stet" }),
    ])
      expect(await refusalOf(config, {}, "stet.config.json")).toBe("accepted");
  });
});

it.skipIf(!isPosix)("a stateDir through a loop of links is told as such", async () => {
  const cwd = directoryWith({ "x.txt": "" });
  symlinkSync("loop", join(cwd, "loop"));
  const { code, err } = await stet(["log"], { cwd, env: { STET_STATE_DIR: "loop/s" } });
  expect([code, err]).toEqual([1, expect.stringContaining("cannot be a stateDir: it leads through links in a circle")]);
});
