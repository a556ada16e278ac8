// The architecture, held by a test: which folder may import which, how long a file may be, and who may write files.
import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { BUDGETS, drawnImports, importedFiles, LAYERS, OUTSIDE, wrongIn } from "./support/architecture.ts";
import { otherWordsIn, PLAIN_FOLDERS } from "./support/vocabulary.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const sources = filesBelow("src").map((file) => relative("src", file));

describe("architecture", () => {
  it("imports point one way, files of a workspace are written in the disk backend only, engines are pure", () => {
    expect(sources.flatMap((file) => wrongIn(file, source(file)))).toEqual([]);
  });

  it("every rule is about something that is there", () => {
    expect(OUTSIDE.filter(([files]) => !sources.some((file) => files.test(file)))).toEqual([]);
    const isThere = (folder: string) => sources.some((file) => `${file}/`.startsWith(`${folder}/`));
    expect(LAYERS.flat().filter((folder) => !isThere(folder))).toEqual([]);
    const isTaken = (files: RegExp, name: string) =>
      sources.some((file) => files.test(file) && source(file).includes(`"${name}"`));
    const allowed = OUTSIDE.flatMap(([files, names]) => names.map((name) => ({ files, name })));
    expect(allowed.filter(({ files, name }) => !isTaken(files, name))).toEqual([]);
  });

  it("the picture of the documentation is drawn from the real imports", () => {
    const page = readFileSync(join(root, "docs/ARCHITECTURE.md"), "utf8");
    const drawn = drawnImports(new Map(sources.map((file) => [file, source(file)])));
    expect(/^## Which way imports point\n\n```\n([^`]*)\n```$/m.exec(page)?.[1]).toBe(drawn);
  });

  it("no import cycles between files", () => {
    expect(findCycle()).toBeNull();
  });

  it("tests import public entries: only test/internal/ knows the inside", () => {
    const isDeep = (file: string) =>
      /(?:from|import\(?) ?["'`](?:\.\.\/)+src\//.test(readFileSync(join(root, file), "utf8"));
    const deep = filesBelow("test").filter((file) => !file.startsWith("test/internal/") && isDeep(file));
    expect(deep).toEqual([]);
  });

  it("no file is longer than 400 lines", () => {
    const all = ["src", "test", "bench", "scripts", "examples"].flatMap(filesBelow);
    expect(all.filter((file) => readFileSync(join(root, file), "utf8").split("\n").length > 400)).toEqual([]);
  });

  it("no folder has more lines than its budget", () => {
    const lines = new Map<string, number>();
    for (const file of sources) {
      const [folder, part] = file.split("/");
      for (const each of [folder!, `${folder}/${part}`])
        lines.set(each, (lines.get(each) ?? 0) + source(file).split("\n").length - 1);
    }
    const folders = LAYERS.flat().filter((folder) => !folder.endsWith(".ts"));
    expect(folders.filter((folder) => BUDGETS[folder] === undefined)).toEqual([]);
    expect(Object.entries(BUDGETS).filter(([folder, max]) => lines.get(folder)! > max)).toEqual([]);
  });

  it("names, comments and messages use the field's own words", () => {
    const plain = sources.filter((file) => PLAIN_FOLDERS.includes(file.split("/")[0]!));
    expect(plain.flatMap((file) => otherWordsIn(file, source(file)))).toEqual([]);
    expect(otherWordsIn("a.ts", "// What a slip is\nconst MOST = 1;")).toHaveLength(3);
  });

  it("every source file says in its first line what it owns", () => {
    expect(sources.filter((file) => !/^(#!.*\n)?\/\/ \S/.test(source(file)))).toEqual([]);
  });
});

/** Invented files: each would be a way around a rule. */
describe("no way around", () => {
  it.each([
    ["an import for its effect", "kernel/some.ts", 'import "../cli/main.ts";', "kernel/some.ts -> cli/main.ts"],
    ["a name", "kernel/some.ts", 'import { main } from "../cli/main.ts";', "kernel/some.ts -> cli/main.ts"],
    ["a type", "kernel/some.ts", 'import type { Main } from "../cli/main.ts";', "kernel/some.ts -> cli/main.ts"],
    ["a type in place", "kernel/some.ts", 'type A = import("../cli/main.ts").A;', "kernel/some.ts -> cli/main.ts"],
    ["an export", "edit/some.ts", 'export * from "../kernel/some.ts";', "edit/some.ts -> kernel/some.ts"],
    ["an import later", "edit/some.ts", 'void import("../kernel/some.ts");', "edit/some.ts -> kernel/some.ts"],
    ["in backquotes", "edit/some.ts", "void import(`../kernel/some.ts`);", "edit/some.ts -> kernel/some.ts"],
    [
      "another backend",
      "backends/memory/a.ts",
      'import "../disk/io.ts";',
      "backends/memory/a.ts -> backends/disk/io.ts",
    ],
    ["a new folder", "plugins/a.ts", "", "plugins/a.ts is in no layer"],
    ["a schema library", "kernel/some.ts", 'void import("zod");', "kernel/some.ts -> zod"],
    ["a name made up", "kernel/some.ts", 'void import("z" + "od");', "kernel/some.ts loads what only running it tells"],
    ["code made up", "kernel/some.ts", "eval(text);", "kernel/some.ts loads what only running it tells"],
    [
      "stet by its own name",
      "kernel/some.ts",
      'import { bind } from "stet/surfaces";',
      "kernel/some.ts -> stet/surfaces",
    ],
    ["another package", "cli/main.ts", 'import fs from "graceful-fs";', "cli/main.ts -> graceful-fs"],
    ["files", "kernel/some.ts", 'import { readFileSync } from "fs";', "kernel/some.ts -> fs"],
    ["a program", "cli/main.ts", 'import { execFileSync } from "child_process";', "cli/main.ts -> child_process"],
    [
      "an address",
      "kernel/some.ts",
      'void import("data:text/javascript,1");',
      "kernel/some.ts -> data:text/javascript,1",
    ],
  ])("imports: %s", (_way, file, text, wrong) => {
    expect(wrongIn(file, text)).toEqual([wrong]);
  });

  it.each([
    ["createRequire", "const load = createRequire(import.meta.url); load(name);"],
    ["createRequire", "module.createRequire(import.meta.url)(name);"],
    ["createRequire", 'import { createRequire as load } from "node:module";'],
    ["require", "const load = require;"],
    ["getBuiltinModule", 'process["getBuiltinModule"](name);'],
    ["getBuiltinModule", "process[`getBuiltinModule`](name);"],
    ["getBuiltinModule", "const { getBuiltinModule: load } = process;"],
    ["getBuiltinModule", "const load = process.getBuiltinModule;"],
    ["binding", 'process.binding("fs");'],
    ["_linkedBinding", "process._linkedBinding(name);"],
    ["dlopen", "process.dlopen(module, path);"],
  ])("loading past import, with %s: %s", (name, text) => {
    expect(wrongIn("kernel/some.ts", text)).toContain(`kernel/some.ts has ${name}`);
  });

  const ALL = "serve/some.ts takes * from node:fs";
  const OPENS = "serve/some.ts may open a file to write it";
  it.each([
    ['import { rmSync } from "node:fs";', "serve/some.ts takes rmSync from node:fs"],
    ['import { rm } from "fs/promises";', "serve/some.ts takes rm from node:fs"],
    ['import { lutimesSync } from "node:fs";', "serve/some.ts takes lutimesSync from node:fs"],
    ['import { open } from "node:fs/promises";', "serve/some.ts takes open from node:fs"],
    ['export { writeFile } from "node:fs/promises";', "serve/some.ts takes writeFile from node:fs"],
    ['import * as fs from "node:fs";', ALL],
    ['import fs from "node:fs";', ALL],
    ['(await import("node:fs")).rmSync(path, { recursive: true });', ALL],
    ['const { rm } = await import("node:fs/promises");', ALL],
    ['import { openSync } from "node:fs";\nopenSync(path, "w");', OPENS],
    ['import { openSync } from "node:fs";\nopenSync(path, flags);', OPENS],
    ['import { constants, openSync } from "node:fs";\nopenSync(path, constants.O_RDONLY | constants.O_TRUNC);', OPENS],
    ['import { openSync } from "node:fs";\nconst o = openSync;\no(path, "w");', OPENS],
    ['import { openSync } from "node:fs";\nopenSync.call(null, path, "w");', OPENS],
    ['import { openSync } from "node:fs";\nopenSync(...args);', OPENS],
    ['import { openSync } from "node:fs";\nopenSync(path, mine.O_RDONLY);', OPENS],
    ['import { openSync } from "node:fs";\nexport { openSync };', OPENS],
    ['export { openSync } from "node:fs";', OPENS],
    ['import { openSync as o } from "node:fs";\no(path, "w");', "serve/some.ts takes openSync as o from node:fs"],
  ])("writes: %s", (text, wrong) => {
    expect(wrongIn("serve/some.ts", text)).toContain(wrong);
    expect(wrongIn("backends/disk/io.ts", text.replace("fs/promises", "fs"))).toEqual([]);
  });

  it.each([
    'const fs = require("fs");',
    'createRequire(import.meta.url)("node:fs").rmSync(path);',
    'process.getBuiltinModule("node:fs").rmSync(path);',
  ])("writes: %s", (text) => {
    expect(wrongIn("serve/some.ts", text)).toContain(ALL);
  });

  it.each([
    ["Date.now();", "Date.now"],
    ["new Date();", "Date"],
    ["const now = Date;", "Date"],
    ["performance.now();", "performance.now"],
    ["process.hrtime.bigint();", "process.hrtime"],
    ["process.hrtime();", "process.hrtime"],
    ["Math.random();", "Math.random"],
    ['Math["random"]();', "Math.random"],
    ["const { random } = Math;", "Math"],
    ["crypto.randomUUID();", "crypto.randomUUID"],
    ["await fetch(url);", "fetch"],
    ["new WebSocket(url);", "WebSocket"],
    ["globalThis.fetch(url);", "globalThis.fetch"],
    ["setTimeout(act, 1);", "setTimeout"],
    ["Temporal.Now.instant();", "Temporal.Now"],
    ["new Intl.DateTimeFormat().format();", "Intl.DateTimeFormat"],
    ["self.fetch(url);", "self.fetch"],
    ["(fetch<string>)(url);", "fetch"],
    ["(<any>fetch)(url);", "fetch"],
  ])("pure: %s", (text, reached) => {
    const wrong = ["edit/some.ts", "check/lint.ts"].flatMap((file) => wrongIn(file, text));
    expect(wrong).toEqual([`edit/some.ts is to be pure: ${reached}`, `check/lint.ts is to be pure: ${reached}`]);
    expect(wrongIn("cli/main.ts", text)).toEqual([]);
  });

  it.each([
    ['import { readFileSync } from "node:fs";', "node:fs readFileSync"],
    ['import { hostname } from "os";', "os hostname"],
    ['import "node:http";', "node:http *"],
    ['import { randomBytes } from "node:crypto";', "node:crypto randomBytes"],
    ['await import("node:net");', "node:net *"],
  ])("pure: %s", (text, reached) => {
    const wrong = ["edit/some.ts", "check/lint.ts"].flatMap((file) => wrongIn(file, text));
    expect(wrong).toEqual([`edit/some.ts is to be pure: ${reached}`, `check/lint.ts is to be pure: ${reached}`]);
  });

  it("what is allowed stays so", () => {
    const text = [
      'import { constants, openSync, readFileSync, type Stats } from "node:fs";',
      'import type { FSWatcher } from "node:fs";',
      "openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));",
      "openSync(path);",
      'const words = "import(x) Date.now() fetch()"; // rmSync(path), Math.random()',
    ].join("\n");
    expect(wrongIn("serve/some.ts", text)).toEqual([]);
    const pure =
      "const at: Date = { fetch: Math.max(1, date.performance) } as Date;\nitem.Date; type Now = typeof Date;";
    expect(wrongIn("edit/some.ts", pure)).toEqual([]);
  });
});

function findCycle(): string[] | null {
  const done = new Set<string>();
  const visit = (file: string, trail: readonly string[]): string[] | null => {
    if (trail.includes(file)) return [...trail.slice(trail.indexOf(file)), file];
    if (done.has(file)) return null;
    for (const next of importedFiles(file, source(file), { types: false })) {
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
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter(
      (entry) =>
        entry.isFile() && /\.[cm]?[jt]sx?$/.test(entry.name) && !/node_modules|scenarios/.test(entry.parentPath),
    )
    .map((entry) => relative(root, join(entry.parentPath, entry.name)));
}
