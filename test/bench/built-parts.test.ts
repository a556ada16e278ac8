// What the bench takes from dist/ is there: it names files itself, and no compiler follows those names.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** `fromDist("index.js")`, and `"../../dist/index.js"` however it is imported or started. */
const NAMED = /\bfromDist\("([^"]+)"\)|"(?:\.\.?\/)+dist\/([\w./-]+\.c?js)"/g;

it("every file of dist/ that the bench names exists", () => {
  const named = scriptsIn(join(root, "bench")).flatMap((script) =>
    [...readFileSync(script, "utf8").matchAll(NAMED)].map(([, taken, path = taken]) => ({ script, file: path! })),
  );
  expect(named.map(({ file }) => file)).toEqual(expect.arrayContaining(["index.js", "search/index.js"]));
  expect(named.filter(({ file }) => !existsSync(join(root, "dist", file)))).toEqual([]);
});

function scriptsIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return entry.name === "node_modules" ? [] : scriptsIn(path);
    return /\.m?[jt]s$/.test(entry.name) ? [path] : [];
  });
}
