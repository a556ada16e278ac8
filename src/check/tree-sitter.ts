// Other languages by tree-sitter grammars, loaded on first use; without the optional packages there is no verdict.

import { createRequire } from "node:module";
import type { Language, Node, Parser } from "web-tree-sitter";
import type { Finding, Verdict } from "./finding.ts";
import { lineAt, positionAt } from "./position.ts";

// Five thousand lines take about 60 ms; whatever takes this long is not worth waiting for.
const DEADLINE_MS = 1000;

export async function treeSitterFindings(grammar: string, text: string): Promise<Verdict> {
  const loaded = await load(grammar);
  if (!loaded) return null;
  const { parser, language } = loaded;
  parser.setLanguage(language);
  const deadline = performance.now() + DEADLINE_MS;
  const tree = parser.parse(text, null, { progressCallback: () => performance.now() > deadline });
  if (!tree) {
    parser.reset();
    return null;
  }
  try {
    return tree.rootNode.hasError ? [firstError(tree.rootNode, text)] : [];
  } finally {
    tree.delete();
  }
}

interface Loaded {
  readonly parser: Parser;
  readonly language: Language;
}

const languages = new Map<string, Promise<Loaded | null>>();
let parserOnce: Promise<Parser> | undefined;

function load(grammar: string): Promise<Loaded | null> {
  let loading = languages.get(grammar);
  if (!loading) {
    loading = loadGrammar(grammar).catch(() => null);
    languages.set(grammar, loading);
  }
  return loading;
}

async function loadGrammar(grammar: string): Promise<Loaded> {
  const { Language } = await import("web-tree-sitter");
  parserOnce ??= createParser();
  const parser = await parserOnce;
  const file = createRequire(import.meta.url).resolve(`@vscode/tree-sitter-wasm/wasm/tree-sitter-${grammar}.wasm`);
  return { parser, language: await Language.load(file) };
}

async function createParser(): Promise<Parser> {
  const { Parser } = await import("web-tree-sitter");
  await Parser.init();
  return new Parser();
}

function firstError(root: Node, text: string): Finding {
  let node = root;
  for (let inner: Node | null | undefined = root; inner; ) {
    node = inner;
    inner = node.children.find((child) => child?.isMissing || child?.hasError);
  }
  const said = text
    .slice(node.startIndex, Math.min(node.endIndex, node.startIndex + 40))
    .trim()
    .split("\n", 1)[0]!;
  const found = said === "" ? "unexpected end" : `unexpected ${JSON.stringify(said)}`;
  const message = node.isMissing ? `missing ${JSON.stringify(node.type)}` : found;
  const endLine = lineAt(text, node.endIndex);
  return { ...positionAt(text, node.startIndex), endLine, message, severity: "error" };
}
