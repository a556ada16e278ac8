// How strings, comments, characters and patterns look in each language, for those who count its delimiters.
import { blockComment, endOfQuote, type Lexis, lineComment, matching, quoted, type Rule, raw } from "./scan.ts";

const SLASHES = [lineComment("//"), blockComment("/*", "*/")];
const NESTING = [lineComment("//"), blockComment("/*", "*/", { nests: true })];
const HASHES = [matching("#", /(?<![^\s;,()[\]{}])#[^\n]*/y)];
/** One character between quotes; anything else after a quote is a lifetime, a label or a symbol. */
const CHARACTER = matching("'", /'(?:\\[^\n]{1,10}?|[^'\\\n])'/uy);
const DOUBLE = quoted('"');
const SINGLE = quoted("'");
/** Where a value can begin, a slash begins a pattern. */
const PATTERN = matching(
  "/",
  /(?<=(?:^|[(,=:[!&|?{};+\-*%~^\n]|\b(?:return|typeof|case|in|of|delete|void|throw|new|do|else|await|yield))[ \t\r\n]*)\/(?![*/>])(?:\\[^\n]|\[(?:\\[^\n]|[^\]\\\n])*\]|[^/\\[\n])+\//y,
);
/** In Swift also behind its own words, and with neither blank at its start nor at its end. */
const SWIFT_PATTERN = matching(
  "/",
  /(?<=(?:^|[(,=:[!&|?{};+\-*%~^\n]|\b(?:return|case|in|try|await|where|if|while))[ \t\r\n]*)\/(?![*/\s])(?:\\[^\n]|\[(?:\\[^\n]|[^\]\\\n])*\]|[^/\\[\n])+(?<!\s)\//y,
);
/** The end stands alone on its line. */
const HEREDOC = matching("<", /<<[-~]?(["']?)([A-Z_]\w*)\1[^\n]*\n(?:(?:[\s\S]*?\n)??[ \t]*\2\b|[\s\S]*$)/y);
const ADDRESS = matching("(", /(?<=\burl(?:-prefix)?)\([ \t\r\n]*(?!["'\s])(?:[^)"'\n\\]|\\.)*\)/iy);
const DOLLAR = ["${"];
/** `r#"…"#` with as many marks. */
const RUST_RAW = matching('"', /(?<=\b[bc]?r(#*))"[\s\S]*?(?:"\1|$)/y);
const CPP_RAW = matching('"', /(?<=\b(?:u8|[uUL])?R)"([^()\\\s"]{0,16})\([\s\S]*?(?:\)\1"|$)/y);
const SWIFT_RAW = matching('"', /(?<=(?<!#)(#+))("""|")[\s\S]*?(?:\2\1|$)/y);

export const C: Lexis = [...SLASHES, CPP_RAW, DOUBLE, CHARACTER];
export const RUST: Lexis = [...NESTING, RUST_RAW, quoted('"', { lines: true }), CHARACTER];
export const JAVA: Lexis = [...SLASHES, quoted('"""', { lines: true }), DOUBLE, CHARACTER];
export const GO: Lexis = [...SLASHES, DOUBLE, CHARACTER, raw("`", { lines: true })];
export const CSHARP: Lexis = [
  ...SLASHES,
  matching('"', /("{3,})[\s\S]*?(?:\1|$)/y),
  matching('"', /(?<=@\$?|\$@)"(?:[^"]|"")*(?:"|$)/y),
  matching('"', /(?<=\$)"(?:\\.|\{\{|\}\}|\{[^{}\n]*\}|[^"\\\n{}])*"/y),
  DOUBLE,
  CHARACTER,
];
export const SCRIPT: Lexis = [...SLASHES, PATTERN, DOUBLE, SINGLE, quoted("`", { lines: true, fills: DOLLAR })];
export const PYTHON: Lexis = [
  ...HASHES,
  quoted('"""', { lines: true }),
  quoted("'''", { lines: true }),
  DOUBLE,
  SINGLE,
];
export const RUBY: Lexis = [
  PATTERN,
  ...HASHES,
  HEREDOC,
  quoted('"', { lines: true, fills: ["#{"] }),
  quoted("'", { lines: true }),
];
export const PHP: Lexis = [
  ...SLASHES,
  ...HASHES,
  matching("<", /<<<[ \t]*(["']?)(\w+)\1\r?\n(?:(?:[\s\S]*?\n)??[ \t]*\2\b|[\s\S]*$)/y),
  quoted('"', { lines: true }),
  quoted("'", { lines: true }),
];
export const CSS: Lexis = [blockComment("/*", "*/"), ADDRESS, DOUBLE, SINGLE];
export const SCSS: Lexis = [...SLASHES, ADDRESS, quoted('"', { fills: ["#{"] }), quoted("'", { fills: ["#{"] })];
export const LESS: Lexis = [...SLASHES, ADDRESS, DOUBLE, SINGLE, raw("`", { lines: true })];

/** And Scala. */
export const KOTLIN: Lexis = [
  ...NESTING,
  raw('"""', { lines: true, fills: DOLLAR }),
  quoted('"', { fills: DOLLAR }),
  CHARACTER,
  raw("`"),
];
export const SWIFT: Lexis = [
  ...NESTING,
  matching("#", /#+\/[\s\S]*?(?:\/#+|$)/y),
  SWIFT_PATTERN,
  SWIFT_RAW,
  quoted('"""', { lines: true, fills: ["\\("] }),
  quoted('"', { fills: ["\\("] }),
];
export const DART: Lexis = [
  ...NESTING,
  matching("\"'", /(?<=\br)("""|'''|["'])[\s\S]*?(?:\1|$)/y),
  quoted('"""', { lines: true, fills: DOLLAR }),
  quoted("'''", { lines: true, fills: DOLLAR }),
  quoted('"', { fills: DOLLAR }),
  quoted("'", { fills: DOLLAR }),
];
export const GROOVY: Lexis = [
  ...SLASHES,
  PATTERN,
  matching("$", /\$\/[\s\S]*?(?:\/\$|$)/y),
  quoted('"""', { lines: true, fills: DOLLAR }),
  quoted("'''", { lines: true }),
  quoted('"', { fills: DOLLAR }),
  SINGLE,
];
export const ZIG: Lexis = [lineComment("//"), lineComment("\\\\"), DOUBLE, CHARACTER];
export const D: Lexis = [
  ...SLASHES,
  blockComment("/+", "+/", { nests: true }),
  raw("`", { lines: true }),
  matching('"', /(?<=\br)"[^"]*(?:"|$)/y),
  matching('"', /(?<=\bq)"(?:[([{<][\s\S]*?[)\]}>]|(\w+)\n[\s\S]*?\n\1)(?:"|$)/y),
  quoted('"', { lines: true }),
  CHARACTER,
];
export const QUOTES: Lexis = [...SLASHES, DOUBLE, SINGLE];
export const THRIFT: Lexis = [...SLASHES, ...HASHES, DOUBLE, SINGLE];
export const JSONNET: Lexis = [
  ...SLASHES,
  ...HASHES,
  matching("|", /\|\|\|-?[ \t]*\n[\s\S]*?(?:\n[ \t]*\|\|\||$)/y),
  matching('"', /(?<=@)"(?:[^"]|"")*(?:"|$)/y),
  matching("'", /(?<=@)'(?:[^']|'')*(?:'|$)/y),
  quoted('"', { lines: true }),
  quoted("'", { lines: true }),
];
export const TERRAFORM: Lexis = [...SLASHES, ...HASHES, HEREDOC, quoted('"', { fills: ["${", "%{"] })];
export const GRAPHQL: Lexis = [lineComment("#"), quoted('"""', { lines: true }), DOUBLE];
const CLOSERS: Readonly<Record<string, string>> = { "(": ")", "[": "]", "{": "}", "<": ">" };
/** `~r/…/`, `~s(…)` and the like. Those with a small letter may hold code. */
const SIGIL: Rule = {
  first: "~",
  skip(text, at, inside) {
    const [head, open] = /^~(?:[a-z]|[A-Z][A-Z0-9]*)("""|'''|[/|"'([{<])/.exec(text.slice(at, at + 20)) ?? [];
    if (head === undefined || open === undefined) return undefined;
    const form = { lines: true, fills: /^~[a-z]/.test(head) ? ["#{"] : [] };
    return endOfQuote(text, at + head.length, CLOSERS[open] ?? open, form, inside);
  },
};
export const ELIXIR: Lexis = [
  lineComment("#"),
  SIGIL,
  matching("?", /(?<![\w)\]}])\?(?:\\[\s\S]|[^\s\w])/y),
  quoted('"""', { lines: true, fills: ["#{"] }),
  quoted("'''", { lines: true, fills: ["#{"] }),
  quoted('"', { lines: true, fills: ["#{"] }),
  quoted("'", { lines: true, fills: ["#{"] }),
];
export const JULIA: Lexis = [
  blockComment("#=", "=#", { nests: true }),
  lineComment("#"),
  quoted('"""', { lines: true, fills: ["$("] }),
  quoted('"', { lines: true, fills: ["$("] }),
  matching("'", /(?<![\w)\]}'.])'(?:\\[^\n]{1,10}?|[^'\\\n])'/uy),
];
export const R: Lexis = [
  lineComment("#"),
  matching("\"'", /(?<=\b[rR])(["'])(-*)[([{][\s\S]*?(?:[)\]}]\2\1|$)/y),
  quoted('"', { lines: true }),
  quoted("'", { lines: true }),
  raw("`"),
];
export const LUA: Lexis = [
  matching("-", /--\[(=*)\[[\s\S]*?(?:\]\1\]|$)/y),
  lineComment("--"),
  matching("[", /\[(=*)\[[\s\S]*?(?:\]\1\]|$)/y),
  DOUBLE,
  SINGLE,
];
export const SQL: Lexis = [
  lineComment("--"),
  blockComment("/*", "*/"),
  matching("$", /\$((?:[A-Za-z_]\w*)?)\$[\s\S]*?(?:\$\1\$|$)/y),
  quoted('"', { doubled: true, lines: true }),
  quoted("'", { doubled: true, lines: true }),
  raw("`"),
];
export const POWERSHELL: Lexis = [
  blockComment("<#", "#>"),
  ...HASHES,
  matching("@", /@(["'])[ \t]*\r?\n[\s\S]*?(?:\n[ \t]*\1@|$)/y),
  matching("`", /`[\s\S]/y),
  quoted('"', { escape: "`", doubled: true, lines: true, fills: ["$("] }),
  raw("'", { doubled: true, lines: true }),
];
export const CLOJURE: Lexis = [matching("\\", /\\(?:\w+|[^\s])/y), lineComment(";"), quoted('"', { lines: true })];
