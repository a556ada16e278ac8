// The places of a file that a run of it passes or does not: its statements, and the bodies of its short functions.
import { parseSync } from "oxc-parser";
import { childrenOf } from "./mutations.mjs";

/** @returns {{ start: number, end: number, how: "before" | "block" | "comma" }[]} outermost first */
export function placesOf(file, source) {
  const { program } = parseSync(file, source, { range: true });
  const places = [];
  visit(program, false);
  return places;

  function visit(node, isInFunction) {
    for (const { key, child } of childrenOf(node)) {
      const how = isInFunction || node.type === "ArrowFunctionExpression" ? howToMark(node, key, child) : undefined;
      if (how !== undefined) places.push({ start: child.start, end: child.end, how });
      visit(child, isInFunction || isFunctionBody(node, key));
    }
  }
}

/** The source, which calls of each place that it passes; `first` is the number of the first. Lines stay where they are. */
export function marked(source, places, first) {
  const inserted = places.flatMap(({ start, end, how }, index) => {
    // some of it runs in other threads, as text: there is nothing there yet
    const mark = `(globalThis.placesPassed??=[])[${first + index}]=1`;
    if (how === "before") return [{ at: start, text: `${mark};`, order: index }];
    const [open, close] = how === "block" ? [`{${mark};`, "}"] : [`(${mark},`, ")"];
    return [
      { at: start, text: open, order: index },
      { at: end, text: close, order: -index },
    ];
  });
  inserted.sort((one, other) => one.at - other.at || one.order - other.order);
  let text = "";
  let from = 0;
  for (const { at, text: more } of inserted) {
    text += source.slice(from, at) + more;
    from = at;
  }
  return text + source.slice(from);
}

/** The innermost; -1 for what runs once, when the file is loaded. */
export function placeOf(places, start) {
  return places.findLastIndex((place) => place.start <= start && start < place.end);
}

const LISTS = { BlockStatement: "body", FunctionBody: "body", SwitchCase: "consequent" };
const BODIES = /^(If|While|DoWhile|For|ForIn|ForOf)Statement$/;
const FUNCTION = /^(Function(Declaration|Expression)|ArrowFunctionExpression)$/;

function howToMark(node, key, child) {
  if (LISTS[node.type] === key) return child.type === "FunctionDeclaration" ? undefined : "before";
  const isBody = BODIES.test(node.type) && ["consequent", "alternate", "body"].includes(key);
  if (isBody) return child.type === "BlockStatement" ? undefined : "block";
  const isShort = node.type === "ArrowFunctionExpression" && key === "body" && node.expression;
  return isShort ? "comma" : undefined;
}

function isFunctionBody(node, key) {
  return FUNCTION.test(node.type) && key === "body";
}
