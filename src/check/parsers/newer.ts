// What languages can say that their grammars do not know, mostly since these are older, and what they know in its place:
// a text that parses with that is good code. Whatever else is wrong with it stays wrong.

/** The text in older words; undefined where it has no newer ones. */
export function inOlderWords(grammar: string, text: string): string | undefined {
  const spelled = (NEWER[grammar] ?? []).reduce((so, [newer, older]) => so.replaceAll(newer, older), text);
  return spelled === text ? undefined : spelled;
}

type Spelling = readonly [newer: RegExp, older: string];

// Everything is bounded: a text can be written so that each guess goes on to its end.
/** Between parentheses, which may hold others. */
const INSIDE = String.raw`(?:[^()]|\((?:[^()]|\([^()]{0,200}\)){0,200}\)){0,200}`;

const CPP: readonly Spelling[] = [
  [
    /\[\[(?:\s{0,9},?\s{0,9}\w{1,99}(?:::\w{1,99})?(?:\((?:"[^"\n]{0,200}"|\w{1,99}(?:, ?\w{1,99}){0,9})\))?){1,9}\s{0,9}\]\]/g,
    "",
  ],
  [/\bif\s{0,9}(?:!\s{0,9}|not\s{1,9})?consteval\b/g, "if (1)"],
  [new RegExp(String.raw`\b(?:__typeof__|typeof(?:_unqual)?|_BitInt|_Atomic)\s{0,9}\(${INSIDE}\)`, "g"), "int"],
  [/\b_Static_assert\b/g, "static_assert"],
  [/\b_Countof\b/g, "sizeof"],
  [/(?<=\b_Generic\s?\()[A-Za-z_][\w\s*]{0,200},/g, "x,"],
  [/\((?:static|constexpr|thread_local)\s(?=[\w\s*]{1,99}\)\s{0,9}\{)/g, "("],
  [/\.\.\.(?<=\bcase\s[^:;\n]{1,99})/g, "+"],
  [/(?<=\w\s{0,9}:)(?=\s{0,99}\})/g, ";"],
  [/^[ \t]{0,99}#[ \t]{0,9}embed\b.{0,200}/gm, "0"],
  [/(?<=\w)\.\.\.\[[^[\]]{1,99}\]/g, ""],
  [/\.\.\.(?<=\bauto\s{0,9}&{0,2}\s{0,9}\[[^[\]]{0,200})/g, ""],
  [/\.\.\.(?<=\bfriend\s[^;(){}]{1,200})(?=\s{0,9}[,;])/g, ""],
  [/\[\](?<=\bnew\s[\w:<>\s]{1,99}\[\])/g, "[1]"],
  [/\\[xouN]\{[\w -]{1,99}\}/g, String.raw`\n`],
  [
    new RegExp(
      String.raw`\b(?:pre|post)(?<=\)\s{1,99}(?:(?:const|noexcept|override)\s{1,9})?\w+)\s?\(${INSIDE}\)`,
      "g",
    ),
    "",
  ],
];

const CSHARP: readonly Spelling[] = [
  [/^#[:!].{0,300}/gm, ""],
  [/\[\](?<=(?:[=(,?:[>]|\breturn)\s{0,9}\[\])(?=\s{0,9}[;,)\]:}])/g, "[a]"],
  [/\.\.(?<=[[,]\s{0,99}\.\.)\s?(?=[\w(@$"[])/g, ""],
  [
    new RegExp(String.raw`\bextension\s?(?:<[^<>()]{1,99}>\s?)?\(${INSIDE}\)(?=[^{};]{0,200}\{)`, "g"),
    "class Extension",
  ],
  [/(?<=[\w)\]])\?(?=\.[A-Za-z_@]|\[)/g, ""],
  [/\bparams\s{1,9}(?=[\w.]{1,99}<)/g, ""],
  [/\ballows\s{1,9}ref\s{1,9}struct\b/g, "new()"],
  [/(?<=[(,]\s?)(?:(?:ref|out|in|scoped|readonly)\s){1,3}(?=\w{1,99}\s?(?:,[^()]{0,200})?\)\s{0,9}=>)/g, ""],
  [/(?<=\boperator\s{0,9})(?:[-+*/%&|^]|<<|>>>?)=(?=\s{0,9}\()/g, "+"],
];

const CSS: readonly Spelling[] = [
  [/&(?![\w-])/g, ".a"],
  [/(@import\s{1,9}(?:url\([^()]{0,200}\)|"[^"\n]{0,200}"|'[^'\n]{0,200}'))[^;{}]{1,200};/g, "$1;"],
  [/@container\b[^{};]{0,300}(?=\{)/g, "@media all "],
  [/@function\s{1,9}--[\w-]{1,99}[^{};]{0,300}(?=\{)/g, "@media all "],
  [new RegExp(String.raw`(?<=:\s{0,9})if\(${INSIDE}\)`, "g"), "a"],
  [/\{(?<=--[\w-]{1,99}\s?:\s{0,9}\{)[^{}]{0,300}\}/g, "a"],
  [/\btype\([^()]{1,99}\)/g, "a"],
  [/@(?:layer|custom-variant|plugin|source|reference|config|custom-media|custom-selector)\s[^{};]{1,300};/g, ""],
  [/\.(?<=@layer\s[\w-]{1,99}\.)[\w.-]{1,99}/g, ""],
  [/@page\b[^{};]{0,300}(?=\{)/g, "@media all "],
  [/(?<=\[[^[\]\n]{1,99}["']\s{0,9})[is](?=\s?\])/g, ""],
  [/;(?=\s{0,99};)/g, ""],
  [/(?<=[\s,{}]\d{1,3})\.\d{1,9}%(?=[\s,{])/g, "%"],
  [/(?<=\burl\()#[\w-]{1,99}(?=\))/g, "a"],
];

const GO: readonly Spelling[] = [
  [/(\b(?:const|var)[ \t]?\([^\n]{0,300}[^\s;(])(?=[ \t]{0,9}\)[ \t]{0,9}$)/gm, "$1;"],
  [/\bnew\((?!\s{0,9}(?:[[*<]|(?:map|chan|struct|func|interface)\b))/g, "made("],
];

const JAVA: readonly Spelling[] = [
  [/(?<=^\s{0,99}import\s)module\s(?=\w)/gm, ""],
  [/(?<![.\w]\s{0,9})(?:super|this)(?=\s?\()/g, "made"],
];

const PHP: readonly Spelling[] = [
  [/\b(?:public|protected|private)\(set\)/g, "readonly"],
  [/\bclone\s?\(/g, "cloned("],
  [/\(void\)/g, ""],
];

const PYTHON: readonly Spelling[] = [
  [/\blazy\s(?<=^[ \t]{0,40}lazy\s)(?=(?:import|from)\s)/gm, ""],
  [
    /\[(?<=\b(?:def|class|type)\s\w{1,99}\[)(?:[^[\]]|\[(?:[^[\]]|\[[^[\]]{0,99}\]){0,99}\]){0,300}=\s?[\w*"'([][^=\n]{0,300}?\](?=[(:\s])/g,
    "[T]",
  ],
  [/\*\*(?<=\{\s{0,99}\*\*)(?=[^{},]{1,200}\bfor\b)/g, ""],
];

const RUBY: readonly Spelling[] = [
  [/\n[ \t]{0,40}(?=(?:&&|\|\||and\b|or\b))/g, " "],
  [
    /^(\s{0,99}(?:\w{1,99}\s)?def\s[\w.]{1,99}[?!]?(?:\([^()\n]{0,200}\))?\s=\s\w{1,99}[?!]?) ((?!(?:if|unless|rescue|and|or|do)\b)["':\w@$[].{0,300})$/gm,
    "$1($2)",
  ],
];

const RUST: readonly Spelling[] = [[/\bsafe\s{1,9}(?=(?:fn|static)\b)/g, ""]];

const BASH: readonly Spelling[] = [
  [/\$\{[ \t\n|]((?:[^{}]|\$?\{[^{}]{0,200}\}){1,300})\}/g, "$($1)"],
  [/[!@?*+]\([^()\n]{1,200}\)/g, "a"],
  [/;;?&/g, ";;"],
  [/<>/g, "<"],
];

const NEWER: Readonly<Record<string, readonly Spelling[]>> = {
  bash: BASH,
  "c-sharp": CSHARP,
  cpp: CPP,
  css: CSS,
  go: GO,
  java: JAVA,
  php: PHP,
  python: PYTHON,
  ruby: RUBY,
  rust: RUST,
};

/**
 * CSS without what its grammar takes for an error: braces and escaped quotes in texts, ranges in media queries. Lines and
 * columns stay.
 */
export function knownCss(text: string): string {
  return text
    .replaceAll(COMMENT_OR_TEXT, (comment: string, quoted?: string) =>
      quoted === undefined ? comment : quoted.replaceAll(/(?<=.)[^\r\n](?=.)/gs, "_"),
    )
    .replaceAll(QUERY, (query) =>
      query.replaceAll(RANGE, (range) => `(a:0${range.slice(4, -1).replaceAll(/[^\r\n]/g, " ")})`),
    );
}

const COMMENT_OR_TEXT = /\/\*.*?\*\/|("(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')/gs;
const QUERY = /@(?:media|container)\b[^{};]*/g;
// `(width >= 600px)`, `(400px <= width <= 700px)`.
const RANGE = /\((?=[^()]*[\w)]\s*[<>]=?\s*[\w-])[^()\r\n]{3}[^()]*\)/g;
