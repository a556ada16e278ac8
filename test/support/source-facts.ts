// What a source file reaches for, by its syntax tree: modules however they are loaded, globals, and how files are opened.
import { parseSync } from "oxc-parser";

export interface Import {
  /** null where only running the program tells. */
  readonly from: string | null;
  /** What is taken from it; "*" for everything. A name that is changed on the way stands as "old as new". */
  readonly names: readonly string[];
  readonly way: "static" | "dynamic" | "type";
}

export interface SourceFacts {
  readonly imports: readonly Import[];
  /** Names used as values, with the first member behind them: `Date.now`, `Math.random`, `fetch`. */
  readonly uses: ReadonlySet<string>;
  /** Every name and every string of one word, wherever it stands: `process.binding`, `process["binding"]`, `{ binding }`. */
  readonly words: ReadonlySet<string>;
  /** Whether `openSync` is only ever called, and with flags that can be seen to write nothing. */
  readonly opensToReadOnly: boolean;
}

/** Several rules ask about the same file. */
const known = new Map<string, SourceFacts>();

export function sourceFacts(file: string, text: string): SourceFacts {
  const key = `${file}\n${text}`;
  const facts = known.get(key) ?? factsIn(file, text);
  known.set(key, facts);
  return facts;
}

function factsIn(file: string, text: string): SourceFacts {
  const { program, errors } = parseSync(file, text);
  if (errors.length > 0) throw new Error(`${file}: ${errors[0]!.message}`);
  const facts = { imports: [] as Import[], uses: new Set<string>(), opensToReadOnly: true };
  visit(program as unknown as Node, facts);
  return { ...facts, words: new Set(wordsIn(program as unknown as Node)) };
}

interface Node {
  readonly type: string;
  // biome-ignore lint/suspicious/noExplicitAny: the fields depend on the type of the node
  readonly [field: string]: any;
}

type Facts = { imports: Import[]; uses: Set<string>; opensToReadOnly: boolean };
type Visit = (node: Node, facts: Facts) => void;

function visit(node: Node, facts: Facts): void {
  const visitOne = VISITS[node.type] ?? (node.type.startsWith("TS") ? visitType : visitChildren);
  visitOne(node, facts);
}

const VISITS: Readonly<Record<string, Visit>> = {
  ImportDeclaration: visitDeclared,
  ExportAllDeclaration: visitDeclared,
  ExportNamedDeclaration: visitDeclared,
  ImportExpression: ({ source }, facts) => facts.imports.push(loaded(source)),
  TSImportType: ({ source }, { imports }) => imports.push({ from: source.value, names: ["*"], way: "type" }),
  CallExpression: visitCall,
  MemberExpression: visitMember,
  Identifier: visitName,
  Property: visitNamed,
  MethodDefinition: visitNamed,
  PropertyDefinition: visitNamed,
  // Types are gone when the program runs; of these, the expression stays.
  TSAsExpression: ({ expression }, facts) => visit(expression, facts),
  TSSatisfiesExpression: ({ expression }, facts) => visit(expression, facts),
  TSNonNullExpression: ({ expression }, facts) => visit(expression, facts),
  TSInstantiationExpression: ({ expression }, facts) => visit(expression, facts),
  TSTypeAssertion: ({ expression }, facts) => visit(expression, facts),
};

function visitType(node: Node, facts: Facts): void {
  visitChildren(node, { ...facts, uses: new Set() });
}

function visitDeclared(node: Node, facts: Facts): void {
  const taken = node.source ? declared(node) : undefined;
  if (taken === undefined) visitChildren(node, facts);
  else facts.imports.push(taken);
  // Whoever takes it from here opens as they like.
  if (node.type === "ExportNamedDeclaration" && taken?.names.includes("openSync")) facts.opensToReadOnly = false;
}

function visitName({ name }: Node, facts: Facts): void {
  if (name === "openSync") facts.opensToReadOnly = false;
  facts.uses.add(name);
}

/** The key is only a name, unless it is worked out. */
function visitNamed({ key, computed, value }: Node, facts: Facts): void {
  if (computed) visit(key, facts);
  if (value) visit(value, facts);
}

function visitChildren(node: Node, facts: Facts): void {
  for (const child of childrenOf(node)) visit(child, facts);
}

function childrenOf(node: Node): readonly Node[] {
  return Object.values(node)
    .flat()
    .filter((child) => typeof child?.type === "string");
}

function wordsIn(node: Node): string[] {
  const own = node.type === "Identifier" ? node.name : node.type === "TemplateElement" ? node.value.cooked : node.value;
  const inside = childrenOf(node).flatMap(wordsIn);
  return typeof own === "string" && /^\w+$/.test(own) ? [own, ...inside] : inside;
}

function visitCall(node: Node, facts: Facts): void {
  const { callee } = node;
  const name = callee.type === "MemberExpression" ? callee.property.name : callee.name;
  const [first] = node.arguments as readonly Node[];
  const loads = name === "require" || name === "getBuiltinModule" || callee.callee?.name === "createRequire";
  if (loads && first !== undefined) facts.imports.push(loaded(first));
  const opens = callee.name === "openSync";
  if (opens && !opensToRead(node.arguments)) facts.opensToReadOnly = false;
  for (const each of opens ? node.arguments : [callee, ...node.arguments]) visit(each, facts);
}

function visitMember({ object, property, computed }: Node, facts: Facts): void {
  const name = computed ? property.value : property.name;
  if (object.type !== "Identifier" || typeof name !== "string") visit(object, facts);
  else facts.uses.add(`${object.name}.${name}`);
  if (object.name === "openSync") facts.opensToReadOnly = false;
  if (computed) visit(property, facts);
}

function declared({ type, source, specifiers = [], importKind, exportKind }: Node): Import {
  const values = (specifiers as readonly Node[]).filter((each) => (each.importKind ?? each.exportKind) !== "type");
  const names = type === "ExportAllDeclaration" ? ["*"] : values.map(nameTaken);
  return { from: source.value, names, way: (importKind ?? exportKind) === "type" ? "type" : "static" };
}

function nameTaken({ type, imported, local, exported }: Node): string {
  if (type !== "ImportSpecifier" && type !== "ExportSpecifier") return "*";
  const [from, to] = type === "ImportSpecifier" ? [imported, local] : [local, exported];
  return from.name === to.name ? from.name : `${from.name} as ${to.name}`;
}

function loaded(source: Node): Import {
  const text =
    source.type === "TemplateLiteral" && source.quasis.length === 1 ? source.quasis[0].value.cooked : source.value;
  return { from: typeof text === "string" ? text : null, names: ["*"], way: "dynamic" };
}

const HARMLESS = /^O_(?:RDONLY|NONBLOCK|NOFOLLOW|DIRECTORY|CLOEXEC|NOATIME)$/;

function opensToRead(given: readonly Node[]): boolean {
  if (given.some(({ type }) => type === "SpreadElement")) return false;
  return given[1] === undefined || writesNothing(given[1]);
}

function writesNothing(flags: Node): boolean {
  if (flags.type === "Literal") return flags.value === "r" || flags.value === 0;
  if (flags.type === "MemberExpression")
    return flags.object.name === "constants" && HARMLESS.test(flags.property.name ?? "");
  if (flags.type === "ParenthesizedExpression") return writesNothing(flags.expression);
  const joins = flags.type === "LogicalExpression" || (flags.type === "BinaryExpression" && flags.operator === "|");
  return joins && writesNothing(flags.left) && writesNothing(flags.right);
}
