import { existsSync } from "node:fs";
import { availableParallelism } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { LongestFirst } from "./test/support/longest-first.ts";

/** What is about all of a process, as it is from its start, gets one of its own; all others share their imports. */
const ALONE = [
  "test/clients/**/*.test.ts",
  "test/**/fallback-faults.test.ts",
  "test/**/searches.test.ts",
  "test/**/without-grammars.test.ts",
];
/** What patches modules, and takes that back, or counts calls: apart from what may go on with something meanwhile. */
const PATCHING = [
  "test/**/backends/*-faults.test.ts",
  "test/**/{crash,faults}/**/*.test.ts",
  "test/**/races/intruder.test.ts",
];
/** What is about disks has its files on one; in heavy runs all have. */
const ON_DISK = ["test/**/{backends,races}/**/*.test.ts"];

const EACH = ["test/support/same-chances.ts"];
const IN_MEMORY = [...EACH, "test/support/in-memory.ts"];

/** What is tested with the agent frameworks themselves; without them a test says that they are missing. */
const WITH_FRAMEWORKS = ["test/adapters/with-*.test.ts"];
const FRAMEWORKS = new URL("test/adapters/node_modules/", import.meta.url);

/** What takes seconds and shows the edges of what other tests show: `npm run test:heavy`. */
const HEAVY_ONLY = [
  "test/backends/postgres-cuts.test.ts",
  "test/bench/run.test.ts",
  "test/bounded/{every-tool,others-go-on}.test.ts",
  "test/cli/{history-many,mcp-unread,moving-cut,process-edges}.test.ts",
  "test/kernel/growing-file.test.ts",
  "test/package/*.test.ts",
  "test/page/{fleet,use/*}.test.ts",
  "test/properties/forged-entries.test.ts",
  "test/search/crowded.test.ts",
  "test/serve/{fleet-expiry,fleet-making,fleet-silence,http-crowd}.test.ts",
  "test/state/damaged.test.ts",
];

/** Other people's programs are driven only when asked for: `npm run test:clients`. */
const LEFT_OUT = [
  "**/node_modules/**",
  ...(process.env.STET_HEAVY === "1" ? [] : HEAVY_ONLY),
  ...(process.env.STET_CLIENTS ? [] : ["test/clients/**"]),
  ...(existsSync(FRAMEWORKS) ? [] : WITH_FRAMEWORKS),
];

/** The whole suite has just built the package: then what is built is tested, and no source is made into code a second time. */
const BUILT = process.env.TESTS_OF_DIST === "1";
const src = fileURLToPath(new URL("src/", import.meta.url));
const inDist = (path: string): string => path.replace(src, join(src, "../dist/")).replace(/\.ts$/, ".js");
const stetFrom = (isBuilt: boolean) => ({
  // The module cache tells projects apart by the names of their plugins.
  name: isBuilt ? "stet built" : "stet source",
  enforce: "pre" as const,
  resolveId(source: string, importer = "") {
    const own = ownPath(source, importer);
    // What runs in browsers is bundled, and has no files of its own there.
    if (own === undefined || own.startsWith(join(src, "page/"))) return null;
    if (isBuilt) return { id: inDist(own), external: true };
    return source.startsWith(".") ? null : own;
  },
});
const built = stetFrom(BUILT);

/**
 * What the adapters and their examples import of the frameworks is installed beside the tests. So the adapters are made of
 * their source here; all else of stet is as in the other tests.
 */
const besideTests = {
  name: "frameworks",
  enforce: "pre" as const,
  async resolveId(this: Resolver, source: string, importer = "") {
    const own = ownPath(source, importer);
    if (own !== undefined) {
      const fromSource = !BUILT || own.startsWith(join(src, "adapters/"));
      return fromSource ? own : { id: inDist(own), external: true };
    }
    const imports =
      importer.startsWith(join(src, "adapters/")) || /\/(?:examples\/adapters|adapters\/\.blocks-\w+)\//.test(importer);
    if (!imports || /^(?:\.|node:|@modelcontextprotocol|zod)/.test(source)) return null;
    return this.resolve(source, fileURLToPath(new URL("test/adapters/x.ts", import.meta.url)));
  },
};

/** A source of stet, named by a path from another file or, in examples, by the name of the package. */
function ownPath(source: string, importer: string): string | undefined {
  const [named, part = ""] = /^stet(?:\/(.*))?$/.exec(source) ?? [];
  if (named !== undefined) return join(src, part.startsWith("adapters/") ? `${part}.ts` : join(part, "index.ts"));
  const path = source.startsWith(".") && source.endsWith(".ts") ? join(dirname(importer), source) : "";
  return path.startsWith(src) ? path : undefined;
}

interface Resolver {
  resolve(source: string, importer: string): Promise<{ readonly id: string } | null>;
}

export default defineConfig({
  test: {
    testTimeout: process.env.STET_HEAVY === "1" ? 1_800_000 : 60_000,
    hookTimeout: 60_000,
    // what comes soon comes later on a machine that is busy
    expect: { poll: { timeout: 10_000 } },
    pool: "forks",
    globalSetup: ["test/support/own-directory.ts"],
    // One more than there are cores: some tests wait for other processes, or for time to pass.
    maxWorkers: availableParallelism() + 1,
    sequence: { sequencer: LongestFirst },
    // What is imported is made of its source once, and again when that changes; what is built is imported as it is.
    experimental: { fsModuleCache: true, ...(BUILT && { fsModuleCachePath: "node_modules/.cache/tests-of-dist" }) },
    server: { deps: { external: [/\/dist\//] } },
    projects: [
      {
        extends: true,
        plugins: [stetFrom(false)],
        test: { name: "alone", include: ALONE, exclude: LEFT_OUT, setupFiles: IN_MEMORY },
      },
      {
        extends: true,
        plugins: [built],
        test: {
          name: "patching",
          include: PATCHING,
          exclude: [...ALONE, ...LEFT_OUT],
          isolate: false,
          setupFiles: IN_MEMORY,
        },
      },
      {
        extends: true,
        plugins: [built],
        test: {
          name: "on disk",
          include: ON_DISK,
          exclude: [...ALONE, ...PATCHING, ...LEFT_OUT],
          isolate: false,
          setupFiles: EACH,
        },
      },
      {
        extends: true,
        plugins: [besideTests],
        test: {
          name: "frameworks",
          include: WITH_FRAMEWORKS,
          exclude: LEFT_OUT,
          isolate: false,
          setupFiles: IN_MEMORY,
        },
      },
      {
        extends: true,
        plugins: [built],
        test: {
          name: "in memory",
          include: ["test/**/*.test.ts"],
          exclude: [...ALONE, ...PATCHING, ...ON_DISK, ...WITH_FRAMEWORKS, ...LEFT_OUT],
          isolate: false,
          setupFiles: IN_MEMORY,
        },
      },
    ],
  },
});
