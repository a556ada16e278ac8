// Makes stet.mcpb, the bundle that desktop clients install. `npm run mcpb` makes one for every platform: it locks like the package
// from npm, so that both can work in one directory, but searches in JavaScript and checks no JavaScript syntax.
// `npm run mcpb -- --native` makes one for this platform, with all native programs and the grammars.
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { packExtension, validateManifest } from "@anthropic-ai/mcpb";
import { bundleProgram } from "./bundle.mjs";

/** Found by name when a call needs them, so they cannot be in the program itself. */
const PLAIN = ["fs-native-extensions", "iconv-lite", "unpdf"];
const NATIVE = ["@vscode/ripgrep", "@vscode/tree-sitter-wasm", "oxc-parser", "web-tree-sitter"];

const root = fileURLToPath(new URL("..", import.meta.url));
const { values, positionals } = parseArgs({ options: { native: { type: "boolean" } }, allowPositionals: true });
const output = resolve(positionals[0] ?? join(root, "stet.mcpb"));

const aside = join(root, "node_modules", ".cache");
mkdirSync(aside, { recursive: true });
const folder = mkdtempSync(join(aside, "stet-mcpb-"));
try {
  const { version, description } = readJson(join(root, "package.json"));
  const manifest = readJson(join(root, "packaging/mcpb/manifest.json"));
  const platforms = values.native ? [process.platform] : manifest.compatibility.platforms;
  const compatibility = { ...manifest.compatibility, platforms };
  const filled = { ...manifest, version, description, compatibility };
  writeFileSync(join(folder, "manifest.json"), JSON.stringify(filled, null, 2));
  cpSync(join(root, "LICENSE"), join(folder, "LICENSE"));
  await bundleProgram(join(folder, "server"), { loadedLater: [...PLAIN, ...NATIVE] });
  for (const name of closure([...PLAIN, ...(values.native ? NATIVE : [])])) {
    const source = join(root, "node_modules", name);
    const filter = (file) => !isForOthers(relative(source, file));
    cpSync(source, join(folder, "server/node_modules", name), { recursive: true, filter });
  }
  const packed =
    validateManifest(join(folder, "manifest.json")) &&
    (await packExtension({ extensionPath: folder, outputPath: output, silent: true }));
  if (packed) console.log(output);
  process.exitCode = packed ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** These packages and all that they need; optional ones for other platforms are not installed here. */
function closure(names, found = new Set()) {
  for (const name of names) {
    const file = join(root, "node_modules", name, "package.json");
    if (found.has(name) || !existsSync(file)) continue;
    found.add(name);
    const { dependencies = {}, optionalDependencies = {} } = readJson(file);
    closure([...Object.keys(dependencies), ...Object.keys(optionalDependencies)], found);
  }
  return found;
}

/** Of a package that brings its builds for all platforms: those that no desktop has, and those for another runtime than Node. */
function isForOthers(path) {
  const [top, platform, file = ""] = path.split(/[\\/]/);
  if (top !== "prebuilds" || platform === undefined) return false;
  return !/^(?:darwin|linux|win32)-/.test(platform) || file.endsWith(".bare");
}

function readJson(file) {
  return JSON.parse(readFileSync(file, "utf8"));
}
