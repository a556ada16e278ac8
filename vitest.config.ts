import { defineConfig } from "vitest/config";

/** What patches modules or starts servers and attackers gets a process of its own; all others share their imports. */
const ALONE = [
  "test/{attacks,backends,bench,clients,conformance,faults,package,races,serve}/**/*.test.ts",
  "test/{attacks,demo,package}.test.ts",
  "test/check/without-grammars.test.ts",
];

/** Other people's programs are driven only when asked for: `npm run test:clients`. */
const LEFT_OUT = ["**/node_modules/**", ...(process.env.STET_CLIENTS ? [] : ["test/clients/**"])];

export default defineConfig({
  test: {
    testTimeout: 60_000,
    hookTimeout: 60_000,
    pool: "forks",
    globalSetup: ["test/support/own-directory.ts"],
    setupFiles: ["test/support/same-chances.ts"],
    maxWorkers: "100%",
    projects: [
      { extends: true, test: { name: "shared", include: ["test/**/*.test.ts"], exclude: ALONE, isolate: false } },
      { extends: true, test: { name: "alone", include: ALONE, exclude: LEFT_OUT } },
    ],
  },
});
