// Checks other languages by tree-sitter grammars, loaded on first use. Without the optional packages it has no verdict.
import { createRequire } from "node:module";
import type { Language, Node, Parser } from "web-tree-sitter";
import { type Finding, positionAt, type Verdict } from "./finding.ts";

// Five thousand lines take about 60 ms.
const DEADLINE_MS = 1000;

export async function treeSitterFindings(grammar: string, text: string, withinMs = DEADLINE_MS): Promise<Verdict> {
  const loaded = await load(grammar);
  if (!loaded) return null;
  const parser = new loaded.Parser();
  try {
    parser.setLanguage(loaded.language);
    const deadline = performance.now() + withinMs;
    const tree = parser.parse(text, null, { progressCallback: () => performance.now() > deadline });
    if (!tree) return null;
    const found = tree.rootNode.hasError ? [describe(firstError(tree.rootNode), text)] : [];
    tree.delete();
    return found;
  } finally {
    parser.delete();
  }
}

interface Loaded {
  readonly Parser: typeof Parser;
  readonly language: Language;
}

// In pages of 64 KiB: from 32 to 256 MiB. Some ambiguous text would take gigabytes and never free them.
const MEMORY = { initial: 512, maximum: 4096 };

const languages = new Map<string, Promise<Loaded | null>>();
let initialised: Promise<void> | undefined;

function load(grammar: string): Promise<Loaded | null> {
  let loading = languages.get(grammar);
  if (!loading) {
    loading = loadGrammar(grammar).catch(() => null);
    languages.set(grammar, loading);
  }
  return loading;
}

async function loadGrammar(grammar: string): Promise<Loaded> {
  const { Language, Parser } = await import("web-tree-sitter");
  initialised ??= Parser.init(runtime());
  await initialised;
  const file = createRequire(import.meta.url).resolve(`@vscode/tree-sitter-wasm/wasm/tree-sitter-${grammar}.wasm`);
  return { Parser, language: await Language.load(file) };
}

// Node has it, but the type libraries here do not declare it.
declare const WebAssembly: { readonly Memory: new (pages: typeof MEMORY) => object };

function runtime(): object {
  const silent = (): void => {};
  // The runtime prints errors by default, and stdout may carry a protocol.
  return { wasmMemory: new WebAssembly.Memory(MEMORY), print: silent, printErr: silent };
}

// A text of errors only has a root with a child for every character.
const MAX_STEPS = 10_000;

/** Finds the innermost first node with an error, in a bounded walk. */
function firstError(root: Node): Node {
  const cursor = root.walk();
  let found = root;
  let inside = cursor.gotoFirstChild();
  for (let steps = 0; inside && steps < MAX_STEPS; steps++) {
    const node = cursor.currentNode;
    if (node.isMissing || node.hasError) {
      found = node;
      inside = cursor.gotoFirstChild();
    } else {
      inside = cursor.gotoNextSibling();
    }
  }
  cursor.delete();
  return found;
}

function describe(node: Node, text: string): Finding {
  const [said] = text
    .slice(node.startIndex, Math.min(node.endIndex, node.startIndex + 40))
    .trim()
    .split("\n", 1);
  const found = said ? `unexpected ${JSON.stringify(said)}` : "unexpected end";
  const message = node.isMissing ? `missing ${JSON.stringify(node.type)}` : found;
  const place = { ...positionAt(text, node.startIndex), endLine: positionAt(text, node.endIndex).line };
  return { ...place, message, severity: "error" };
}
