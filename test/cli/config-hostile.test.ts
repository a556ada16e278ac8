// A configuration that came with a project: what it may not say, and what it may be, to do no harm to whoever starts stet there.
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { stet } from "../support/cli.ts";
import { tempDir } from "../support/temp.ts";

const NAME = "stet.config.json";
const linux = process.platform === "linux";

/** What is refused, in words; undefined when nothing is. */
async function refusalIn(cwd: string, config?: string): Promise<string | undefined> {
  const named = config === undefined ? [] : ["--config", config];
  const { code, err } = await stet(["tools", ...named], { cwd });
  return code === 0 ? undefined : err;
}

function projectWith(config: object): string {
  const cwd = tempDir();
  mkdirSync(join(cwd, "sub"));
  writeFileSync(join(cwd, NAME), JSON.stringify(config));
  return cwd;
}

describe("a configuration that lies in a project and was not named", () => {
  const NARROWING = { surface: "tracked", readOnly: true, onStale: "rebase" };
  const POLICY = { deniedPaths: ["a"], allowedPaths: ["b/**"], allowedActions: ["read"] };

  it("may say which tools there are, that nothing is changed, and narrow the policy", async () => {
    expect(await refusalIn(projectWith({ $schema: "x", ...NARROWING, policy: POLICY }))).toBeUndefined();
  });

  it.each<readonly [key: string, config: object]>([
    ["roots", { roots: ["sub"] }],
    ["limits", { limits: { callMs: 1 } }],
    ["strict", { strict: false }],
    ["durability", { durability: "fast" }],
    ["results", { results: "structured" }],
    ["maxMessageBytes", { maxMessageBytes: 5 }],
    ["http", { http: { host: "0.0.0.0", tokens: ["0123456789abcdef"] } }],
    ["files", { files: { legacy: true } }],
    ["policy.protect", { policy: { protect: false } }],
    ["policy.maxFileBytes", { policy: { maxFileBytes: 2 ** 40 } }],
    ["policy.readonly", { policy: { readonly: false } }],
    ["policy.denied_paths", { policy: { denied_paths: [] } }],
  ])("may not say %s; one that was named may", async (key, config) => {
    const cwd = projectWith(config);
    const file = join(cwd, NAME);
    expect(await refusalIn(cwd)).toMatch(new RegExp(`:1:\\d+: ${key} may stand only in a file that you name, as with`));
    expect(await refusalIn(cwd)).toContain(`as with --config ${file}, in a flag or in the environment`);
    expect(await refusalIn(cwd, NAME)).toBeUndefined();
  });

  it("opens no database and nothing outside, and has a thousand globs at most", async () => {
    expect(await refusalIn(projectWith({ database: "postgres://h/d" }))).toContain("database may stand only in");
    for (const glob of ["/etc/**", "C:/x", "~/x"]) {
      const refused = await refusalIn(projectWith({ policy: { allowedPaths: ["ok", glob] } }));
      expect(refused).toContain("policy.allowedPaths[1] (a path outside the project) may stand only in");
    }
    const deniedPaths = Array.from({ length: 1001 }, (_, n) => `d${n}`);
    expect(await refusalIn(projectWith({ policy: { deniedPaths } }))).toContain(
      "(more than 1000 globs) may stand only",
    );
    expect(await refusalIn(projectWith({ policy: { deniedPaths } }), NAME)).toBeUndefined();
  });

  it("is not read through a link that leads out of the project, and nothing in there is told", async () => {
    const outside = tempDir();
    writeFileSync(join(outside, "secret.json"), '{ "hunter2": "correct horse" }');
    const cwd = tempDir();
    symlinkSync(join(outside, "secret.json"), join(cwd, NAME));
    const { code, out, err } = await stet(["tools"], { cwd });
    expect([code, out]).toEqual([1, ""]);
    expect(err).toContain("it is a link that leads out of its directory; one that you name may");
    expect(err).not.toMatch(/hunter2|horse/);
    expect(await refusalIn(cwd, NAME)).toContain("hunter2 is no known key");

    const inside = projectWith({});
    writeFileSync(join(inside, "own.json"), '{ "readOnly": true }');
    execFileSync("ln", ["-sf", "own.json", join(inside, NAME)]);
    expect(await refusalIn(inside)).toBeUndefined();
  });
});

describe("files that stet reads by itself", () => {
  const SPECIAL: readonly (readonly [what: string, make: (place: string) => void, words: RegExp])[] = [
    ["a link to /dev/zero", (place) => symlinkSync("/dev/zero", place), /is not a file|leads out of/],
    ["a pipe", (place) => void execFileSync("mkfifo", [place]), /is not a file/],
    ["a directory", (place) => void mkdirSync(place), /is not a file/],
    ["a file of 20 GB", (place) => sparse(place), /has more than the [\d,]+ bytes that it may have/],
  ];

  function sparse(place: string): void {
    writeFileSync(place, "{}");
    truncateSync(place, 20 * 2 ** 30);
  }

  const READERS: readonly (readonly [what: string, name: string, args: readonly string[]])[] = [
    ["the configuration that is found", NAME, ["tools"]],
    ["the configuration that is named", "own.json", ["tools", "--config", "own.json"]],
    ["the tokens", "tokens", ["serve", "--port", "0", "--token-file", "tokens"]],
    [
      "the configuration of a client",
      ".mcp.json",
      ["install", "--client", "claude-code", "--scope", "project", "--write"],
    ],
  ];

  it
    .runIf(linux)
    .each(
      READERS.flatMap(([what, name, args]) =>
        SPECIAL.map(([kind, make, words]) => ({ what, name, args, kind, make, words })),
      ),
    )("$what as $kind is refused in words", async ({ name, args, make, words }) => {
    const cwd = tempDir();
    make(join(cwd, name));
    const { code, out, err } = await stet([...args], { cwd, env: { HOME: tempDir() } });
    expect(err).toMatch(words);
    expect([code, out]).toEqual([1, ""]);
  });

  it("a configuration of 40,000 rules or keys is refused by its size, before it is parsed", async () => {
    const rules = Array.from({ length: 40_000 }, (_, n) => `d${n}/**`);
    for (const config of [{ policy: { deniedPaths: rules } }, Object.fromEntries(rules.map((rule) => [rule, 1]))]) {
      expect(await refusalIn(projectWith(config))).toMatch(
        /cannot be read: it has more than the 262,144 bytes that it may have/,
      );
    }
  });

  it("as many rules and keys as fit hold up nothing", async () => {
    const many = Array.from({ length: 25_000 }, (_, n) => `d${n}*`);
    const globs = many.slice(0, 20_000).map((glob) => `!${glob}`);
    expect(await refusalIn(projectWith({ policy: { deniedPaths: many } }))).toContain("more than 1000 globs");
    expect(await refusalIn(projectWith({ policy: { deniedPaths: globs } }), NAME)).toContain(
      "deniedPaths[0]: expected a glob",
    );
    const keys = Object.fromEntries(many.slice(0, 20_000).map((key) => [key, 1]));
    expect(await refusalIn(projectWith(keys))).toContain("and 19900 more like these");
    expect(await refusalIn(projectWith({ roots: many }), NAME)).toContain("roots[0]: The root");
  });

  it("install for a project changes nothing outside it, whatever links came with it", async () => {
    const outside = tempDir();
    writeFileSync(join(outside, "other.json"), '{ "mine": true }');
    for (const [name, target, client] of [
      [".mcp.json", join(outside, "other.json"), "claude-code"],
      [".cursor", outside, "cursor"],
    ] as const) {
      const cwd = tempDir();
      symlinkSync(target, join(cwd, name));
      const { code, err } = await stet(["install", "--client", client, "--scope", "project", "--write"], { cwd });
      expect([code, err]).toEqual([1, expect.stringContaining("leads out of the project")]);
    }
    expect(readFileSync(join(outside, "other.json"), "utf8")).toBe('{ "mine": true }');
    expect(execFileSync("ls", [outside], { encoding: "utf8" })).toBe("other.json\n");
  });
});
