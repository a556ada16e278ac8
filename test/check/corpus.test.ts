// Files that are known to be whole: nothing is found in them, however their strings and comments look.
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { eachDelimiter } from "../../src/check/delimiters/scan.ts";
import { languageOf } from "../../src/check/language.ts";
import { pythonLayout } from "../../src/check/parsers/python-layout.ts";

const HEAVY = process.env.STET_HEAVY === "1";
const modules = fileURLToPath(new URL("../../node_modules/", import.meta.url));

describe("whole files of other people", () => {
  it("JavaScript, TypeScript and CSS: delimiters balance without a parser", () => {
    const files = filesBelow(modules, new Set([".ts", ".css", ".mts", ".cts"]));
    const some = files.filter((_, n) => n % Math.ceil(files.length / (HEAVY ? 3000 : 150)) === 0);
    expect(some.length).toBeGreaterThan(100);
    for (const file of some) expect(balance(file), file).toEqual({ "{": 0, "(": 0, "[": 0 });
  });

  it.runIf(HEAVY)("Python: what its own parser takes has no wrong layout (skipped without python3)", () => {
    const valid = validPython();
    for (const file of valid) expect(pythonLayout(readFileSync(file, "utf8")) ?? [], file).toEqual([]);
  });
});

function filesBelow(directory: string, extensions: ReadonlySet<string>): string[] {
  const entries = readdirSync(directory, { withFileTypes: true, recursive: true });
  return entries
    .filter((entry) => entry.isFile() && extensions.has(extname(entry.name)))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

function balance(file: string): Record<string, number> {
  const open: Record<string, number> = { "{": 0, "(": 0, "[": 0 };
  const opener: Record<string, string> = { "}": "{", ")": "(", "]": "[" };
  eachDelimiter(readFileSync(file, "utf8"), languageOf(file).lexis!, (mark) => {
    const of = opener[mark] ?? mark;
    open[of]! += of === mark ? 1 : -1;
  });
  return open;
}

/** The modules that come with Python, as far as it parses them itself. */
function validPython(): string[] {
  const program =
    "import ast, os, sysconfig, warnings\nwarnings.simplefilter('ignore')\nfor d, _, fs in os.walk(sysconfig.get_paths()['stdlib']):\n  for f in fs:\n    p = os.path.join(d, f)\n    if not f.endswith('.py') or 'packages' in p or len(p) % 4: continue\n    try: ast.parse(open(p, encoding='utf8').read()); print(p)\n    except Exception: pass";
  try {
    return execFileSync("python3", ["-c", program], { encoding: "utf8", maxBuffer: 1 << 26 })
      .trim()
      .split("\n");
  } catch {
    return [];
  }
}
