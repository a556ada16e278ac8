// Languages by file name: the kind of text, its parser, and how its strings and comments look.
import * as lexis from "./lexis.ts";
import type { Lexis } from "./scan.ts";

/** Repeated lines may be damage in `code`, and are ordinary in `data` and `prose`. */
type Kind = "code" | "data" | "prose" | "unknown";

export type ParserName = "oxc" | "json" | "jsonc" | "jsonl" | "yaml" | "toml" | "tree-sitter" | "python";

export interface Language {
  /** Also the name of the tree-sitter grammar, if that is the parser. */
  readonly name: string;
  readonly kind: Kind;
  readonly parser?: ParserName;
  /** Absent if counting delimiters is of no use. */
  readonly lexis?: Lexis;
  /** Has `#if` and `#else`: only the first branch is counted. */
  readonly directives?: true;
}

/** Returns the language of a path, by its name alone. */
export function languageOf(path: string): Language {
  const name = path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1).toLowerCase();
  const extension = EXTENSION_OF.get(name) ?? /\.([^.]*)$/.exec(name)?.[1] ?? "";
  if (extension === "json" && holdsComments(path, name)) return JSONC;
  return BY_EXTENSION.get(extension) ?? UNKNOWN;
}

/** True for JSON files whose tools accept comments and trailing commas. */
function holdsComments(path: string, name: string): boolean {
  if (/(?:^|[\\/])\.(?:vscode|devcontainer|zed)[\\/][^\\/]*$/i.test(path)) return true;
  if (/^(?:ts|js)config(?:\..+)?\.json$/.test(name)) return true;
  return COMMENTED_JSON.has(name);
}

const COMMENTED_JSON: ReadonlySet<string> = new Set([
  ...[".eslintrc.json", ".jshintrc.json", ".swcrc.json", "babel.config.json", "deno.json", "devcontainer.json"],
  ...["keybindings.json", "language-configuration.json", "nx.json", "rush.json", "settings.json", "turbo.json"],
  ...["api-extractor.json", "typedoc.json", "wrangler.json"],
]);

const UNKNOWN: Language = { name: "unknown", kind: "unknown" };
const JSONC: Language = { name: "jsonc", kind: "data", parser: "jsonc" };

// CSS has no grammar here: that one rejects media queries with ranges. PowerShell's takes seven seconds to compile.
// Shell and Perl have no lexis: `case` arms close parentheses that nothing opens, and patterns may contain anything.
const LANGUAGES: readonly (readonly [Language, string])[] = [
  [{ name: "javascript", kind: "code", parser: "oxc", lexis: lexis.SCRIPT }, "js mjs cjs jsx"],
  [{ name: "typescript", kind: "code", parser: "oxc", lexis: lexis.SCRIPT }, "ts mts cts tsx"],
  [{ name: "json", kind: "data", parser: "json" }, "json geojson webmanifest ipynb har avsc topojson"],
  [JSONC, "jsonc code-workspace code-snippets swcrc babelrc jshintrc"],
  [{ name: "jsonl", kind: "data", parser: "jsonl" }, "jsonl ndjson"],
  [{ name: "yaml", kind: "data", parser: "yaml" }, "yaml yml"],
  [{ name: "toml", kind: "data", parser: "toml" }, "toml"],
  [{ name: "python", kind: "code", parser: "python" }, "py pyi pyw"],
  [treeSitter("go", lexis.GO), "go"],
  [treeSitter("rust", lexis.RUST), "rs"],
  [treeSitter("java", lexis.JAVA), "java"],
  [{ ...treeSitter("cpp", lexis.C), directives: true }, "c h cc cpp cxx hh hpp hxx"],
  [treeSitter("c-sharp", lexis.CSHARP), "cs"],
  [treeSitter("ruby", lexis.RUBY), "rb rake gemspec ru"],
  [treeSitter("php", lexis.PHP), "php"],
  [treeSitter("bash"), "sh bash"],
  [{ ...plain("c-family", lexis.C), directives: true }, "m mm glsl vert frag hlsl wgsl metal cu cuh"],
  [plain("c-family", lexis.QUOTES), "proto sol"],
  [plain("css", lexis.CSS), "css"],
  [plain("scss", lexis.SCSS), "scss less"],
  [plain("kotlin", lexis.KOTLIN), "kt kts scala sc"],
  [plain("swift", lexis.SWIFT), "swift"],
  [plain("dart", lexis.DART), "dart"],
  [plain("groovy", lexis.GROOVY), "groovy gradle nf"],
  [plain("terraform", lexis.TERRAFORM), "tf tfvars hcl"],
  [plain("lua", lexis.LUA), "lua luau"],
  [plain("zig", lexis.ZIG), "zig"],
  [plain("powershell", lexis.POWERSHELL), "ps1 psm1 psd1"],
  [plain("sql", lexis.SQL), "sql"],
  [plain("other code"), "pl pm zsh fish ksh svelte astro vue hs ml mli fs fsx erl vb nim nix cr vim el lisp scm rkt"],
  [plain("other code"), "d thrift jsonnet libsonnet graphql gql ex exs jl r clj cljs cljc edn"],
  [{ name: "data", kind: "data" }, "csv tsv ini cfg conf properties env lock json5 po pot"],
  [{ name: "data", kind: "data" }, "xml svg xsd xsl xslt plist csproj props targets resx xaml"],
  [{ name: "prose", kind: "prose" }, "html htm xhtml md mdx markdown txt rst adoc asciidoc org tex text log"],
];

const BY_EXTENSION: ReadonlyMap<string, Language> = new Map(
  LANGUAGES.flatMap(([language, extensions]) => extensions.split(" ").map((one) => [one, language] as const)),
);

/** The extension that stands for a whole file name. */
const EXTENSION_OF: ReadonlyMap<string, string> = new Map(
  [
    ["rb", "rakefile gemfile vagrantfile podfile fastfile"],
    ["sh", ".bashrc .bash_profile .profile .bash_aliases"],
    ["pl", "dockerfile makefile gnumakefile cmakelists.txt"],
    ["csv", "requirements.txt .env .gitignore"],
    ["groovy", "jenkinsfile"],
    ["jsonc", ".eslintrc"],
  ].flatMap(([extension, names]) => names!.split(" ").map((name) => [name, extension!] as const)),
);

function treeSitter(grammar: string, lexis?: Lexis): Language {
  return { name: grammar, kind: "code", parser: "tree-sitter", ...(lexis && { lexis }) };
}

function plain(name: string, lexis?: Lexis): Language {
  return { name, kind: "code", ...(lexis && { lexis }) };
}
