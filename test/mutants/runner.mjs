// A process that keeps vitest ready in a copy of the tree: told of a file that changed and of tests, it says whether they hold.
import { join } from "node:path";
import { createVitest } from "vitest/node";

const vitest = await createVitest("test", {
  watch: false,
  root: process.cwd(),
  bail: 1,
  maxWorkers: 1,
  reporters: [{}],
  testTimeout: 30_000,
  hookTimeout: 30_000,
});

process.on("message", async ({ changed, tests }) => {
  try {
    vitest.invalidateFile(changed);
    vitest.state.filesMap.clear();
    vitest.state.errorsSet.clear();
    const specifications = await vitest.globTestSpecifications(tests);
    const { testModules, unhandledErrors } = await vitest.runTestSpecifications(specifications, false);
    // vitest tells of earlier runs too
    const asked = new Set(tests.map((test) => join(process.cwd(), test)));
    const own = testModules.filter(({ moduleId }) => asked.has(moduleId));
    const failed = own.filter((module) => module.state() === "failed").map(({ moduleId }) => moduleId);
    process.send({ failed, unhandled: unhandledErrors.length, ran: own.length });
  } catch (error) {
    process.send({ failed: [], unhandled: 1, ran: 0, error: String(error?.stack ?? error) });
  }
});
process.send({ ready: true });
