// Which directories are served, under which names, by which configuration; and that no tool reaches that file.
import { mkdirSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { describe, expect, it } from "vitest";
import { stet } from "../support/cli.ts";
import { directoryWith } from "../support/workspace.ts";

const HOME = "/nonexistent/home";

/** The roots that stet would serve, each with its name where there are several; what is refused is thrown. */
async function rootsOf(cwd: string, wanted: { roots?: string[]; config?: string; env?: Record<string, string> } = {}) {
  const { roots = [], config, env = {} } = wanted;
  const flags = [...roots.flatMap((root) => ["--root", root]), ...(config === undefined ? [] : ["--config", config])];
  const { findings } = (await stet(["doctor", "--json", ...flags], { cwd, env: { HOME, ...env } })).json() as {
    findings: { about: string; state: string; what: string }[];
  };
  const refused = findings.find(({ about, state }) => about === "configuration" && state === "fail");
  if (refused !== undefined) throw new Error(refused.what);
  return findings.flatMap(({ about, what }) => {
    const [, name] = /^(?:(.*): )?root$/.exec(about) ?? [about, null];
    return name === null ? [] : [[name, what]];
  });
}

function config(value: object): string {
  return JSON.stringify(value);
}

describe("the roots", () => {
  const cwd = realpathSync(directoryWith({ "a/x": "", "b/x": "", "deep/a/x": "", "odd name!/x": "" }));

  it("are the working directory, or what is named, each under a name of its own", async () => {
    expect(await rootsOf(cwd)).toEqual([[undefined, cwd]]);
    expect(await rootsOf(cwd, { roots: ["a", "deep/a", join(cwd, "b"), "odd name!"] })).toEqual([
      ["a", join(cwd, "a")],
      ["a-2", join(cwd, "deep/a")],
      ["b", join(cwd, "b")],
      ["odd-name-", join(cwd, "odd name!")],
    ]);
    expect(await rootsOf(cwd, { env: { STET_ROOT: `a${delimiter}b` } })).toEqual([
      ["a", join(cwd, "a")],
      ["b", join(cwd, "b")],
    ]);
    expect(await rootsOf(cwd, { roots: ["b"], env: { STET_ROOT: "a" } })).toEqual([[undefined, join(cwd, "b")]]);
    expect(await rootsOf(cwd, { roots: ["~/a"], env: { HOME: cwd } })).toEqual([[undefined, join(cwd, "a")]]);
  });

  it("of one name are numbered", async () => {
    const paths = ["p/x/app", "q/x/app", "q/y/app", "n 1/z", "named/app"];
    const home = realpathSync(directoryWith(Object.fromEntries(paths.map((path) => [`${path}/file`, ""]))));
    const namesOf = async (roots: string[]) => (await rootsOf(home, { roots })).map(([name]) => name);
    expect(await namesOf(["p/x/app", "q/x/app", "q/y/app"])).toEqual(["app", "app-2", "app-3"]);

    const file = join(home, "my.json");
    writeFileSync(file, config({ roots: ["p/x/app", { path: "named/app", name: "app" }, "q/y/app", "n 1/z"] }));
    expect((await rootsOf(home, { config: file })).map(([name]) => name)).toEqual(["app-2", "app", "app-3", "z"]);
    expect(await rootsOf(home, { config: file, roots: ["app-3"] })).toEqual([[undefined, join(home, "q/y/app")]]);
  });

  it("are refused when they are the same, lie in each other, or are not there", async () => {
    symlinkSync("a", join(cwd, "link-to-a"));
    await expect(rootsOf(cwd, { roots: ["a", "./a/"] })).rejects.toThrow(`${join(cwd, "a")} is given twice`);
    await expect(rootsOf(cwd, { roots: ["a", "link-to-a"] })).rejects.toThrow("is given twice");
    await expect(rootsOf(cwd, { roots: [".", "deep/a"] })).rejects.toThrow(`${join(cwd, "deep/a")} lies in ${cwd}`);
    await expect(rootsOf(cwd, { roots: ["deep/a", "deep"] })).rejects.toThrow("lies in");
    await expect(rootsOf(cwd, { roots: ["a", "c"] })).rejects.toThrow(`The root ${join(cwd, "c")} does not exist.`);
    await expect(stet(["tools", "a/x"], { cwd })).resolves.toMatchObject({ code: 1 });
  });

  it("are never a whole home by default, also where HOME names a link to it", async () => {
    const real = realpathSync(directoryWith({ "home/project/file": "", "elsewhere/file": "" }));
    symlinkSync(join(real, "home"), join(real, "elsewhere/link"));
    const env = { HOME: join(real, "elsewhere/link") };
    await expect(rootsOf(join(real, "home"), { env })).rejects.toThrow("as a whole is hardly meant");
    expect(await rootsOf(join(real, "home/project"), { env })).toEqual([[undefined, join(real, "home/project")]]);
  });

  it("are never the whole disk or a whole home by default, but may be when named", async () => {
    await expect(rootsOf("/")).rejects.toThrow("No root was named, and / as a whole is hardly meant.");
    await expect(rootsOf(cwd, { env: { HOME: cwd } })).rejects.toThrow("hardly meant");
    expect((await stet(["tools"], { cwd, env: { HOME: cwd } })).err).toContain("as in: --root /path/to/project");
    await expect(rootsOf(cwd, { env: { HOME: join(cwd, "a") } })).rejects.toThrow("hardly meant");
    expect(await rootsOf(cwd, { roots: ["."], env: { HOME: cwd } })).toHaveLength(1);
    const withFile = realpathSync(directoryWith({ "stet.config.json": "{}", ".ssh/stet.config.json": "{}" }));
    await expect(rootsOf(withFile, { env: { HOME: withFile } })).rejects.toThrow("hardly meant");
    await expect(rootsOf(join(withFile, ".ssh"))).rejects.toThrow("a protected place");
  });
});

describe("the roots of a configuration", () => {
  const files = {
    "stet.config.json": config({
      roots: ["a", { name: "lib", path: "packages/lib", readOnly: true, policy: { deniedPaths: ["no"] } }],
      policy: { deniedPaths: ["common"] },
    }),
    "a/x": "",
    "packages/lib/x": "",
    "other/x": "",
  };
  const cwd = realpathSync(directoryWith(files));
  const FILE = join(cwd, "stet.config.json");

  const explain = async (path: string, root: string) => {
    const args = ["policy", "explain", path, "--action", "edit", "--root", root, "--json", "--config", FILE];
    return (await stet(args, { cwd })).json().decisions[0].allowed as boolean;
  };

  it("have their own names and policies", async () => {
    expect(await rootsOf(cwd, { config: FILE })).toEqual([
      ["a", join(cwd, "a")],
      ["lib", join(cwd, "packages/lib")],
    ]);
    const decided = [await explain("x", "a"), await explain("common", "a"), await explain("no", "a")];
    expect([decided, await explain("x", "lib")]).toEqual([[true, false, true], false]);
  });

  it("are chosen by name or by path, and keep what was said about them", async () => {
    expect(await rootsOf(join(cwd, "other"), { roots: ["a"], config: "../stet.config.json" })).toEqual([
      [undefined, join(cwd, "a")],
    ]);
    for (const wanted of ["lib", "packages/lib", join(cwd, "packages/lib")])
      expect(await explain("x", wanted)).toBe(false);
  });

  it("are for what is named when the file is named and names none", async () => {
    const elsewhere = directoryWith({ "my.json": config({ readOnly: true }) });
    const file = join(elsewhere, "my.json");
    const args = ["policy", "explain", "x", "--action", "edit", "--root", join(cwd, "a"), "--config", file, "--json"];
    expect((await stet(args, { cwd: "/" })).json().decisions).toMatchObject([{ source: "read-only" }]);
    expect(await rootsOf(join(cwd, "other"), { config: file })).toEqual([[undefined, join(cwd, "other")]]);
    await expect(rootsOf("/", { config: file })).rejects.toThrow("hardly meant");
  });

  it("do not matter, right or wrong, for a directory elsewhere", async () => {
    const broken = directoryWith({ "stet.config.json": "{ nonsense" });
    expect(await rootsOf(broken, { roots: [join(cwd, "other")] })).toEqual([[undefined, join(cwd, "other")]]);
    await expect(rootsOf(broken, { roots: ["."] })).rejects.toThrow("not valid JSON");
  });

  it("do not speak for a directory they do not name", async () => {
    expect(await rootsOf(cwd, { roots: ["other"] })).toEqual([[undefined, join(cwd, "other")]]);
  });

  it("make a command on one workspace ask which", async () => {
    const { code, err } = await stet(["policy", "explain", "x", "--config", FILE], { cwd });
    expect(code).toBe(1);
    expect(err).toContain(
      "There are several workspaces here: a, lib.\nSay which one with --root NAME, as in --root a.",
    );
    const chosen = await stet(
      ["policy", "explain", "no", "--root", "lib", "--action", "read", "--json", "--config", FILE],
      { cwd },
    );
    expect(chosen).toMatchObject({ code: 1 });
    expect(chosen.json()).toMatchObject({ decisions: [{ rule: "no", source: "owner" }] });
  });

  it("must not share a name", async () => {
    const twice = directoryWith({
      "stet.config.json": config({
        roots: [
          { path: "a", name: "n" },
          { path: "b", name: "n" },
        ],
      }),
      "a/x": "",
      "b/x": "",
    });
    await expect(rootsOf(twice, { config: "stet.config.json" })).rejects.toThrow(
      /stet\.config\.json:\d+:\d+: roots\[1\]\.name: two roots are named n/,
    );
  });

  it("may stand only in a file that was named; they may then lie outside", async () => {
    const outside = realpathSync(directoryWith({ "secret/x": "" }));
    const root = realpathSync(directoryWith({ "stet.config.json": `{\n  "roots": ["${outside}"]\n}` }));
    await expect(rootsOf(root)).rejects.toThrow(
      `${join(root, "stet.config.json")}:2:3: roots may stand only in a file that you name`,
    );
    expect(await rootsOf(root, { config: "stet.config.json" })).toEqual([[undefined, outside]]);
  });

  it("found in one of several named roots are refused, not ignored", async () => {
    const parent = directoryWith({ "a/stet.config.json": config({ readOnly: true }), "b/x": "" });
    await expect(rootsOf(parent, { roots: ["a", "b"] })).rejects.toThrow("speaks for one root, and 2 are to be served");
    const args = ["policy", "explain", "x", "--action", "edit", "--root", "a", "--json"];
    expect((await stet(args, { cwd: parent })).json().decisions).toMatchObject([{ source: "read-only" }]);
  });
});

describe("no tool reaches the configuration", () => {
  const secret = "needle-in-the-config";
  const cwd = directoryWith({
    "stet.config.json": `{ "readOnly": false } // ${secret}`,
    "sub/Stet.Config.JSON": secret,
    "conf/own[1].json": `{ "roots": [".."], "policy": { "protect": false }, "http": { "tokenFile": "../tokens" } } // ${secret}`,
    tokens: secret,
    "plain.txt": secret,
  });
  const run = (tool: string, input: object, ...more: string[]) =>
    stet(["call", tool, JSON.stringify(input), "--json", ...more], { cwd });

  it("not to read, list, find, change, move or make it, even with protection switched off", async () => {
    const named = ["--config", "conf/own[1].json"];
    for (const path of ["stet.config.json", "sub/Stet.Config.JSON", "conf/own[1].json", "tokens"]) {
      for (const [tool, input] of [
        ["read_file", { path }],
        ["create_file", { path, content: "{}" }],
        ["delete_file", { path, expectedSha256: "0".repeat(64) }],
        ["move_file", { from: path, to: "open.txt", expectedSha256: "0".repeat(64) }],
      ] as const) {
        const result = await run(tool, input, ...named);
        expect(result.json(), `${tool} ${path}`).toMatchObject({ ok: false, error: { kind: "permission_denied" } });
      }
    }
    expect((await run("create_file", { path: "new/stet.config.json", content: "{}" }, ...named)).code).toBe(1);
    const found = JSON.stringify([
      (await run("search_files", { query: secret }, ...named)).out,
      (await run("glob", { pattern: "**/*" }, ...named)).out,
      (await run("list_directory", { path: ".", recursive: true }, ...named)).out,
    ]);
    expect(found).toContain("plain.txt");
    expect(found.toLowerCase()).not.toMatch(/stet\.config|own\[1\]|tokens\\"/);
    expect(readFileSync(join(cwd, "tokens"), "utf8")).toBe(secret);
  });

  it("nor through a link that bears another name; files beside it with other names are open", async () => {
    symlinkSync("stet.config.json", join(cwd, "innocent.json"));
    expect((await run("read_file", { path: "innocent.json" })).json().error.message).toContain(
      "it says what agents may do here",
    );
    mkdirSync(join(cwd, "stet"));
    writeFileSync(join(cwd, "stet/config.json"), "open");
    expect((await run("read_file", { path: "stet/config.json" })).code).toBe(0);
  });
});
