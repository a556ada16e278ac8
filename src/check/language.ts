// What kind of text a path holds, which parser judges it, and how its strings and comments look.
import * as lexis from "./delimiters/lexis.ts";
import type { Lexis } from "./delimiters/scan.ts";

/** `code` can be damaged in ways that matter; in `data` and `prose` repeated lines are ordinary. */
type Kind = "code" | "data" | "prose" | "unknown";

export type ParserName = "oxc" | "json" | "jsonc" | "jsonl" | "yaml" | "toml" | "tree-sitter" | "python" | Tagged;

type Tagged = "html" | "vue" | "xml";

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

const UNKNOWN: Language = { name: "unknown", kind: "unknown" };
const JSONC: Language = { name: "jsonc", kind: "data", parser: "jsonc" };

// No PowerShell grammar although there is one: compiling it keeps a core busy for seven seconds and holds up exit.
// Shell and Perl without delimiters: `case` arms close parentheses that nothing opened, patterns hold anything.
const LANGUAGES: readonly (readonly [Language, string])[] = [
  [{ name: "javascript", kind: "code", parser: "oxc", lexis: lexis.SCRIPT }, "js mjs cjs jsx"],
  [{ name: "typescript", kind: "code", parser: "oxc", lexis: lexis.SCRIPT }, "ts mts cts tsx"],
  [{ name: "json", kind: "data", parser: "json" }, "json geojson webmanifest ipynb har avsc topojson"],
  [JSONC, "jsonc code-workspace code-snippets swcrc babelrc jshintrc"],
  [{ name: "jsonl", kind: "data", parser: "jsonl" }, "jsonl ndjson"],
  [{ name: "yaml", kind: "data", parser: "yaml" }, "yaml yml"],
  [{ name: "toml", kind: "data", parser: "toml" }, "toml"],
  [{ name: "python", kind: "code", parser: "python", lexis: lexis.PYTHON }, "py pyi pyw"],
  [treeSitter("go", lexis.GO), "go"],
  [{ ...treeSitter("rust", lexis.RUST), doubtful: true }, "rs"],
  [treeSitter("java", lexis.JAVA), "java"],
  [{ ...treeSitter("cpp", lexis.C), doubtful: true, directives: true }, "c h cc cpp cxx hh hpp hxx"],
  [treeSitter("c-sharp", lexis.CSHARP), "cs"],
  [treeSitter("ruby", lexis.RUBY), "rb rake gemspec ru"],
  [treeSitter("php", lexis.PHP), "php"],
  [{ ...treeSitter("css", lexis.CSS), doubtful: true }, "css"],
  [treeSitter("bash"), "sh bash"],
  [{ ...plain("c-family", lexis.C), directives: true }, "m mm glsl vert frag hlsl wgsl metal cu cuh"],
  [plain("kotlin", lexis.KOTLIN), "kt kts"],
  [plain("scala", lexis.KOTLIN), "scala sc"],
  [plain("swift", lexis.SWIFT), "swift"],
  [plain("dart", lexis.DART), "dart"],
  [plain("groovy", lexis.GROOVY), "groovy gradle nf"],
  [plain("zig", lexis.ZIG), "zig"],
  [plain("d", lexis.D), "d"],
  [plain("scss", lexis.SCSS), "scss"],
  [plain("less", lexis.LESS), "less"],
  [plain("c-family", lexis.QUOTES), "proto sol"],
  [plain("thrift", lexis.THRIFT), "thrift"],
  [plain("jsonnet", lexis.JSONNET), "jsonnet libsonnet"],
  [plain("terraform", lexis.TERRAFORM), "tf tfvars hcl"],
  [plain("graphql", lexis.GRAPHQL), "graphql gql"],
  [plain("elixir", lexis.ELIXIR), "ex exs"],
  [plain("julia", lexis.JULIA), "jl"],
  [plain("r", lexis.R), "r"],
  [plain("lua", lexis.LUA), "lua"],
  // Its `if` may be a value, without an end.
  [plain("luau", lexis.LUA), "luau"],
  [plain("sql", lexis.SQL), "sql"],
  [plain("powershell", lexis.POWERSHELL), "ps1 psm1 psd1"],
  [plain("clojure", lexis.CLOJURE), "clj cljs cljc edn"],
  [plain("other code"), "pl pm zsh fish ksh svelte astro hs ml mli fs fsx erl vb nim nix cr vim el lisp scm rkt"],
  [{ name: "data", kind: "data" }, "csv tsv ini cfg conf properties env lock json5 po pot"],
  [{ name: "html", kind: "prose", parser: "html" }, "html htm xhtml"],
  [{ name: "vue", kind: "code", parser: "vue" }, "vue"],
  [{ name: "xml", kind: "data", parser: "xml" }, "xml svg xsd xsl xslt plist csproj props targets resx xaml"],
  [{ name: "prose", kind: "prose" }, "md mdx markdown txt rst adoc asciidoc org tex text log"],
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
