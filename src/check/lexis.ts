// Strings, comments and patterns of each language.
import { blockComment, lexis, lineComment, matching, type QuoteForm, quoted } from "./scan.ts";

const SLASHES = [lineComment("//"), blockComment("/*", "*/")];
const NESTING = [lineComment("//"), blockComment("/*", "*/", { nests: true })];
const HASHES = [matching("#", /(?<![^\s;,()[\]{}])#[^\n]*/y)];
/** A character between quotes. Any other quote begins a lifetime, a label or a symbol. */
const CHARACTER = matching("'", /'(?:\\[^\n]{1,10}?|[^'\\\n])'/uy);
const DOUBLE = quoted('"');
const SINGLE = quoted("'");
/** A slash begins a pattern where a value can begin. */
const PATTERN = matching(
  "/",
  /(?<=(?:^|[(,=:[!&|?{};+\-*%~^\n]|\b(?:return|typeof|case|in|of|delete|void|throw|new|do|else|await|yield))[ \t\r\n]*)\/(?![*/>])(?:\\[^\n]|\[(?:\\[^\n]|[^\]\\\n])*\]|[^/\\[\n])+\//y,
);
/** A pattern of Swift: also behind Swift's keywords, and without a blank at its ends. */
const SWIFT_PATTERN = matching(
  "/",
  /(?<=(?:^|[(,=:[!&|?{};+\-*%~^\n]|\b(?:return|case|in|try|await|where|if|while))[ \t\r\n]*)\/(?![*/\s])(?:\\[^\n]|\[(?:\\[^\n]|[^\]\\\n])*\]|[^/\\[\n])+(?<!\s)\//y,
);
/** A here-document: its end is alone on its line. */
const HEREDOC = matching("<", /<<[-~]?(["']?)([A-Z_]\w*)\1[^\n]*\n(?:(?:[\s\S]*?\n)??[ \t]*\2\b|[\s\S]*$)/y);
const URL = matching("(", /(?<=\burl(?:-prefix)?)\([ \t\r\n]*(?!["'\s])(?:[^)"'\n\\]|\\.)*\)/iy);
const DOLLAR = ["${"];
const HASH_BRACE = ["#{"];
/** `r#"…"#`, with any number of `#`. */
const RUST_RAW = matching('"', /(?<=\b[bc]?r(#*))"[\s\S]*?(?:"\1|$)/y);
const CPP_RAW = matching('"', /(?<=\b(?:u8|[uUL])?R)"([^()\\\s"]{0,16})\([\s\S]*?(?:\)\1"|$)/y);
const SWIFT_RAW = matching('"', /(?<=(?<!#)(#+))("""|")[\s\S]*?(?:\2\1|$)/y);

export const C = lexis(...SLASHES, CPP_RAW, DOUBLE, CHARACTER);
export const RUST = lexis(...NESTING, RUST_RAW, quoted('"', { lines: true }), CHARACTER);
export const JAVA = lexis(...SLASHES, quoted('"""', { lines: true }), DOUBLE, CHARACTER);
export const GO = lexis(...SLASHES, DOUBLE, CHARACTER, quoted("`", { escape: "", lines: true }));
export const CSHARP = lexis(
  ...SLASHES,
  matching('"', /("{3,})[\s\S]*?(?:\1|$)/y),
  matching('"', /(?<=@\$?|\$@)"(?:[^"]|"")*(?:"|$)/y),
  matching('"', /(?<=\$)"(?:\\.|\{\{|\}\}|\{[^{}\n]*\}|[^"\\\n{}])*"/y),
  DOUBLE,
  CHARACTER,
);
export const SCRIPT = lexis(...SLASHES, PATTERN, DOUBLE, SINGLE, quoted("`", { lines: true, fills: DOLLAR }));

/** Single and triple quotes, with code in them. */
const filled = (form: QuoteForm) => [
  quoted('"""', { ...form, lines: true }),
  quoted("'''", { ...form, lines: true }),
  quoted('"', form),
  quoted("'", form),
];
const FILLED = filled({ fills: DOLLAR });
const FIELDS = { prefix: /(?<![A-Za-z0-9_])(?:[ft]|[ft]r|r[ft])$/i, fills: ["{"] };
export const PYTHON = lexis(
  ...HASHES,
  matching("\\", /\\\r?\n/y),
  // A format specification may contain a quote: `{name:'>10}`.
  matching(":", /(?<=\{[\w.!()]*):["'][<>=^][^{}\n"']*(?=\})/y),
  ...filled(FIELDS),
  ...filled({}),
);
export const RUBY = lexis(
  PATTERN,
  ...HASHES,
  HEREDOC,
  quoted('"', { lines: true, fills: HASH_BRACE }),
  quoted("'", { lines: true }),
);
export const PHP = lexis(
  ...SLASHES,
  ...HASHES,
  matching("<", /<<<[ \t]*(["']?)(\w+)\1\r?\n(?:(?:[\s\S]*?\n)??[ \t]*\2\b|[\s\S]*$)/y),
  quoted('"', { lines: true }),
  quoted("'", { lines: true }),
);
export const CSS = lexis(blockComment("/*", "*/"), URL, DOUBLE, SINGLE);
export const SCSS = lexis(...SLASHES, URL, quoted('"', { fills: HASH_BRACE }), quoted("'", { fills: HASH_BRACE }));
/** Also of Scala. */
export const KOTLIN = lexis(
  ...NESTING,
  quoted('"""', { escape: "", lines: true, fills: DOLLAR }),
  quoted('"', { fills: DOLLAR }),
  CHARACTER,
  quoted("`", { escape: "" }),
);
export const SWIFT = lexis(
  ...NESTING,
  matching("#", /#+\/[\s\S]*?(?:\/#+|$)/y),
  SWIFT_PATTERN,
  SWIFT_RAW,
  quoted('"""', { lines: true, fills: ["\\("] }),
  quoted('"', { fills: ["\\("] }),
);
export const DART = lexis(...NESTING, matching("\"'", /(?<=\br)("""|'''|["'])[\s\S]*?(?:\1|$)/y), ...FILLED);
export const GROOVY = lexis(...SLASHES, PATTERN, matching("$", /\$\/[\s\S]*?(?:\/\$|$)/y), ...FILLED);
export const ZIG = lexis(lineComment("//"), lineComment("\\\\"), DOUBLE, CHARACTER);
export const POWERSHELL = lexis(
  blockComment("<#", "#>"),
  ...HASHES,
  matching("@", /@(["'])[ \t]*\r?\n[\s\S]*?(?:\n[ \t]*\1@|$)/y),
  matching("`", /`[\s\S]/y),
  quoted('"', { escape: "`", doubled: true, lines: true, fills: ["$("] }),
  quoted("'", { escape: "", doubled: true, lines: true }),
);
export const QUOTES = lexis(...SLASHES, DOUBLE, SINGLE);
export const TERRAFORM = lexis(...SLASHES, ...HASHES, HEREDOC, quoted('"', { fills: ["${", "%{"] }));
export const LUA = lexis(
  matching("-", /--\[(=*)\[[\s\S]*?(?:\]\1\]|$)/y),
  lineComment("--"),
  matching("[", /\[(=*)\[[\s\S]*?(?:\]\1\]|$)/y),
  DOUBLE,
  SINGLE,
);
export const SQL = lexis(
  lineComment("--"),
  blockComment("/*", "*/"),
  matching("$", /\$((?:[A-Za-z_]\w*)?)\$[\s\S]*?(?:\$\1\$|$)/y),
  quoted('"', { doubled: true, lines: true }),
  quoted("'", { doubled: true, lines: true }),
  quoted("`", { escape: "" }),
);
