// Which tests can notice a change of a module: those that import it, on however many steps, the nearest first.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";

/** They start programs from dist/, which is not mutated, judge texts and the shape of the code, or wait for chances. */
const NOT_JUDGES =
  /^test\/(cli|clients|conformance|nodes|package|bench|mutants|attacks|races)\/|^test\/[^/]+\.test\.ts$/;

/** For each test that imports the file, on how many steps: less one half when it lies in the folder of the same name. */
export function relatedTests(root) {
  const files = [...filesIn(root, "src"), ...filesIn(root, "test")].filter((file) => file.endsWith(".ts"));
  const importers = new Map(files.map((file) => [file, []]));
  for (const file of files) for (const imported of importsOf(root, file)) importers.get(imported)?.push(file);

  return (file) => {
    const steps = new Map([[file, 0]]);
    for (const [each, distance] of steps)
      for (const importer of importers.get(each) ?? []) if (!steps.has(importer)) steps.set(importer, distance + 1);
    const folder = file.split("/")[1];
    const nearness = ([test, distance]) => [test, distance - (test.startsWith(`test/${folder}/`) ? 0.5 : 0)];
    return new Map([...steps].filter(([test]) => isJudge(test)).map(nearness));
  };
}

export function isJudge(test) {
  return test.endsWith(".test.ts") && !NOT_JUDGES.test(test);
}

/** As paths from the root. */
export function importsOf(root, file) {
  const source = readFileSync(join(root, file), "utf8");
  const named = [...source.matchAll(/(?:from|import\()\s*"(\.[^"]+)"/g)].map(([, path]) => path);
  return named.map((path) => relative(root, join(root, dirname(file), path)));
}

export function filesIn(root, folder) {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath ?? entry.path, entry.name)));
}
