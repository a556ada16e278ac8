import { defineConfig } from "vitest/config";

/** What patches modules or counts calls or processes gets a process of its own; all others share their imports. */
const ALONE = [
  "test/backends/*-faults.test.ts",
  "test/{clients,conformance,crash,faults}/**/*.test.ts",
  "test/races/intruder.test.ts",
  "test/serve/searches.test.ts",
  "test/check/without-grammars.test.ts",
];
/** What is about disks has its files on one; in heavy runs all have. */
const ON_DISK = ["test/{backends,races}/**/*.test.ts"];

const EACH = ["test/support/same-chances.ts"];
const IN_MEMORY = [...EACH, "test/support/in-memory.ts"];

/** Other people's programs are driven only when asked for: `npm run test:clients`. */
const LEFT_OUT = ["**/node_modules/**", ...(process.env.STET_CLIENTS ? [] : ["test/clients/**"])];

export default defineConfig({
  test: {
    testTimeout: 60_000,
    hookTimeout: 60_000,
    pool: "forks",
    globalSetup: ["test/support/own-directory.ts"],
    maxWorkers: "100%",
    projects: [
      { extends: true, test: { name: "alone", include: ALONE, exclude: LEFT_OUT, setupFiles: IN_MEMORY } },
      {
        extends: true,
        test: { name: "on disk", include: ON_DISK, exclude: ALONE, isolate: false, setupFiles: EACH },
      },
      {
        extends: true,
        test: {
          name: "in memory",
          include: ["test/**/*.test.ts"],
          exclude: [...ALONE, ...ON_DISK],
          isolate: false,
          setupFiles: IN_MEMORY,
        },
      },
    ],
  },
});
