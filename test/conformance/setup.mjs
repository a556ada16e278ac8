// Installs the conformance suite, the Inspector and a Node that can run them, in programs/.
// With --in-ci it does so only where CI is set, and gives up soon: the other tests shall not wait for a slow network.
import { fileURLToPath } from "node:url";
import { installPrograms } from "../support/programs.mjs";

const inCi = process.argv.includes("--in-ci");
if (!inCi || process.env.CI) {
  installPrograms({
    folder: fileURLToPath(new URL("programs/", import.meta.url)),
    what: "the conformance suite and the Inspector (about 330 MB) into test/conformance/programs",
    required: process.env.STET_CONFORMANCE === "required",
    ...(inCi && { ms: 75_000 }),
  });
}
