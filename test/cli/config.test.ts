// stet.config.json: what it may say, where it is told to be wrong, and that flags beat the environment beats the file.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { stet } from "../support/cli.ts";
import { tempDir } from "../support/temp.ts";

function directoryWithConfig(text: string | object): string {
  const root = tempDir();
  writeFileSync(join(root, "stet.config.json"), typeof text === "string" ? text : JSON.stringify(text));
  return root;
}

async function problemsOf(config: string | object): Promise<string> {
  const cwd = directoryWithConfig(config);
  const { code, json } = await stet(["tools", "--json", "--config", "stet.config.json"], { cwd });
  expect([code, json().error.kind]).toEqual([1, "invalid_input"]);
  expect(json().error.suggestedAction).toBe("Correct the file; until then stet does not start.");
  return json().error.message.replaceAll(`${join(cwd, "stet.config.json")}:`, "");
}

describe("a malformed configuration is refused, with line and column", () => {
  const CASES: readonly (readonly [text: string, problem: string])[] = [
    ["", "1:1: not valid JSON: value expected"],
    ['{\n  "surface": "workspace"\n  "strict": true\n}', "3:3: not valid JSON: comma expected"],
    ['{ "readonly": true }', "1:3: readonly is no known key; did you mean readOnly?"],
    ['{\n  // comment\n  "frob": 1\n}', "3:3: frob is no known key"],
    ['{ "strict": true, "strict": false }', "1:19: strict is there twice"],
    ['{ "__proto__": { "readOnly": true } }', "1:3: __proto__ is no key here"],
    ['{ "strict": "yes" }', "1:13: strict: expected boolean, received string"],
    ['{ "surface": "wrkspace" }', "1:14: surface: expected workspace, tracked, compact, files, anchors"],
    ['{ "onStale": "ignore" }', '1:14: onStale: expected one of "reject"|"rebase"'],
    ['{ "roots": [] }', "1:12: roots: Too small: expected array to have >=1 items"],
    ['{ "roots": [{ "name": "x" }] }', "1:13: roots[0].path: expected string, received undefined"],
    ['{ "roots": [{ "path": ".", "name": "a b" }] }', "1:36: roots[0].name: expected a name of letters"],
    ['{ "limits": { "callMs": 0 } }', "1:25: limits.callMs: Too small: expected number to be >0"],
    ['{ "stateDir": "s" }', "1:3: stateDir"],
    ['{ "http": { "port": 70000 } }', "1:21: http.port: Too big: expected number to be <=65535"],
    ['{ "http": { "tokens": ["short"] } }', "1:24: http.tokens[0]: Too small: expected string to have >=16 characters"],
    ['{ "http": { "allowedHosts": ["a", "http://b"] } }', "1:35: http.allowedHosts[1]: "],
    [
      '{ "http": { "tokens": ["0123456789abcdef", { "name": "a b", "token": "fedcba9876543210" }] } }',
      "1:44: http.tokens[1]: the name of a token may have",
    ],
    ['{ "policy": { "allowedActions": ["raed"] } }', "1:34: policy.allowedActions[0]: expected "],
    ['{ "policy": { "deniedPaths": ["ok", "../up"] } }', "1:37: policy.deniedPaths[1]: expected a glob"],
    ['{ "policy": { "denied_paths": ["!x"] } }', "1:13: policy.deniedPaths[0]: expected a glob"],
    ['{ "policy": { "readOnly": true, "readonly": false } }', "policy.readonly: expected readOnly only once"],
    ['{ "policy": { "protect": true } }', "1:26: policy.protect: expected false, a list of rules, or { add, remove }"],
    [
      '{ "policy": { "protect": { "remove": ["stet-config"] } } }',
      '1:39: policy.protect.remove[0]: expected the name of a rule other than "stet-config", which always holds',
    ],
    ['{ "policy": { "protect": { "remove": ["gti"] } } }', "1:39: policy.protect.remove[0]: expected one of git"],
    [
      '{ "policy": { "protect": { "add": [{ "name": "x" }] } } }',
      "policy.protect.add[0].paths: expected a list, found undefined",
    ],
    [
      '{ "roots": [{ "path": ".", "policy": { "deniedPaths": ["a/../b"] } }] }',
      "1:56: policy.deniedPaths[0]: expected a glob",
    ],
  ];

  it.each(CASES)("%s", async (text, problem) => {
    expect(await problemsOf(text)).toContain(problem);
  });

  it("all problems at once, in the order of the file", async () => {
    const lines = (await problemsOf('{\n  "frob": 1,\n  "strict": 2,\n  "http": { "port": "x" }\n}')).split("\n");
    expect(lines).toEqual([
      "2:3: frob is no known key",
      "3:13: strict: expected boolean, received number",
      "4:21: http.port: expected number, received string",
    ]);
  });

  it("also bytes that are no text, a missing file, and a directory", async () => {
    const root = directoryWithConfig("");
    writeFileSync(join(root, "stet.config.json"), Buffer.from([0x7b, 0xff, 0x7d]));
    expect((await stet(["tools"], { cwd: root })).err).toContain("cannot be read: it is not UTF-8 text");
    const missing = await stet(["tools", "--config", "nowhere.json"], { cwd: root });
    expect(missing).toMatchObject({ code: 1, out: "" });
    expect(missing.err).toContain(`There is no configuration file ${join(root, "nowhere.json")}`);
    expect((await stet(["tools", "--config", "."], { cwd: root })).err).toContain("cannot be read: it is not a file");
  });
});

/** What a model would be offered, and what may be changed; what is refused, in words. */
async function seen(config: string | object, env: Record<string, string> = {}, ...flags: string[]) {
  const cwd = directoryWithConfig(config);
  const { code, err, json } = await stet(["tools", "--json", "--config", "stet.config.json", ...flags], { cwd, env });
  if (code !== 0) return err;
  const { surface, tools } = json() as { surface: string; tools: { name: string; outputSchema?: object }[] };
  const changes = tools.some(({ name }) => /write|edit|files/i.test(name));
  return { surface, changes, structured: tools[0]!.outputSchema !== undefined };
}

/** Where a server listens, and whether it made a token of its own. */
async function served(config: object, env: Record<string, string> = {}, ...flags: string[]) {
  const cwd = directoryWithConfig(config);
  const ending = new AbortController();
  const args = ["serve", "--json", "--config", "stet.config.json", ...flags];
  const { json, err } = await stet(args, { cwd, env, signal: ending.signal, onOut: () => ending.abort() });
  expect(err).not.toContain("refused");
  const { host, port, token } = json() as { host: string; port: number; token?: string };
  return { host, port, token };
}

describe("a configuration", () => {
  it("may have comments, trailing commas and a byte order mark", async () => {
    const text = '\uFEFF// first\n{\n  "strict": true, // why\n  /* block */ "surface": "anchors",\n}\n';
    expect(await seen(text)).toMatchObject({ surface: "anchors" });
  });

  it("takes the snake-case policy of older configurations", async () => {
    const config = {
      policy: { allowed_actions: ["read", "glob"], denied_paths: ["a"], max_file_size: 7, readonly: true },
    };
    expect(await seen(config)).toMatchObject({ changes: false });
    const cwd = directoryWithConfig(config);
    const { json } = await stet(
      ["policy", "explain", "a", "--action", "read", "--json", "--config", "stet.config.json"],
      { cwd },
    );
    expect(json().decisions).toMatchObject([{ allowed: false, rule: "a", source: "owner" }]);
  });
});

describe("flags beat the environment, which beats the file", () => {
  const file = { surface: "anchors", readOnly: true, results: "structured" };

  it("in what is offered", async () => {
    const env = { STET_SURFACE: "tracked", STET_READ_ONLY: "off", STET_RESULTS: "text" };
    expect(await seen(file)).toEqual({ surface: "anchors", changes: false, structured: true });
    expect(await seen(file, env)).toEqual({ surface: "tracked", changes: true, structured: false });
    expect(await seen(file, env, "--surface", "compact", "--read-only", "--structured")).toEqual({
      surface: "compact",
      changes: false,
      structured: true,
    });
    expect(await seen(file, { STET_SURFACE: "", STET_READ_ONLY: " " })).toMatchObject({ surface: "anchors" });
  });

  it("in where a server listens, and whose tokens it takes", async () => {
    const http = { host: "127.0.0.2", port: 0, tokens: [{ name: "n", token: "f".repeat(16) }] };
    expect(await served({ http })).toMatchObject({ host: "127.0.0.2", token: undefined });
    expect(await served({ http }, { STET_HOST: "127.0.0.3" })).toMatchObject({ host: "127.0.0.3" });
    const flags = ["--host", "127.0.0.4"];
    expect(await served({ http }, { STET_HOST: "127.0.0.3" }, ...flags)).toMatchObject({ host: "127.0.0.4" });
    expect((await served({ http: { port: 0 } })).token).toMatch(/^[\w-]{43}$/);
  });

  it("and a malformed variable or flag stops stet", async () => {
    const wrong: readonly (readonly [Record<string, string>, string])[] = [
      [{ STET_READ_ONLY: "maybe" }, 'STET_READ_ONLY: expected true or false, found "maybe"'],
      [{ STET_PORT: "65536" }, "STET_PORT: expected a port"],
      [{ STET_ON_STALE: "merge" }, "STET_ON_STALE: expected reject or rebase"],
      [{ STET_DURABILITY: "none" }, "STET_DURABILITY: expected full or fast"],
      [{ STET_RESULTS: "json" }, "STET_RESULTS: expected text or structured"],
      [{ STET_SURFACE: "x" }, 'no surface named "x"'],
    ];
    for (const [env, words] of wrong) expect(await seen({}, env)).toContain(words);
    expect((await stet(["serve", "--port", "http"], { cwd: tempDir() })).err).toContain("--port: expected a port");
  });
});

describe("stet.schema.json", () => {
  const shipped = JSON.parse(readFileSync(new URL("../../stet.schema.json", import.meta.url), "utf8"));

  it("describes every key, and takes no others", () => {
    const walk = (schema: Record<string, unknown>): string[] =>
      Object.entries((schema.properties ?? {}) as Record<string, Record<string, unknown>>).flatMap(([key, field]) => [
        ...(typeof field.description === "string" ? [] : [key]),
        ...walk(field),
      ]);
    expect(walk(shipped)).toEqual([]);
    expect(shipped.additionalProperties).toBe(false);
  });

  it("knows each key that stet knows, and no other", async () => {
    for (const key of Object.keys(shipped.properties))
      expect(await problemsOf(`{ "${key}": { "0": [] } }`), key).not.toContain(`${key} is no known key`);
  });
});
