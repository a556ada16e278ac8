// init, tools, policy explain and doctor, each on real directories.
import { existsSync, mkdirSync, readdirSync, readFileSync, realpathSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { stet } from "../support/cli.ts";
import { tempDir } from "../support/temp.ts";
import { directoryWith, workspaceIn } from "../support/workspace.ts";

describe("stet init", () => {
  it("writes a configuration that says what holds anyway, and never over another", async () => {
    const cwd = realpathSync(tempDir());
    const { code, out } = await stet(["init"], { cwd });
    expect([code, out]).toEqual([0, `Wrote ${join(cwd, "stet.config.json")}\n`]);
    const text = readFileSync(join(cwd, "stet.config.json"), "utf8");
    expect(text.match(/\/\//g)!.length).toBeGreaterThan(5);
    expect(text).not.toContain("$schema");

    const [bare, configured] = [
      await stet(["tools", "--json"], { cwd: tempDir() }),
      await stet(["tools", "--json"], { cwd }),
    ];
    expect(configured.json()).toEqual(bare.json());
    const everything = directoryWith({
      "stet.config.json": text.replaceAll(/^( *)\/\/ (?=")/gm, "$1"),
      "src/x": "",
    });
    const { json } = await stet(["policy", "explain", "src/x", "--json"], { cwd: everything });
    const decisions = json().decisions as { action: string; allowed: boolean }[];
    expect(decisions.filter(({ allowed }) => allowed).map(({ action }) => action)).toContain("edit");
    expect(decisions.find(({ action }) => action === "delete")).toMatchObject({ allowed: false });

    const again = await stet(["init", "--json"], { cwd });
    expect(again).toMatchObject({ code: 1 });
    expect(again.json()).toMatchObject({ ok: false, error: { kind: "already_exists" } });
    expect(readFileSync(join(cwd, "stet.config.json"), "utf8")).toBe(text);
  });

  it("in another directory, and with the schema where it is installed", async () => {
    const cwd = realpathSync(directoryWith({ "sub/node_modules/stet/stet.schema.json": "{}" }));
    const { json } = await stet(["init", "sub", "--json"], { cwd });
    expect(json()).toEqual({ path: join(cwd, "sub/stet.config.json") });
    expect(readFileSync(json().path, "utf8")).toContain('"$schema": "./node_modules/stet/stet.schema.json"');
    expect((await stet(["tools", "sub"], { cwd })).code).toBe(0);
    expect((await stet(["init", "nowhere"], { cwd })).err).toContain("does not exist");
  });
});

describe("stet tools", () => {
  it("shows what a model would see, with bytes and tokens that add up", async () => {
    const cwd = tempDir();
    const { json } = await stet(["tools", "--surface", "anchors", "--json"], { cwd });
    const { surface, tools, guidance, total } = json();
    expect(surface).toBe("anchors");
    expect(tools.map((tool: { name: string }) => tool.name)).toContain("edit");
    for (const tool of tools) {
      const { name, description, inputSchema } = tool;
      expect(tool.bytes).toBe(Buffer.byteLength(JSON.stringify({ name, description, inputSchema })));
      expect(tool.tokens).toBe(Math.round(tool.bytes / 4));
      expect(tool).toMatchObject({ annotations: {} });
      expect(tool).not.toHaveProperty("outputSchema");
    }
    const forPrograms = (await stet(["tools", "-s", "anchors", "--structured", "--json"], { cwd })).json();
    expect(forPrograms.tools[0].outputSchema.required).toEqual(expect.arrayContaining(["warnings", "text"]));
    expect(forPrograms.total).toEqual(total);
    const bytes = tools.reduce((sum: number, tool: { bytes: number }) => sum + tool.bytes, guidance.bytes);
    expect(total).toEqual({ bytes, tokens: Math.round(bytes / 4) });

    const { out, code } = await stet(["tools", "-s", "anchors"], { cwd });
    expect(code).toBe(0);
    expect(out).toMatch(/^tool +effect +bytes +tokens$/m);
    expect(out).toMatch(/^write_file +write +\d/m);
    expect(out).toMatch(new RegExp(`^total +${total.bytes} +~${total.tokens}$`, "m"));
    expect(existsSync(join(cwd, ".stet"))).toBe(false);
  });

  it("leaves out what the policy forbids, and names workspaces when there are several", async () => {
    const cwd = directoryWith({ "a/x": "", "b/x": "" });
    const names = async (...args: string[]): Promise<string[]> =>
      (await stet(["tools", "--json", ...args], { cwd })).json().tools.map((tool: { name: string }) => tool.name);
    expect(await names()).toContain("write_file");
    expect(await names("--read-only")).toEqual(expect.not.arrayContaining(["write_file", "delete_file"]));
    const { tools } = (await stet(["tools", "a", "b", "--json"], { cwd })).json();
    expect(tools[0].inputSchema.properties.workspace).toMatchObject({ enum: ["a", "b"] });
    const refused = await stet(["tools", "--surface", "tracked,compact"], { cwd });
    expect(refused).toMatchObject({ code: 2, out: "" });
    expect(refused.err).toContain("both have a tool named");
  });
});

describe("stet policy explain", () => {
  const cwd = directoryWith({
    "stet.config.json": '{ "policy": { "deniedPaths": ["private/**"], "allowedPaths": ["**"] } }',
    "src/main.ts": "",
    ".env": "",
  });

  it("says which rule decides, and whose it is", async () => {
    const { code, out, err } = await stet(["policy", "explain", ".env"], { cwd });
    expect(code).toBe(0);
    expect(out.split("\n")[0]).toBe(".env (file)");
    expect(out).toMatch(/^ {2}read +denied +environment files hold secrets +\*\*\/\.env\* \(default\)$/m);
    expect(err).toBe("");
    const coloured = await stet(["policy", "explain", "src/main.ts"], { cwd, colour: true });
    expect(coloured.out).toContain("\u001b[32mallowed\u001b[39m");
  });

  const CASES: readonly (readonly [path: string, action: string, code: number, rule: string, source: string])[] = [
    ["src/main.ts", "edit", 0, "**", "owner"],
    ["private/new/file", "read", 1, "private/**", "owner"],
    [".git/hooks/x", "read", 0, "**", "owner"],
    [".git/hooks/x", "write", 1, "**/.git", "default"],
    [".stet/journal", "read", 1, "**/.stet", "built-in"],
    ["sub/stet.config.json", "list", 1, "**/stet.config.json", "built-in"],
    [".", "delete", 1, "root", "built-in"],
  ];
  it.each(CASES)("%s %s", async (path, action, code, rule, source) => {
    const ran = await stet(["policy", "explain", path, "--action", action, "--json"], { cwd });
    expect(ran.code).toBe(code);
    expect(ran.json().decisions).toMatchObject([{ action, allowed: code === 0, rule, source }]);
  });

  it("judges a link by its name too, obeys --read-only, and refuses what lies outside", async () => {
    symlinkSync("src/main.ts", join(cwd, ".env.link"));
    const link = await stet(["policy", "explain", ".env.link", "--action", "read", "--json"], { cwd });
    expect(link.json()).toMatchObject({ path: "src/main.ts", decisions: [{ allowed: false, rule: "**/.env*" }] });
    const readOnly = await stet(["policy", "explain", "src", "--action", "edit", "--read-only", "--json"], { cwd });
    expect(readOnly.json().decisions).toMatchObject([{ rule: "readOnly", source: "read-only" }]);
    const outside = await stet(["policy", "explain", "../x"], { cwd });
    expect(outside).toMatchObject({ code: 1, out: "" });
  });
});

describe("stet doctor", () => {
  type Findings = { ok: boolean; findings: { about: string; state: string; what: string; means?: string }[] };
  const examine = async (cwd: string, ...args: string[]) => {
    const { code, json } = await stet(["doctor", "--json", ...args], { cwd });
    const { ok, findings } = json() as Findings;
    return { code, ok, findings, of: (about: string) => findings.find((finding) => finding.about === about) };
  };

  it("finds all well on an ordinary directory, and leaves nothing behind", async () => {
    const cwd = directoryWith({ "a.txt": "a" });
    const { code, ok, findings, of } = await examine(cwd);
    expect([code, ok]).toEqual([0, true]);
    expect(findings.map(({ about }) => about)).toEqual([
      ...["stet", "ripgrep", "native", "links", "configuration", "root", "file system", "permissions"],
      ...["locks", ".stet", "state", "journal"],
    ]);
    expect(of("ripgrep")!.what).toMatch(/^ripgrep \d/);
    expect(of("journal")).toMatchObject({ state: "ok", what: "empty" });
    expect(readdirSync(cwd)).toEqual(["a.txt"]);
    const { out } = await stet(["doctor"], { cwd });
    expect(out).toMatch(/^ok {4}stet {12}\d.*, Node \d+/m);
    expect(out).toMatch(/All is well\.|It works, with \d+ warning/);
  });

  it("looks at the state and the tail of the journal", async () => {
    const cwd = directoryWith({ "a.txt": "a" });
    const workspace = workspaceIn(cwd);
    for (const name of ["b", "c", "d"]) await workspace.session().create(name, name);
    await workspace.close();
    const well = await examine(cwd);
    expect(well.of("journal")!.what).toMatch(/^the newest \d+ entries chain$/);
    expect(well.of("history")).toMatchObject({
      state: "ok",
      what: expect.stringMatching(/^3 entries and 3 versions, [\d.]+ KiB on disk$/),
    });
    expect(well.of(".stet")).toMatchObject({ state: "ok", what: expect.stringContaining("the lock") });
    expect(well.of("state")).toMatchObject({ state: "ok", what: expect.stringContaining(process.env.STET_STATE!) });
  });

  it("fails on a malformed configuration, saying where, and warns of variables it does not know", async () => {
    const cwd = directoryWith({ "stet.config.json": '{ "frob": 1 }' });
    const { code, of } = await examine(cwd);
    expect(code).toBe(1);
    expect(of("configuration")).toMatchObject({
      state: "fail",
      what: expect.stringContaining("stet.config.json:1:3: frob"),
    });
    const { json } = await stet(["doctor", "--json"], { cwd: tempDir(), env: { STET_READONLY: "1" } });
    expect((json() as Findings).findings).toContainEqual(expect.objectContaining({ about: "setup", state: "warn" }));
  });

  it("examines every root, and writes nothing in a read-only one", async () => {
    const cwd = directoryWith({
      "stet.config.json": '{ "roots": ["a", { "path": "b", "readOnly": true }] }',
      "a/x": "",
      "b/x": "",
    });
    const { findings, of } = await examine(cwd, "--config", "stet.config.json");
    expect(of("a: permissions")).toMatchObject({ what: expect.stringContaining("writ") });
    expect(of("b: permissions")).toMatchObject({ what: expect.stringContaining("nothing is written") });
    expect(of("b: .stet")).toMatchObject({ what: "none, and none is needed" });
    expect(findings.filter(({ about }) => about.endsWith(": root"))).toHaveLength(2);
  });

  it("says when a state cannot be one", async () => {
    const cwd = directoryWith({ ".stet": "a file" });
    const { code, of } = await examine(cwd);
    expect(code).toBe(1);
    expect(of(".stet")).toMatchObject({ state: "fail", what: expect.stringContaining("is no directory") });
    mkdirSync(join(cwd, "file-root"));
    expect((await examine(cwd, "--root", ".stet")).of("configuration")).toMatchObject({ state: "fail" });
  });
});
