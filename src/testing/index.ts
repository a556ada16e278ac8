// The conformance suite that every backend passes: `testBackend((name) => myBackend({ name }))`.
import { randomUUID } from "node:crypto";
import { strictOptions, validate } from "../api/options.ts";
import type { Backend } from "../core/backend.ts";
import { closingCases } from "./cases/closing.ts";
import { concurrencyCases } from "./cases/concurrency.ts";
import { historyCases } from "./cases/history.ts";
import { journalCases } from "./cases/journal.ts";
import { pathCases } from "./cases/paths.ts";
import { togetherCases } from "./cases/together.ts";
import { versionCases } from "./cases/versions.ts";

/** One case of the conformance suite. */
export interface Case {
  /** What holds when it passes. */
  readonly name: string;
  /** `backend` is empty and the case's own; `again` opens another one on the same workspace. */
  run(backend: Backend, again: () => Promise<Backend>): Promise<void>;
}

/** What registers tests: vitest, node:test, or one like them. */
export interface Runner {
  /** A group of tests. */
  describe(name: string, body: () => void): void;
  /** One test. */
  it(name: string, body: () => Promise<void>): void;
}

/** How the suite is run. */
export interface SuiteOptions {
  /** Cases that do not apply to this backend, by exact name, with the reason why. */
  readonly skip?: readonly { readonly reason: string; readonly cases: readonly string[] }[];
  /** Where tests are registered: vitest when it runs, else node:test. */
  readonly runner?: Runner;
}

const OPTIONS = strictOptions<SuiteOptions>({ skip: true, runner: true });

/** All cases, to be run in another way than by `testBackend`. */
export const cases: readonly Case[] = [
  ...versionCases,
  ...pathCases,
  ...journalCases,
  ...historyCases,
  ...concurrencyCases,
  ...togetherCases,
  ...closingCases,
];

/**
 * `open` gives a backend on the workspace of that name, which is new and empty the first time; the same name again is
 * the same workspace. The suite closes what it opened. Await the call at the top level of the test file.
 */
export async function testBackend(
  open: (name: string) => Backend | Promise<Backend>,
  options: SuiteOptions = {},
): Promise<void> {
  validate(options, OPTIONS);
  const { describe, it } = options.runner ?? (await defaultRunner());
  const skipped = skippedNames(options.skip ?? []);
  describe("backend conformance", () => {
    for (const { name, run } of cases.filter((each) => !skipped.has(each.name))) {
      it(name, async () => {
        const name = `w-${randomUUID()}`;
        const opened: Backend[] = [];
        const again = async (): Promise<Backend> => {
          const backend = await open(name);
          opened.push(backend);
          return backend;
        };
        try {
          await run(await again(), again);
        } finally {
          for (const backend of opened) await backend.close();
        }
      });
    }
  });
}

function skippedNames(skip: NonNullable<SuiteOptions["skip"]>): Set<string> {
  const names = new Set(skip.flatMap((group) => group.cases));
  for (const { reason } of skip) if (reason.trim() === "") throw new Error("A skipped case needs a reason.");
  for (const name of names)
    if (!cases.some((each) => each.name === name)) throw new Error(`There is no case named "${name}".`);
  return names;
}

async function defaultRunner(): Promise<Runner> {
  if (process.env.VITEST === undefined) return import("node:test");
  const vitest = "vitest";
  return import(vitest) as Promise<Runner>;
}
