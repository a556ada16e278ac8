// What kind of text a path holds, which parser judges it, and how its strings and comments look.

/** `code` can be damaged in ways that matter; in `data` and `prose` repeated lines are ordinary. */
type Kind = "code" | "data" | "prose" | "unknown";

export type ParserName = "oxc" | "json" | "jsonc" | "jsonl" | "yaml" | "toml" | "tree-sitter";

/** What to skip when counting delimiters. */
export type Lexis = readonly Skip[];
export type Skip =
  | "//"
  | "/* */"
  | "#"
  | "--"
  | "--[[ ]]"
  | ";"
  | "<# #>"
  | '"""'
  | "'''"
  | "[[ ]]"
  | '"'
  | "'"
  | "char"
  | "`";

export interface Language {
  readonly name: string;
  readonly kind: Kind;
  readonly parser?: ParserName;
  /** The tree-sitter grammar, when that is the parser. */
  readonly grammar?: string;
  /** Absent where counting delimiters says nothing. */
  readonly lexis?: Lexis;
  /** Macros, or syntax newer than the grammar, make good code look broken to it: its verdict needs a second witness. */
  readonly doubtful?: true;
  /** Has `#if` and `#else`, of which only one branch counts. */
  readonly directives?: true;
}

/** The language of a path, by its name alone. */
export function languageOf(path: string): Language {
  const name = path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1).toLowerCase();
  const named = BY_NAME.get(name);
  if (named) return named;
  const dot = name.lastIndexOf(".");
  const extension = dot === -1 ? "" : name.slice(dot + 1);
  if (extension === "json" && holdsComments(path, name)) return JSONC;
  return BY_EXTENSION.get(extension) ?? UNKNOWN;
}

/** JSON files whose own tools read comments and trailing commas. */
function holdsComments(path: string, name: string): boolean {
  if (/(?:^|[\\/])\.(?:vscode|devcontainer|zed)[\\/][^\\/]*$/i.test(path)) return true;
  if (/^(?:ts|js)config(?:\..+)?\.json$/.test(name)) return true;
  return COMMENTED_JSON.has(name);
}

const COMMENTED_JSON: ReadonlySet<string> = new Set([
  ".eslintrc.json",
  ".jshintrc.json",
  ".swcrc.json",
  "api-extractor.json",
  "babel.config.json",
  "deno.json",
  "devcontainer.json",
  "keybindings.json",
  "language-configuration.json",
  "nx.json",
  "rush.json",
  "settings.json",
  "turbo.json",
  "typedoc.json",
  "wrangler.json",
]);

const C_LIKE: Lexis = ["//", "/* */", '"', "char"];
const C_TRIPLE: Lexis = ["//", "/* */", '"""', '"', "char"];
const C_QUOTES: Lexis = ["//", "/* */", '"', "'"];
const SCRIPT: Lexis = ["//", "/* */", '"', "'", "`"];
const HASH: Lexis = ["#", '"', "'"];
const HASH_TRIPLE: Lexis = ["#", '"""', "'''", '"', "'"];

const UNKNOWN: Language = { name: "unknown", kind: "unknown" };
const JSONC: Language = { name: "jsonc", kind: "data", parser: "jsonc" };

// No PowerShell grammar although there is one: compiling it keeps a core busy for seven seconds and holds up exit.
// Shell and Perl without delimiters: `case` arms close parentheses that nothing opened, patterns hold anything.
const LANGUAGES: readonly (readonly [Language, string])[] = [
  [{ name: "javascript", kind: "code", parser: "oxc", lexis: SCRIPT }, "js mjs cjs jsx"],
  [{ name: "typescript", kind: "code", parser: "oxc", lexis: SCRIPT }, "ts mts cts tsx"],
  [{ name: "json", kind: "data", parser: "json" }, "json geojson webmanifest ipynb har avsc topojson"],
  [JSONC, "jsonc code-workspace code-snippets swcrc babelrc jshintrc"],
  [{ name: "jsonl", kind: "data", parser: "jsonl" }, "jsonl ndjson"],
  [{ name: "yaml", kind: "data", parser: "yaml" }, "yaml yml"],
  [{ name: "toml", kind: "data", parser: "toml" }, "toml"],
  [treeSitter("python", HASH_TRIPLE), "py pyi pyw"],
  [treeSitter("go", ["//", "/* */", '"', "char", "`"]), "go"],
  [{ ...treeSitter("rust", C_LIKE), doubtful: true }, "rs"],
  [treeSitter("java", C_TRIPLE), "java"],
  [{ ...treeSitter("cpp", C_LIKE), doubtful: true, directives: true }, "c h cc cpp cxx hh hpp hxx"],
  [treeSitter("c-sharp", C_TRIPLE), "cs"],
  [treeSitter("ruby", HASH), "rb rake gemspec ru"],
  [treeSitter("php", ["//", "/* */", "#", '"', "'"]), "php"],
  [{ ...treeSitter("css", ["/* */", '"', "'"]), doubtful: true }, "css"],
  [treeSitter("bash"), "sh bash"],
  [plain("c-family", C_LIKE), "m mm zig glsl vert frag hlsl wgsl metal cu cuh d"],
  [plain("c-family", C_TRIPLE), "kt kts scala sc swift"],
  [plain("c-family", ["//", "/* */", '"""', "'''", '"', "'"]), "dart groovy gradle"],
  [plain("c-family", C_QUOTES), "proto sol scss less thrift jsonnet"],
  [plain("terraform", ["//", "/* */", "#", '"']), "tf tfvars hcl"],
  [plain("graphql", ["#", '"""', '"']), "graphql gql"],
  [plain("elixir", HASH_TRIPLE), "ex exs"],
  [plain("julia", ["#", '"""', '"', "char"]), "jl"],
  [plain("r", HASH), "r"],
  [plain("lua", ["--[[ ]]", "--", "[[ ]]", '"', "'"]), "lua luau"],
  [plain("sql", ["--", "/* */", '"', "'"]), "sql"],
  [plain("powershell", ["<# #>", "#", '"', "'"]), "ps1 psm1 psd1"],
  [plain("clojure", [";", '"']), "clj cljs cljc edn"],
  [plain("other code"), "pl pm zsh fish ksh vue svelte astro hs ml mli fs fsx erl vb nim nix cr vim el lisp scm rkt"],
  [{ name: "data", kind: "data" }, "csv tsv xml svg ini cfg conf properties env lock json5 po pot"],
  [{ name: "prose", kind: "prose" }, "md mdx markdown txt rst adoc asciidoc org tex text log html htm"],
];

const BY_EXTENSION: ReadonlyMap<string, Language> = new Map(
  LANGUAGES.flatMap(([language, extensions]) => extensions.split(" ").map((one) => [one, language] as const)),
);

const BY_NAME: ReadonlyMap<string, Language> = new Map([
  ...["rakefile", "gemfile", "vagrantfile", "podfile", "fastfile"].map((name) => [name, extension("rb")] as const),
  ...[".bashrc", ".bash_profile", ".profile", ".bash_aliases"].map((name) => [name, extension("sh")] as const),
  ...["dockerfile", "makefile", "gnumakefile", "cmakelists.txt"].map((name) => [name, extension("pl")] as const),
  ...["requirements.txt", ".env", ".gitignore"].map((name) => [name, extension("csv")] as const),
  ["jenkinsfile", extension("groovy")] as const,
  [".eslintrc", JSONC] as const,
]);

function extension(name: string): Language {
  return BY_EXTENSION.get(name) ?? UNKNOWN;
}

function treeSitter(grammar: string, lexis?: Lexis): Language {
  return { name: grammar, kind: "code", parser: "tree-sitter", grammar, ...(lexis && { lexis }) };
}

function plain(name: string, lexis?: Lexis): Language {
  return { name, kind: "code", ...(lexis && { lexis }) };
}
