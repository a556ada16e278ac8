// The mutants of a file: one small change each, that a test should notice.
import { parseSync } from "oxc-parser";

/** @returns {{ file: string, line: number, start: number, end: number, text: string, what: string }[]} */
export function mutantsOf(file, source) {
  const { program, errors } = parseSync(file, source, { range: true });
  if (errors.length > 0) throw new Error(`${file}: ${errors[0].message}`);
  const mutants = [];
  const codeOf = (node) => source.slice(node.start, node.end);
  const change = (node, text, what) => {
    const line = source.slice(0, node.start).split("\n").length;
    mutants.push({ file, line, start: node.start, end: node.end, text, what: `${what}: ${brief(codeOf(node))}` });
  };
  walk(program, undefined, (node, parent) => MUTATORS[node.type]?.({ node, parent, codeOf, change }));
  return mutants;
}

const OTHER = {
  "<": "<=",
  "<=": "<",
  ">": ">=",
  ">=": ">",
  "===": "!==",
  "!==": "===",
  "+": "-",
  "-": "+",
  "*": "/",
  "/": "*",
  "%": "*",
  "&&": "||",
  "||": "&&",
};

const MUTATORS = {
  BinaryExpression: exchange,
  LogicalExpression(found) {
    const { node, codeOf, change } = found;
    if (node.operator !== "??") return exchange(found);
    change(node, `(${codeOf(node.right)})`, "the right side of ?? always");
  },
  IfStatement: negate,
  ConditionalExpression: negate,
  WhileStatement: ({ node, change }) => change(node.test, "false", "a loop that never runs"),
  UnaryExpression({ node, codeOf, change }) {
    if (node.operator === "!") change(node, `(${codeOf(node.argument)})`, "without !");
  },
  Literal({ node, parent, change }) {
    if (typeof node.value === "boolean") change(node, String(!node.value), "the opposite");
    if (node.value < MOST_COUNTED && typeof node.value === "number" && !isName(node, parent))
      change(node, `${node.value + 1}`, "one more");
  },
  ExpressionStatement({ node, change }) {
    // the parser says null of what is no directive
    if (typeof node.directive !== "string") change(node, ";", "left out");
  },
  ReturnStatement({ node, change }) {
    if (node.argument !== null) change(node, "return undefined;", "nothing returned");
  },
  ThrowStatement: ({ node, change }) => change(node, ";", "not thrown"),
  AwaitExpression: ({ node, codeOf, change }) => change(node, `(${codeOf(node.argument)})`, "without await"),
};

function exchange({ node, codeOf, change }) {
  const other = OTHER[node.operator];
  const isText = [node.left, node.right].some(
    ({ type, value }) => type === "TemplateLiteral" || typeof value === "string",
  );
  if (other === undefined || (isText && "+-*/%".includes(node.operator))) return;
  const text = `(${codeOf(node.left)}) ${other} (${codeOf(node.right)})`;
  change(node, `(${text})`, `${node.operator} is ${other}`);
}

function negate({ node, codeOf, change }) {
  change(node.test, `!(${codeOf(node.test)})`, "the other branch");
}

/** A larger number is a limit: what happens just there is for its own tests to say. */
const MOST_COUNTED = 64;

function isName(node, parent) {
  return parent?.type === "Property" && parent.key === node;
}

/** Types say nothing at run time, and of what is imported nothing can be changed here. */
const PASSED_BY = /^(TS(?!AsExpression|NonNullExpression|SatisfiesExpression)|Import|ExportAll)/;

function walk(node, parent, visit) {
  if (PASSED_BY.test(node.type)) return;
  visit(node, parent);
  for (const { child } of childrenOf(node)) walk(child, node, visit);
}

/** @returns {{ key: string, child: object }[]} */
export function childrenOf(node) {
  return Object.entries(node).flatMap(([key, value]) =>
    (Array.isArray(value) ? value : [value])
      .filter((child) => typeof child?.type === "string")
      .map((child) => ({ key, child })),
  );
}

function brief(code) {
  const line = code.replace(/\s+/g, " ");
  return line.length <= 90 ? line : `${line.slice(0, 89)}…`;
}
