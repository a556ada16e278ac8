// Installs the agent frameworks that the adapters are tested with, in node_modules beside this file, as the lock file says.
// With --in-ci it does so only where CI is set, without the program of the Claude Agent SDK, and gives up soon.
import { fileURLToPath } from "node:url";
import { installPrograms } from "../support/programs.mjs";

const inCi = process.argv.includes("--in-ci");
if (!inCi || process.env.CI) {
  installPrograms({
    folder: fileURLToPath(new URL("./", import.meta.url)),
    what: `the agent frameworks (about ${inCi ? 340 : 700} MB) into test/adapters/node_modules`,
    required: process.env.STET_ADAPTERS === "required",
    locked: true,
    ...(inCi && { ms: 75_000, args: ["--omit=optional"] }),
  });
}
