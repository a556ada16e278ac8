// Which language a file is in, by its name; the worker knows these.

const BY_ENDING: Readonly<Record<string, string>> = {
  bash: "bash",
  c: "cpp",
  cc: "cpp",
  cjs: "javascript",
  cpp: "cpp",
  css: "css",
  cts: "typescript",
  go: "go",
  h: "cpp",
  hpp: "cpp",
  htm: "xml",
  html: "xml",
  java: "java",
  js: "javascript",
  json: "json",
  jsonc: "json",
  jsx: "javascript",
  kt: "java",
  md: "markdown",
  mjs: "javascript",
  mts: "typescript",
  py: "python",
  pyi: "python",
  rs: "rust",
  sh: "bash",
  sql: "sql",
  svg: "xml",
  toml: "ini",
  ts: "typescript",
  tsx: "typescript",
  xml: "xml",
  yaml: "yaml",
  yml: "yaml",
  zsh: "bash",
};

/** Undefined: plain text. */
export function languageOf(path: string): string | undefined {
  const ending = path.slice(path.lastIndexOf(".") + 1).toLowerCase();
  return Object.hasOwn(BY_ENDING, ending) ? BY_ENDING[ending] : undefined;
}
