// The command line as three files: the launcher, everything it runs in one program that starts fast, and the program of its workers.
import { createHash } from "node:crypto";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { notices } from "./notices.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));

/** Native, large, or wanted by few calls: loaded from node_modules when a call needs them. */
const LOADED_LATER = [
  "@vscode/ripgrep",
  "@vscode/tree-sitter-wasm",
  "fs-native-extensions",
  "iconv-lite",
  "image-size",
  "jose",
  "oxc-parser",
  "pg",
  "smol-toml",
  "unpdf",
  "web-tree-sitter",
  "yaml",
];

export async function bundleProgram(folder, { entry = "src/cli/main.ts", loadedLater = LOADED_LATER } = {}) {
  mkdirSync(folder, { recursive: true });
  const program = await bundle(entry, { external: loadedLater, define: { STET_VERSION: JSON.stringify(version) } });
  const code = withLatePrelude(program.code, loadedLater);
  writeFileSync(join(folder, "program.cjs"), code);
  const worker = await bundle("src/kernel/worker.ts", { external: loadedLater });
  writeFileSync(join(folder, "worker.cjs"), withLatePrelude(worker.code, loadedLater));
  const STET_BUILD = JSON.stringify(createHash("sha256").update(code).digest("hex").slice(0, 16));
  const launcher = await bundle("src/cli/launch.ts", { define: { STET_BUILD } });
  writeFileSync(join(folder, "stet.cjs"), `#!/usr/bin/env node\n${launcher.code}`);
  chmodSync(join(folder, "stet.cjs"), 0o755);
  writeFileSync(join(folder, "NOTICES.txt"), notices(Object.keys(program.metafile.inputs), "program.cjs"));
  return program.metafile;
}

async function bundle(entry, { external = [], define = {} }) {
  const { outputFiles, metafile } = await build({
    absWorkingDir: root,
    entryPoints: [entry],
    bundle: true,
    write: false,
    metafile: true,
    platform: "node",
    format: "cjs",
    target: "node20",
    external,
    alias: { "@modelcontextprotocol/server/_shims": join(root, "scripts/mcp-shims.mjs") },
    // CommonJS has no import.meta.
    define: { "import.meta.url": "stetModuleUrl", "import.meta.dirname": "__dirname", ...define },
    mainFields: ["module", "main"],
    // Names and lines stay, so that stack traces can be read.
    minifySyntax: true,
    minifyWhitespace: true,
    lineLimit: 200,
    legalComments: "none",
    logLevel: "warning",
  });
  return { code: outputFiles[0].text.replace(/^#!.*\n/, ""), metafile };
}

/**
 * What few calls need is loaded with the first use of it, and the rest is wrapped for `import` once: the bundler would copy
 * all names of `fs` for each file that imports it.
 */
function withLatePrelude(code, loadedLater) {
  return (
    PRELUDE +
    code
      .replaceAll(/\bstetModuleUrl\b/g, "stetModuleUrl()")
      .replaceAll(/\bimport\("([^"]+)"\)/g, (found, name) =>
        loadedLater.includes(name) ? `stetImport("${name}")` : found,
      )
      .replaceAll(/\b(import_node_\w+)=require\("(node:(?:child_process|worker_threads))"\)/g, '$1=stetLater("$2")')
      .replaceAll(/\b__toESM\(require\("(node:\w+)"\),1\)/g, 'stetBuiltin("$1")')
  );
}

const PRELUDE = `const stetBuiltins={};
const stetImport=module.stetImport??((name)=>import(name));
function stetModuleUrl(){return require("node:url").pathToFileURL(__filename).href}
function stetBuiltin(name){return stetBuiltins[name]??=Object.create(require(name),{default:{value:require(name)}})}
function stetLater(name){return new Proxy({},{get:(_,key)=>stetBuiltin(name)[key]})}
`;
