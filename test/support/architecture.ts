// The rules of the architecture: which folder may import which, who may write files, and what pure code may not reach for.
import { isBuiltin } from "node:module";
import { dirname, join } from "node:path";
import { type Import, type SourceFacts, sourceFacts } from "./source-facts.ts";

/**
 * The folders of src/, from the ground up: a file imports its own folder and layers below its own, never one beside it.
 * A file or folder inside one of them may stand elsewhere: a public entry that puts parts together, the page's two ends.
 * Of the backends each imports only itself and what lies beside the folders of backends.
 */
export const LAYERS: readonly (readonly string[])[] = [
  ["core", "processes", "page/wire.ts"],
  ["api", "words"],
  ["edit", "backends"],
  ["check", "page/client"],
  ["kernel"],
  ["search"],
  ["workspaces"],
  ["surfaces", "testing"],
  ["serve", "adapters"],
  ["page/server"],
  ["fleet", "serve/index.ts"],
  ["cli", "index.ts"],
];

/** The most lines that each folder of src/, and some in them, may have. They only go down: what makes a folder longer takes as much away. */
export const BUDGETS: Readonly<Record<string, number>> = {
  adapters: 1757,
  api: 106,
  backends: 12087,
  "backends/disk": 5367,
  "backends/journal": 873,
  "backends/postgres": 5087,
  check: 1296,
  cli: 6002,
  core: 1299,
  edit: 6656,
  fleet: 571,
  kernel: 5697,
  page: 5800,
  "page/client": 3643,
  "page/server": 1899,
  processes: 176,
  search: 2294,
  serve: 4063,
  surfaces: 8182,
  testing: 1068,
  words: 1823,
  workspaces: 273,
};

export function layerOf(file: string): number {
  return LAYERS.findIndex((folders) => folders.includes(placeOf(file)));
}

/** The folder by which a file has its layer, or the file itself. */
function placeOf(file: string): string {
  const own = LAYERS.flat().filter((each) => each.includes("/") && `${file}/`.startsWith(`${each}/`));
  return own[0] ?? file.split("/")[0]!;
}

/** Every folder with those that it really imports, from the top down: the picture in docs/ARCHITECTURE.md. */
export function drawnImports(texts: ReadonlyMap<string, string>): string {
  const lines = LAYERS.flat().map((folder) => {
    const own = [...texts].filter(([file]) => placeOf(file) === folder);
    const targets = own.flatMap(([file, text]) => importedFiles(file, text, { types: true }));
    const imported = new Set(targets.map(placeOf));
    const others = LAYERS.flat().filter((each) => each !== folder && imported.has(each));
    return `${folder.padEnd(15)}${others.length > 0 ? `─▶ ${others.reverse().join(", ")}` : ""}`.trimEnd();
  });
  return lines.reverse().join("\n");
}

/** Besides the disk backend: never files of a workspace. Copies to search in, configurations, compiled code, what doctor tries out, rules handed to ripgrep. */
const OTHER_WRITERS = [
  "backends/postgres/mirror/copies.ts",
  "backends/postgres/mirror/tree.ts",
  "search/ripgrep.ts",
  "cli/install/owner-file.ts",
  "cli/doctor/root.ts",
  "cli/launch.ts",
];

/** What everybody else may take from node:fs, by these names only. Nothing here can change a file. */
const READS =
  /^(?:(?:access|close|exists|fstat|lstat|read|readFile|readdir|readlink|realpath|stat|statfs)(?:Sync)?|openSync|constants|watch)$/;

/** Languages that the page shows in colour. */
const COLOURED = [
  ...["bash", "cpp", "css", "go", "ini", "java", "javascript", "json", "markdown"],
  ...["python", "rust", "sql", "typescript", "xml", "yaml"],
];

/** What may be taken from outside src/, by its exact name; all rules that fit a file add up. No other package, nor stet by its own name. */
export const OUTSIDE: readonly (readonly [files: RegExp, names: readonly string[]])[] = [
  [/^core\//, ["node:crypto", "node:timers/promises"]],
  [/^api\/options\.ts$/, ["zod"]],
  [/^(?:api\/options|edit\/text\/similarity)\.ts$/, ["fastest-levenshtein"]],
  [/^check\//, ["jsonc-parser", "oxc-parser", "smol-toml", "web-tree-sitter", "yaml"]],
  [/^processes\/oxc\.ts$/, ["oxc-parser", "node:module", "node:path", "node:url"]],
  [/^kernel\//, ["node:buffer", "node:crypto", "node:timers/promises"]],
  [/^kernel\/policy\/input\.ts$/, ["zod"]],
  [/^kernel\/worker\.ts$/, ["node:worker_threads"]],
  [/^processes\/worker\.ts$/, ["node:child_process", "node:fs", "node:path", "node:url", "node:worker_threads"]],
  [/^kernel\/text\/encoding\.ts$/, ["node:module", "iconv-lite"]],
  [/^search\//, ["node:buffer", "node:fs", "node:os", "node:path", "ignore", "picomatch"]],
  [/^search\/ripgrep\.ts$/, ["node:child_process", "@vscode/ripgrep"]],
  [/^search\/fallback\.ts$/, ["node:worker_threads"]],
  [/^backends\//, ["node:crypto"]],
  [/^backends\/disk\//, ["node:buffer", "node:fs", "node:path", "node:timers/promises"]],
  [/^backends\/disk\/(?:home|lock|mark)\.ts$/, ["node:os"]],
  [/^backends\/disk\/native\.ts$/, ["node:module", "fs-native-extensions"]],
  [/^testing\//, ["node:assert/strict", "node:test"]],
  [/^backends\/postgres\//, ["node:buffer", "node:timers/promises"]],
  [/^backends\/postgres\/connection\/client\.ts$/, ["pg"]],
  [/^backends\/postgres\/mirror\//, ["node:fs", "node:path"]],
  [/^testing\/index\.ts$/, ["node:crypto"]],
  [/^workspaces\//, ["node:fs", "node:path"]],
  [/^surfaces\//, ["node:path", "zod"]],
  [/^surfaces\/compact\/media\.ts$/, ["image-size"]],
  [/^surfaces\/compact\/pdf\.ts$/, ["node:module", "node:url"]],
  [/^serve\//, ["node:buffer", "node:crypto", "node:fs"]],
  [/^serve\//, ["node:stream", "node:timers/promises", "@modelcontextprotocol/server"]],
  [/^serve\/stdio\/stdio\.ts$/, ["@modelcontextprotocol/server/stdio"]],
  [/^serve\/http\//, ["node:http", "node:net", "@modelcontextprotocol/node"]],
  [/^serve\/http\/access\/jwt\.ts$/, ["jose"]],
  [/^adapters\/native\//, ["zod"]],
  [/^adapters\/tools\.ts$/, ["node:events"]],
  [/^adapters\/parts\/anthropic-runnable\.ts$/, ["@anthropic-ai/sdk/lib/tools/ToolError"]],
  [/^adapters\/claude\.ts$/, ["@modelcontextprotocol/server"]],
  [/^adapters\/parts\/loaded-copy\.ts$/, ["node:module"]],
  [/^adapters\/parts\/openai-sdk\.ts$/, ["@openai/agents"]],
  [/^adapters\/langchain\.ts$/, ["@langchain/core/messages", "@langchain/core/tools"]],
  [/^page\/server\//, ["node:crypto", "node:fs", "node:http", "node:path", "node:timers/promises"]],
  [/^page\/server\/assets\.ts$/, ["node:url", "node:zlib"]],
  [/^page\/server\/answer\.ts$/, ["node:zlib"]],
  [/^page\/client\//, ["preact", "preact/hooks", "@preact/signals"]],
  [/^page\/client\/diff\/worker\.ts$/, ["lowlight", ...COLOURED.map((name) => `highlight.js/lib/languages/${name}`)]],
  [/^fleet\//, ["node:crypto", "node:timers/promises"]],
  [/^cli\//, ["node:buffer", "node:crypto", "node:fs", "node:os", "node:path", "node:url"]],
  [/^cli\//, ["node:util", "fastest-levenshtein", "jsonc-parser", "smol-toml", "zod"]],
  [/^cli\/doctor\/machine\.ts$/, ["node:child_process", "@vscode/ripgrep"]],
  [/^cli\/install\/try-out\.ts$/, ["node:child_process"]],
  [/^cli\/launch\.ts$/, ["node:module", "node:v8", "node:vm"]],
];

/** Programs that load what they are told to: the start of the command line, and a suite that finds its own runner. */
const LOADERS = ["cli/launch.ts", "testing/index.ts"];
/** Names by which code is loaded past `import`. These files use them: for packages that load late, or that may be missing. */
const LOADING = ["createRequire", "require", "getBuiltinModule", "binding", "_linkedBinding", "dlopen", "_load"];
const MAY_LOAD = [
  ...["cli/launch.ts", "kernel/text/encoding.ts"],
  ...["backends/disk/native.ts", "surfaces/compact/pdf.ts", "processes/oxc.ts", "check/tree-sitter.ts"],
  "adapters/parts/loaded-copy.ts",
];

/** What single pure files may use all the same: grammars are found through node:module, and parsing is given up by the clock. */
const PURE_BUT: Readonly<Record<string, readonly string[]>> = {
  "edit/anchors/lines.ts": ["node:crypto hash"],
  "check/tree-sitter.ts": ["node:module createRequire", "performance.now"],
};
const WORLD =
  /^(?:Date|performance|fetch|process|setTimeout|setInterval|setImmediate|queueMicrotask|console|crypto|navigator|WebSocket|EventSource|XMLHttpRequest|Worker|MessageChannel|BroadcastChannel|scheduler|localStorage|Intl|Temporal|self|globalThis|global|eval|Function)(?:\.|$)|^Math(?:\.random)?$/;

/** Everything that is wrong with one source file, in words; nothing when all is well. */
export function wrongIn(file: string, text: string): string[] {
  const facts = sourceFacts(file, text);
  return [
    ...wrongDirections(file, facts),
    ...wrongWriters(file, facts),
    ...wrongLoaders(file, facts),
    ...impurities(file, facts),
    ...strangers(file, facts),
  ];
}

/** The files of src/ that a file imports; without those of which only types are taken, if told so. */
export function importedFiles(file: string, text: string, options: { readonly types: boolean }): string[] {
  return ownImports(file, sourceFacts(file, text))
    .filter(({ way }) => options.types || way !== "type")
    .map(({ target }) => target);
}

function wrongDirections(file: string, facts: SourceFacts): string[] {
  if (layerOf(file) === -1) return [`${file} is in no layer`];
  const wrong = ownImports(file, facts).filter(({ target }) => !mayImport(file, target));
  return wrong.map(({ target }) => `${file} -> ${target}`);
}

function mayImport(file: string, target: string): boolean {
  const [folder, part] = file.split("/");
  const [, itsPart] = target.split("/");
  if (placeOf(file) !== placeOf(target)) return layerOf(target) !== -1 && layerOf(target) < layerOf(file);
  return folder !== "backends" || part === itsPart || !BACKENDS.includes(itsPart!);
}

/** Those that a workspace can live in; the rest of the folder is what they have in common. */
const BACKENDS = ["disk", "memory", "postgres"];

function wrongWriters(file: string, facts: SourceFacts): string[] {
  if (file.startsWith("backends/disk/") || OTHER_WRITERS.includes(file)) return [];
  const taken = facts.imports.filter(
    ({ from, way }) => way !== "type" && /^(?:node:)?fs(?:\/promises)?$/.test(from ?? ""),
  );
  const names = taken.flatMap(({ way, names: all }) => (way === "dynamic" ? ["*"] : all));
  return [
    ...names.filter((name) => !READS.test(name)).map((name) => `${file} takes ${name} from node:fs`),
    ...(facts.opensToReadOnly ? [] : [`${file} may open a file to write it`]),
  ];
}

function wrongLoaders(file: string, { imports, uses, words }: SourceFacts): string[] {
  const unknown = imports.some(({ from }) => from === null) || uses.has("eval") || uses.has("Function");
  return [
    ...(unknown && !LOADERS.includes(file) ? [`${file} loads what only running it tells`] : []),
    ...(MAY_LOAD.includes(file) ? [] : LOADING.filter((name) => words.has(name)).map((name) => `${file} has ${name}`)),
  ];
}

function impurities(file: string, { imports, uses }: SourceFacts): string[] {
  if (!isPure(file)) return [];
  const built = imports.filter(({ from, way }) => way !== "type" && isOfNode(from));
  const reached = [
    ...built.flatMap(({ from, names }) => (names.length === 0 ? ["*"] : names).map((name) => `${from} ${name}`)),
    ...[...uses].filter((name) => WORLD.test(name)),
  ];
  return reached
    .filter((each) => PURE_BUT[file]?.includes(each) !== true)
    .map((each) => `${file} is to be pure: ${each}`);
}

function strangers(file: string, { imports }: SourceFacts): string[] {
  const known = OUTSIDE.flatMap(([files, names]) => (files.test(file) ? names : []));
  const outside = imports.flatMap(({ from }) => (from === null || from.startsWith(".") ? [] : [from]));
  return outside
    .filter((from) => !known.includes(asNode(from)) && !(isPure(file) && isOfNode(from)))
    .map((from) => `${file} -> ${from}`);
}

/** What pure code may take of Node is said by name, in PURE_BUT. */
function isPure(file: string): boolean {
  return /^(?:edit|check)\//.test(file);
}

function ownImports(file: string, { imports }: SourceFacts): (Import & { readonly target: string })[] {
  return imports.flatMap((each) =>
    each.from?.startsWith(".") ? [{ ...each, target: join(dirname(file), each.from) }] : [],
  );
}

/** Not by `builtinModules`: whether that lists what only has a name with node: depends on the version. */
function asNode(from: string): string {
  return from.startsWith("node:") || !isBuiltin(from) ? from : `node:${from}`;
}

function isOfNode(from: string | null): boolean {
  return from !== null && (from.startsWith("node:") || isBuiltin(from));
}
