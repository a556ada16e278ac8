// A script of the tests with all that it imports from dist/, as one file: as a process it starts in a third of the time.
import { existsSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";

const made = new Map<string, string>();
const BUILT = new URL("../../dist/index.js", import.meta.url);

/** For what is started many times; native parts are found from where they would be. */
export function inOneFile(script: URL): string {
  if (!existsSync(BUILT)) throw new Error("dist/ is missing: run `npm run build` first (`npm test` does).");
  const known = made.get(script.href);
  if (known !== undefined && existsSync(known)) return known;
  const outfile = join(mkdtempSync(join(tmpdir(), "stet-script-")), basename(script.pathname));
  buildSync({
    entryPoints: [fileURLToPath(script)],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    define: { "import.meta.url": JSON.stringify(BUILT.href) },
    logLevel: "error",
  });
  made.set(script.href, outfile);
  return outfile;
}
