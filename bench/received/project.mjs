// The project that every server is asked about: small, ordinary, every line different.
import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

export const FILE = "src/settings.ts";
export const OLD = "setting40 = 117;";
export const NEW = "setting40 = 118;";
export const ABSENT = "setting41 = 999;";
/** Of an edit after the file was changed by somebody else. */
export const LATER = { old: "setting60 = 177;", new: "setting60 = 178;" };
export const SEARCHED = "retries";
export const CREATED = { path: "src/created.ts", content: "export const created = true;\n" };

export function makeProject() {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "stet-received-")));
  for (const [path, content] of Object.entries(files())) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  }
  return root;
}

function files() {
  const parts = Array.from({ length: 12 }, (_, n) => `part${n + 1}`);
  return {
    "package.json": '{ "name": "project", "private": true }\n',
    "README.md": "# Project\n\nSome words about it.\n",
    [FILE]: lines(100, (n) => `export const setting${n + 1} = ${n * 3}; // used by part ${n % 7}`),
    ...Object.fromEntries(parts.map((name, n) => [`src/${name}.ts`, part(name, n)])),
    ...Object.fromEntries(parts.map((name) => [`test/${name}.test.ts`, `import "../src/${name}.ts";\n`])),
  };
}

/** @param {string} name @param {number} n */
function part(name, n) {
  const body = lines(20, (line) => `  const step${line} = ${n * 100 + line};`);
  return `export function ${name}() {\n${body}  const ${SEARCHED} = ${n};\n  return ${SEARCHED};\n}\n`;
}

/** @param {number} count @param {(n: number) => string} line */
function lines(count, line) {
  return `${Array.from({ length: count }, (_, n) => line(n)).join("\n")}\n`;
}
