// A configuration that came with a project: what it may not say, and what it may be, to do no harm to whoever starts stet there.
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { LIMITS } from "stet";
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

describe("a configuration that was only found", () => {
  it.each<readonly [what: string, config: object, words: string]>([
    ["drops the protected list", { policy: { protect: false } }, "policy.protect: a file that was only found may not"],
    ["replaces it", { policy: { protect: [{ name: "none", paths: ["none"] }] } }, "policy.protect: a file"],
    ["takes hooks off it", { policy: { protect: { remove: ["git"] } } }, "policy.protect: a file"],
    [
      "takes it from one root",
      { roots: ["sub/..", { path: "sub", policy: { protect: false } }].slice(1) },
      "roots[0].policy.protect: a file",
    ],
    ["reads files that fill memory", { policy: { maxFileBytes: 2 ** 40 } }, "policy.maxFileBytes: a file"],
    ["does so by the older name", { policy: { max_file_size: 2 ** 40 } }, "policy.max_file_size: a file"],
    [
      "lets calls go on for ever",
      { limits: { callMs: 1e9 } },
      `limits.callMs: a file that was only found may say 15000 at most, which is the default`,
    ],
    [
      "has every path compared with thousands of globs",
      { policy: { deniedPaths: Array.from({ length: 1001 }, (_, n) => `d${n}`) } },
      "policy: a file that was only found may have 1000 globs at most, found 1001",
    ],
    ["keeps too much in memory", { limits: { recentBytes: 2 ** 40 } }, "limits.recentBytes: a file"],
    ...Object.entries(LIMITS).map(
      ([name, usual]) =>
        [`raises ${name} by one`, { limits: { [name]: usual + 1 } }, `limits.${name}: a file`] as const,
    ),
    ["raises the size of files", { policy: { maxFileBytes: LIMITS.maxFileBytes + 1 } }, "policy.maxFileBytes: a file"],
  ])("is refused when it %s; one that was named is not", async (_what, config, words) => {
    const cwd = projectWith(config);
    const refused = await refusalIn(cwd);
    expect(refused).toContain(words);
    expect(refused).toContain(`If you trust it, start with --config ${join(cwd, NAME)}`);
    expect(await refusalIn(cwd, NAME)).toBeUndefined();
  });

  it("may narrow, add protection and lower numbers", async () => {
    const config = {
      policy: { protect: { add: [{ name: "mine", paths: ["mine"] }] }, maxFileBytes: LIMITS.maxFileBytes },
      limits: { callMs: LIMITS.callMs, pathBytes: 5 },
      readOnly: true,
    };
    expect(await refusalIn(projectWith(config))).toBeUndefined();
  });

  it("is not read through a link that leads out of the project, and nothing in there is told", async () => {
    const outside = tempDir();
    writeFileSync(join(outside, "secret.json"), '{ "hunter2": "correct horse" }');
    const cwd = tempDir();
    symlinkSync(join(outside, "secret.json"), join(cwd, NAME));
    const { code, out, err } = await stet(["tools"], { cwd });
    expect([code, out]).toEqual([1, ""]);
    expect(err).toContain("it is a link that leads out of its directory, and was only found");
    expect(err).not.toMatch(/hunter2|horse/);
    expect(await refusalIn(cwd, NAME)).toContain("hunter2 is no known key");

    const inside = projectWith({});
    writeFileSync(join(inside, "own.json"), '{ "strict": true }');
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
    expect(await refusalIn(projectWith({ policy: { deniedPaths: many } }))).toContain("1000 globs at most");
    expect(await refusalIn(projectWith({ policy: { deniedPaths: globs } }))).toContain(
      "deniedPaths[19]: expected a glob",
    );
    const keys = Object.fromEntries(many.slice(0, 20_000).map((key) => [key, 1]));
    expect(await refusalIn(projectWith(keys))).toContain("and 19900 more like these");
    expect(await refusalIn(projectWith({ roots: many }))).toContain("roots[0]: The root");
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
