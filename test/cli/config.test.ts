// stet.config.json: what it may say, where it is told to be wrong, and that flags beat the environment beats the file.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { configJsonSchema, SURFACE_NAMES } from "../../src/cli/config/file/schema.ts";
import { type Flags, settingsOf } from "../../src/cli/config/settings.ts";
import { Refusal } from "../../src/core/failure.ts";
import { surfaceNames } from "../../src/surfaces/index.ts";
import { stet } from "../support/cli.ts";
import { tempDir } from "../support/temp.ts";

function directoryWithConfig(text: string | object): string {
  const root = tempDir();
  writeFileSync(join(root, "stet.config.json"), typeof text === "string" ? text : JSON.stringify(text));
  return root;
}

function settings(config: string | object | undefined, env: Record<string, string> = {}, flags: Flags = {}) {
  const cwd = config === undefined ? tempDir() : directoryWithConfig(config);
  return settingsOf({ cwd, env: { HOME: "/nonexistent", ...env } }, flags);
}

async function problemsOf(config: string | object): Promise<string> {
  const cwd = directoryWithConfig(config);
  const error: unknown = await settingsOf({ cwd, env: { HOME: "/nonexistent" } }, {}).catch(
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(Refusal);
  const { kind, message, suggestedAction } = (error as Refusal).failure;
  expect(kind).toBe("invalid_input");
  expect(suggestedAction).toBe("Correct the file; until then stet does not start.");
  return message.replaceAll(`${join(cwd, "stet.config.json")}:`, "");
}

describe("a malformed configuration is refused, with line and column", () => {
  const CASES: readonly (readonly [text: string, problem: string])[] = [
    ["", "1:1: not valid JSON: value expected"],
    ["[]", "1:1: the file: expected an object, found an empty list"],
    ['{\n  "surface": "workspace"\n  "strict": true\n}', "3:3: not valid JSON: comma expected"],
    ['{ "surface": workspace }', "1:14: not valid JSON: invalid symbol"],
    ['{ "strict": true', "1:17: not valid JSON: close brace expected"],
    ["{} {}", "1:4: not valid JSON: end of file expected"],
    ['{ "readonly": true }', "1:3: readonly is no known key; did you mean readOnly?"],
    ['{\n  // comment\n  "frob": 1\n}', "3:3: frob is no known key"],
    ['{ "strict": true, "strict": false }', "1:19: strict is there twice"],
    ['{ "policy": { "readOnly": true, "readOnly": false } }', "1:33: readOnly is there twice"],
    ['{ "__proto__": { "readOnly": true } }', "1:3: __proto__ is no key here"],
    ['{ "strict": "yes" }', '1:13: strict: expected true or false, found "yes"'],
    ['{ "strict": null }', "1:13: strict: expected true or false, found null"],
    ['{ "surface": "wrkspace" }', "1:14: surface: expected workspace, tracked, compact, files or anchors"],
    ['{ "onStale": "ignore" }', '1:14: onStale: expected "reject" or "rebase", found "ignore"'],
    ['{ "durability": 1 }', '1:17: durability: expected "full" or "fast", found 1'],
    ['{ "roots": [] }', "1:12: roots: expected a list that is not empty, found an empty list"],
    ['{ "roots": [7] }', "1:13: roots[0]: expected a path or { path, … }, found 7"],
    ['{ "roots": [{ "name": "x" }] }', "1:13: roots[0].path: expected a text, found nothing"],
    ['{ "roots": [{ "path": ".", "nmae": "x" }] }', "1:28: roots[0].nmae is no known key; did you mean name?"],
    ['{ "roots": [{ "path": ".", "name": "a b" }] }', "1:36: roots[0].name: expected a name of letters"],
    ['{ "roots": [""] }', '1:13: roots[0]: expected a text that is not empty, found ""'],
    ['{ "limits": { "callMs": 0 } }', "1:25: limits.callMs: expected a number greater than 0, found 0"],
    ['{ "limits": { "calls": 5 } }', "1:15: limits.calls is no known key; did you mean callMs?"],
    ['{ "stateDir": "" }', '1:15: stateDir: expected a text that is not empty, found ""'],
    ['{ "http": { "port": 70000 } }', "1:21: http.port: expected a number of at most 65535, found 70000"],
    ['{ "http": { "port": 1.5 } }', "1:21: http.port: expected a whole number, found 1.5"],
    [
      '{ "http": { "tokens": ["short"] } }',
      "1:24: http.tokens[0]: expected at least 16 characters, found something else",
    ],
    ['{ "http": { "rateLimit": { "burst": 0.5 } } }', "1:37: http.rateLimit.burst: expected a number of at least 1"],
    ['{ "http": { "allowedHosts": ["a", "http://b"] } }', "1:35: http.allowedHosts[1]: "],
    ['{ "http": { "allowedOrigins": ["files.example"] } }', "1:32: http.allowedOrigins[0]: "],
    [
      '{ "http": { "tokens": ["0123456789abcdef", { "name": "a b", "token": "fedcba9876543210" }] } }',
      "1:44: http.tokens[1]: the name of a token may have",
    ],
    ['{ "http": { "rateLimit": { "burts": 3 } } }', "1:28: http.rateLimit.burts is no known key; did you mean burst?"],
    ['{ "policy": { "allowedActions": ["raed"] } }', "1:34: policy.allowedActions[0]: expected "],
    ['{ "policy": { "deniedPaths": "x" } }', '1:30: policy.deniedPaths: expected a list, found "x"'],
    ['{ "policy": { "deniedPaths": ["ok", "../up"] } }', "1:37: policy.deniedPaths[1]: expected a glob"],
    ['{ "policy": { "denied_paths": ["!x"] } }', "1:32: policy.deniedPaths[0]: expected a glob"],
    ['{ "policy": { "max_file_size": -1 } }', "1:32: policy.max_file_size: expected a number greater than 0, found -1"],
    ['{ "policy": { "readOnly": true, "readonly": false } }', "policy.readonly: expected readOnly only once"],
    [
      '{ "policy": { "protect": true } }',
      "1:26: policy.protect: expected false, a list of rules, or { add, remove }, found true",
    ],
    [
      '{ "policy": { "protect": { "remove": ["stet-config"] } } }',
      '1:39: policy.protect.remove[0]: expected the name of a rule other than "stet-config"',
    ],
    ['{ "policy": { "protect": { "remove": ["gti"] } } }', "1:39: policy.protect.remove[0]: expected one of git"],
    [
      '{ "policy": { "protect": { "add": [{ "name": "x" }] } } }',
      "policy.protect.add[0].paths: expected a list, found nothing",
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
      "3:13: strict: expected true or false, found 2",
      '4:21: http.port: expected a number, found "x"',
    ]);
  });

  it("all globs and rules at once, of every root", async () => {
    const bad = '{ "deniedPaths": ["../a", "ok", "!b"], "protect": { "remove": ["gti", "git"] } }';
    expect((await problemsOf(`{ "policy": ${bad} }`)).split("\n")).toEqual([
      expect.stringMatching(/^1:31: policy\.deniedPaths\[0\]: expected a glob .*leads upwards/),
      expect.stringMatching(/^1:45: policy\.deniedPaths\[2\]: expected a glob .*starts with "!"/),
      expect.stringMatching(/^1:76: policy\.protect\.remove\[0\]: expected one of git/),
    ]);
    const twice = '{ "readOnly": true, "readonly": true, "denied_paths": ["../c"], "allowedPaths": ["../d"] }';
    expect((await problemsOf(`{\n"policy": ${twice}\n}`)).split("\n")).toEqual([
      expect.stringMatching(/^2:\d+: policy\.readonly: expected readOnly only once/),
      expect.stringMatching(/^2:66: policy\.deniedPaths\[0\]: /),
      expect.stringMatching(/^2:92: policy\.allowedPaths\[0\]: /),
    ]);
    const cwd = directoryWithConfig({ roots: ["a", "b"].map((path) => ({ path, policy: { deniedPaths: ["!x"] } })) });
    for (const name of ["a", "b"]) mkdirSync(join(cwd, name));
    const { err } = await stet(["tools"], { cwd });
    expect(err.match(/deniedPaths\[0\]: expected a glob/g)).toHaveLength(2);
  });

  it("also bytes that are no text, a missing file, and a directory", async () => {
    const root = directoryWithConfig("");
    writeFileSync(join(root, "stet.config.json"), Buffer.from([0x7b, 0xff, 0x7d]));
    expect((await stet(["tools"], { cwd: root })).err).toContain(":1:2: not UTF-8 text");
    const missing = await stet(["tools", "--config", "nowhere.json"], { cwd: root });
    expect(missing).toMatchObject({ code: 1, out: "" });
    expect(missing.err).toContain(`There is no configuration file ${join(root, "nowhere.json")}`);
    expect((await stet(["tools", "--config", "."], { cwd: root })).err).toContain("cannot be read: it is not a file");
  });
});

describe("a configuration", () => {
  it("may have comments, trailing commas and a byte order mark", async () => {
    const text = '\uFEFF// first\n{\n  "strict": true, // why\n  /* block */ "surface": "anchors",\n}\n';
    expect(await settings(text)).toMatchObject({ surface: "anchors", workspace: { strict: true } });
  });

  it("says everything there is to say when it is named", async () => {
    const config = {
      $schema: "./stet.schema.json",
      surface: "workspace, anchors",
      readOnly: true,
      policy: { deniedPaths: ["x"], maxFileBytes: 5, protect: { remove: ["editors"] } },
      limits: { callMs: 3 },
      results: "structured",
      onStale: "rebase",
      strict: true,
      durability: "fast",
      stateDir: "state",
      journalDiff: false,
      http: {
        host: "::1",
        port: 0,
        tokenFile: "tokens",
        allowedHosts: ["a:1"],
        allowedOrigins: ["https://a"],
        rateLimit: { callsPerSecond: 2, burst: 3 },
        maxBodyBytes: 9,
      },
    };
    const given = await settings(config, {}, { config: "stet.config.json" });
    const [root] = given.roots;
    expect(given).toMatchObject({
      surface: "workspace, anchors",
      results: "structured",
      workspace: { limits: { callMs: 3 }, onStale: "rebase", strict: true, durability: "fast", journalDiff: false },
      http: {
        host: "::1",
        port: 0,
        portIsDefault: false,
        tokenFile: join(root.path, "tokens"),
        allowedHosts: ["a:1"],
        allowedOrigins: ["https://a"],
        rateLimit: { callsPerSecond: 2, burst: 3 },
        maxBodyBytes: 9,
      },
    });
    expect(root).toMatchObject({
      policy: { readOnly: true, deniedPaths: ["x", "stet.config.json", "tokens", "state-elsewhere"], maxFileBytes: 5 },
      stateDir: join(root.path, "state"),
    });
  });

  it("takes the snake-case policy of older configurations", async () => {
    const { roots } = await settings({
      policy: { allowed_actions: ["read", "glob"], denied_paths: ["a"], max_file_size: 7, readonly: true },
    });
    expect(roots[0].policy).toEqual({
      allowed_actions: ["read", "glob"],
      deniedPaths: ["a", "stet.config.json"],
      max_file_size: 7,
      readonly: true,
    });
  });

  it("has defaults for everything", async () => {
    expect(await settings(undefined)).toMatchObject({
      configFile: undefined,
      surface: "workspace",
      results: "text",
      roots: [{ policy: {} }],
      workspace: {},
      http: { host: "127.0.0.1", port: 4100, portIsDefault: true, tokens: undefined, tokenFile: undefined },
      notes: [],
    });
  });
});

describe("flags beat the environment, which beats the file", () => {
  const file = {
    surface: "anchors",
    readOnly: true,
    strict: true,
    onStale: "rebase",
    http: { port: 1, host: "h", tokens: [{ name: "n", token: "f".repeat(16) }] },
  };

  it("in every setting that has all three", async () => {
    const env = {
      STET_SURFACE: "tracked",
      STET_READ_ONLY: "off",
      STET_PORT: "2",
      STET_HOST: "e",
      STET_TOKEN: "e".repeat(16),
    };
    expect(await settings(file)).toMatchObject({
      surface: "anchors",
      roots: [{ policy: { readOnly: true } }],
      http: { port: 1, host: "h", tokens: [{ name: "n", token: "f".repeat(16) }] },
    });
    expect(await settings(file, env)).toMatchObject({
      surface: "tracked",
      roots: [{ policy: { readOnly: false } }],
      http: { port: 2, host: "e", tokens: [{ token: "e".repeat(16) }], tokenFile: undefined },
    });
    const flags: Flags = { surface: "files", readOnly: true, port: "3", host: "f", tokenFile: "/t" };
    expect(await settings(file, env, flags)).toMatchObject({
      surface: "files",
      roots: [{ policy: { readOnly: true } }],
      http: { port: 3, host: "f", tokens: undefined, tokenFile: "/t" },
    });
  });

  it("in what results are, although the flag knows one word only", async () => {
    const results = async (...given: Parameters<typeof settings>) => (await settings(...given)).results;
    const structured = { results: "structured" };
    expect(await results(structured, { STET_RESULTS: "text" })).toBe("text");
    expect(await results({}, { STET_RESULTS: "structured" })).toBe("structured");
    expect(await results({ results: "text" }, { STET_RESULTS: "text" }, { structured: true })).toBe("structured");
    await expect(results({}, { STET_RESULTS: "json" })).rejects.toThrow("STET_RESULTS: expected text or structured");
  });

  it("in those that only the environment and the file have", async () => {
    const env = {
      STET_STRICT: "0",
      STET_ON_STALE: "reject",
      STET_DURABILITY: "fast",
      STET_JOURNAL_DIFF: "no",
      STET_STATE_DIR: "/s",
      STET_TOKEN_FILE: "/t",
    };
    expect(await settings(file, env)).toMatchObject({
      workspace: { strict: false, onStale: "reject", durability: "fast", journalDiff: false },
      roots: [{ stateDir: "/s" }],
      http: { tokens: undefined, tokenFile: "/t" },
    });
    expect(await settings(file, { STET_STRICT: "", STET_PORT: " " })).toMatchObject({
      workspace: { strict: true },
      http: { port: 1 },
    });
  });

  it("and a malformed variable or flag stops stet", async () => {
    const wrong: readonly (readonly [Record<string, string>, string])[] = [
      [{ STET_READ_ONLY: "maybe" }, 'STET_READ_ONLY: expected true or false, found "maybe"'],
      [{ STET_PORT: "65536" }, "STET_PORT: expected a port"],
      [{ STET_PORT: "0x10" }, "STET_PORT: expected a port"],
      [{ STET_ON_STALE: "merge" }, "STET_ON_STALE: expected reject or rebase"],
      [{ STET_DURABILITY: "none" }, "STET_DURABILITY: expected full or fast"],
    ];
    for (const [env, words] of wrong) await expect(settings({}, env)).rejects.toThrow(words);
    await expect(settings({}, {}, { port: "http" })).rejects.toThrow("--port: expected a port");
    await expect(settings({}, { STET_SURFACE: "x" }).then(({ surface }) => surface)).resolves.toBe("x");
    expect((await stet(["tools"], { cwd: tempDir(), env: { STET_SURFACE: "x" } })).err).toContain(
      'no surface named "x"',
    );
  });

  it("a variable that stet does not know is noted: it may be a typing error", async () => {
    const { notes } = await settings({}, { STET_READONLY: "1", STET_FS_MODE: "store", OTHER: "1" });
    expect(notes).toEqual(["The environment variable STET_READONLY means nothing to stet."]);
  });
});

describe("a file that was only found", () => {
  const refusal = async (http: object, config?: string): Promise<string | undefined> => {
    const cwd = directoryWithConfig({ http });
    const settings = await settingsOf({ cwd, env: { HOME: "/nonexistent" } }, { config });
    return settings.http.objection?.message;
  };

  it("does not say who may connect; one that was named does", async () => {
    const opening: readonly (readonly [key: string, value: unknown])[] = [
      ["host", "0.0.0.0"],
      ["tokens", ["0123456789abcdef"]],
      ["tokenFile", "tokens"],
      ["allowedHosts", ["evil:80"]],
      ["allowedOrigins", ["https://evil"]],
    ];
    for (const [key, value] of opening) {
      expect(await refusal({ [key]: value })).toContain(
        `http.${key}: who may connect is not for a file that was only found`,
      );
      expect(await refusal({ [key]: value }, "stet.config.json")).toBeUndefined();
    }
    expect(await refusal({ tokenFile: "/usr/share/common-licenses/GPL-3" })).toMatch(
      /^.*:1:22: http.tokenFile: who may/,
    );
    expect(await refusal({ tokenFile: "~/.config/stet/tokens" })).toContain("name the token file with --token-file");
    expect(await refusal({ host: "localhost", port: 0, rateLimit: { burst: 1 }, maxBodyBytes: 5 })).toBeUndefined();
    const served = await stet(["serve"], { cwd: directoryWithConfig({ http: { host: "0.0.0.0" } }) });
    expect(served).toMatchObject({ code: 1, out: "" });
  });
});

describe("stet.schema.json", () => {
  const shipped = readFileSync(new URL("../../stet.schema.json", import.meta.url), "utf8");

  it("is current: write it with node scripts/schema.mjs", () => {
    expect(shipped).toBe(configJsonSchema());
  });

  it("describes every key", () => {
    const walk = (schema: Record<string, unknown>): string[] =>
      Object.entries((schema.properties ?? {}) as Record<string, Record<string, unknown>>).flatMap(([key, field]) => [
        ...(typeof field.description === "string" ? [] : [key]),
        ...walk(field),
      ]);
    expect(walk(JSON.parse(shipped))).toEqual([]);
    expect(JSON.parse(shipped).additionalProperties).toBe(false);
  });

  it("knows the surfaces there are", () => {
    expect(SURFACE_NAMES).toEqual(surfaceNames);
  });
});
