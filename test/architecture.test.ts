// The architecture, held by a test: which folder may import which, how long a file may be, and who may write files.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("..", import.meta.url));

/** The first rule whose pattern fits a file says what it may import from src/. Folders without a rule may import nothing. */
const RULES: readonly (readonly [files: RegExp, mayImport: readonly RegExp[]])[] = [
  [/^kernel\/(failure|limits)\.ts$/, []],
  [/^kernel\/version\.ts$/, [/^kernel\/limits\.ts$/, /^backends\/backend\.ts$/]],
  [/^edit\//, [/^edit\//, /^kernel\/(failure|limits)\.ts$/]],
  [/^check\//, [/^check\//, /^edit\//, /^kernel\/(failure|limits)\.ts$/]],
  [/^search\//, [/^search\//, /^edit\//, /^kernel\//, /^backends\/backend\.ts$/]],
  [/^backends\/(\w+)\//, [/^backends\/$1\//, /^backends\/[\w-]+\.ts$/, /^kernel\/(failure|limits|version)\.ts$/]],
  [/^backends\//, [/^backends\/[\w-]+\.ts$/, /^kernel\/(failure|limits|version)\.ts$/]],
  [/^kernel\//, [/^kernel\//, /^edit\//, /^check\//, /^search\//, /^backends\/backend\.ts$/]],
  [/^testing\//, [/^testing\//, /^kernel\//, /^backends\/[\w-]+\.ts$/]],
  [/^surfaces\//, [/^surfaces\//, /^kernel\//, /^edit\//, /^check\//, /^search\//, /^backends\//]],
  [/^index\.ts$/, [/^kernel\//, /^backends\//, /^surfaces\//]],
  [/^adapters\//, [/^adapters\//, /^surfaces\//, /^kernel\//, /^index\.ts$/]],
  [/^serve\//, [/^serve\//, /^surfaces\//, /^search\//, /^kernel\//, /^index\.ts$/]],
  [/^cli\//, [/^/]],
];

const WRITES =
  /\b(?:fs\.)?(?:promises\.)?(?:writeFile|writeSync|writevSync|appendFile|mkdir|mkdtemp|rename|unlink|rmdir|symlink|link|truncate|ftruncate|chmod|fchmod|chown|fchown|copyFile|cp|createWriteStream|utimes)(?:Sync)?\(/;

/** Of the owner's own files, never of a workspace: configurations, compiled code, and what doctor tries out. */
const OTHER_WRITERS = [
  "cli/owner-file.ts",
  "cli/doctor/probe.ts",
  "cli/launch/compiled.ts",
  "cli/launch/private-cache.ts",
];

const sources = filesBelow(join(root, "src")).map((file) => relative(join(root, "src"), file));

describe("architecture", () => {
  it("imports point one way", () => {
    const wrong = sources.flatMap((file) =>
      importsOf(file)
        .filter((target) => !mayImport(file, target))
        .map((target) => `${file} -> ${target}`),
    );
    expect(wrong).toEqual([]);
  });

  it("every folder of src has a rule", () => {
    expect(sources.filter((file) => ruleFor(file) === undefined)).toEqual([]);
  });

  it("no import cycles between files", () => {
    expect(findCycle()).toBeNull();
  });

  it("pure folders touch no file, no clock, no network", () => {
    const impure = /from "node:(?:fs|child_process|net|http|https|timers)/;
    const pure = sources.filter((file) => /^(edit|check)\//.test(file) && file !== "check/oxc-process.ts");
    expect(pure.filter((file) => impure.test(source(file)))).toEqual([]);
    const waits = /\b(?:Date\.now|performance\.now|new Date|setTimeout|setInterval)\b/;
    expect(sources.filter((file) => file.startsWith("edit/") && waits.test(source(file)))).toEqual([]);
  });

  it("the kernel knows no schema library and no transport", () => {
    expect(
      sources.filter(
        (file) => file.startsWith("kernel/") && /from "(?:zod|@modelcontextprotocol|hono)/.test(source(file)),
      ),
    ).toEqual([]);
  });

  it("files of a workspace are written in the disk backend only", () => {
    const wrong = sources.filter(
      (file) => !file.startsWith("backends/disk/") && /node:fs/.test(source(file)) && WRITES.test(source(file)),
    );
    expect(wrong.filter((file) => !OTHER_WRITERS.includes(file))).toEqual([]);
  });

  it("no file is longer than 400 lines", () => {
    const all = ["src", "test", "bench"].flatMap((folder) => filesBelow(join(root, folder)));
    const long = all.filter((file) => readFileSync(file, "utf8").split("\n").length > 400);
    expect(long.map((file) => relative(root, file))).toEqual([]);
  });

  it("every source file says in its first line what it owns", () => {
    expect(sources.filter((file) => !/^(#!.*\n)?\/\/ \S/.test(source(file)))).toEqual([]);
  });
});

function mayImport(file: string, target: string): boolean {
  const rule = ruleFor(file);
  if (rule === undefined) return false;
  const folder = rule[0].exec(file)?.[1];
  return rule[1].some((allowed) => new RegExp(allowed.source.replaceAll("$1", folder ?? "")).test(target));
}

function ruleFor(file: string): (typeof RULES)[number] | undefined {
  return RULES.find(([files]) => files.test(file));
}

function importsOf(file: string, options: { readonly types: boolean } = { types: true }): string[] {
  const found = source(file).matchAll(/^(?:import|export)\b([^;]*?)from "(\.[^"]+)"|import\("(\.[^"]+)"\)/gm);
  return [...found]
    .filter(([, clause]) => options.types || !/^\s+type\b/.test(clause ?? ""))
    .map(([, , from, dynamic]) => join(dirname(file), (from ?? dynamic)!));
}

function findCycle(): string[] | null {
  const done = new Set<string>();
  const visit = (file: string, trail: readonly string[]): string[] | null => {
    if (trail.includes(file)) return [...trail.slice(trail.indexOf(file)), file];
    if (done.has(file)) return null;
    for (const next of importsOf(file, { types: false })) {
      const cycle = visit(next, [...trail, file]);
      if (cycle !== null) return cycle;
    }
    done.add(file);
    return null;
  };
  for (const file of sources) {
    const cycle = visit(file, []);
    if (cycle !== null) return cycle;
  }
  return null;
}

function source(file: string): string {
  return readFileSync(join(root, "src", file), "utf8");
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(
      (entry) => entry.isFile() && /\.(ts|mjs)$/.test(entry.name) && !/node_modules|scenarios/.test(entry.parentPath),
    )
    .map((entry) => join(entry.parentPath, entry.name));
}
