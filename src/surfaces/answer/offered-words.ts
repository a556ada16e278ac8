// What tools and refusals say, without what is not offered: no model is sent to a tool that is not there.
import type { Failure, FailureKind } from "../../core/failure.ts";
import type { AnyTool } from "../tool.ts";
import { nextFor } from "./last-resort.ts";

type Told = Pick<AnyTool, "name" | "actions">;

/** `kind`: as the kernel has it, which tells more cases apart than a dialect may. */
export function offeredOnly(
  failure: Failure,
  kind: FailureKind,
  all: readonly Told[],
  offered: readonly Told[],
): Failure {
  const { suggestedAction = "" } = failure;
  const gone = all.map(({ name }) => name).filter((name) => !offered.some((tool) => tool.name === name));
  const actions = new Set<string>(offered.flatMap((tool) => tool.actions));
  const impossible = DOING.filter(([, ...needed]) => !needed.some((each) => actions.has(each))).map(([words]) => words);
  const lacking = [...gone.map(asNamed), ...impossible];
  if (!lacking.some((words) => words.test(suggestedAction))) return failure;
  const next = without(suggestedAction, gone, lacking);
  return { ...failure, suggestedAction: next === "" ? nextFor(kind) : next };
}

/** Words that name no tool, and the actions of which one does it. */
const DOING: readonly (readonly [words: RegExp, ...needed: string[]])[] = [
  [/\blists\b/, "list", "glob", "search"],
  [/\bsearch in it\b/, "grep", "search"],
];

/** What a description says to those who are offered these tools; undefined where all of it holds. */
export function wordsFor(
  all: readonly Told[],
  offered: readonly Told[],
  { directory }: { readonly directory: boolean },
): ((text: string) => string) | undefined {
  const gone = all.map(({ name }) => name).filter((name) => !offered.some((tool) => tool.name === name));
  if (gone.length === 0 && directory) return undefined;
  const lacking = gone.map(asNamed);
  return (given) => {
    const text = directory ? given : given.replace(", or absolute", "");
    return lacking.some((words) => words.test(text)) ? without(text, gone, lacking) : text;
  };
}

/** Alternatives of one sentence go one by one; what is left of it is a sentence again. */
function without(text: string, gone: readonly string[], lacking: readonly RegExp[]): string {
  let kept = "";
  let space = "";
  for (const [, sentence = "", after = ""] of text.matchAll(/(.+?(?:(?<=[.?!])(?=\s)|$))(\s*)/gs)) {
    const left = leftOf(sentence, gone, lacking);
    if (left !== "") kept += (kept === "" ? "" : space) + left;
    // A paragraph that begins stays one, whatever is left out before it.
    space = left === "" && !after.includes("\n") ? space : after;
  }
  return kept;
}

function leftOf(sentence: string, gone: readonly string[], lacking: readonly RegExp[]): string {
  const one = oneOf(sentence, gone);
  const [first = "", ...rest] = one.split(/(; |, or )/);
  const parts = [{ before: "", words: first }];
  for (let n = 0; n < rest.length; n += 2) parts.push({ before: rest[n]!, words: rest[n + 1]! });
  const left = parts.filter(({ words }) => !lacking.some((each) => each.test(words)));
  if (left.length === parts.length) return one;
  return left.length === 0 ? "" : asSentence(left.map(({ before, words }, n) => (n > 0 ? before : "") + words));
}

function asSentence(parts: readonly string[]): string {
  const words = parts.join("");
  const [first = ""] = /^\w+/.exec(words) ?? [];
  const begun = isName(first) ? words : words.charAt(0).toUpperCase() + words.slice(1);
  return begun.replace(/[^.?!]$/, "$&.");
}

/** "edit_file or write_file", of which one is left. */
function oneOf(sentence: string, gone: readonly string[]): string {
  return sentence.replace(/\b(\w+) or (\w+)\b/g, (both, one: string, other: string) => {
    if (!isName(one) || !isName(other) || gone.includes(one) === gone.includes(other)) return both;
    return gone.includes(one) ? other : one;
  });
}

/** Not by chance: "Read the file" is English, "with Read" and "Write replaces" are tools. */
function asNamed(name: string): RegExp {
  if (isName(name)) return new RegExp(`\\b${name}\\b`);
  return new RegExp(
    `\\b(?:[Ww]ith|[Uu]se|[Bb]y|[Cc]all|[Pp]refer|anchors for) ${name}\\b|\\b${name} (?:with|${VERBS})\\b`,
  );
}

const VERBS = "lists|finds|shows|creates|replaces|takes|makes";

/** Words that are written as names only. */
function isName(word: string): boolean {
  return /_|[a-z][A-Z]/.test(word);
}
