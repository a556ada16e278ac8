// Lua: whether its blocks are closed, and have the words that they begin with. There is no grammar of it here.
import type { SyntaxProblem } from "../finding.ts";
import { positionAt } from "../position.ts";

/** The first word that fits nowhere, or the last block that is never closed. */
export function luaProblem(text: string): SyntaxProblem | undefined {
  const open: { readonly word: string; wants: string; readonly at: number }[] = [];
  const problem = (at: number, message: string) => ({ ...positionAt(text, at), message });
  for (const match of text.matchAll(TOKEN)) {
    const [word] = match;
    const top = open.at(-1);
    const wants = OPENS.get(word);
    const goesOn = GOES_ON.get(word);
    if (wants !== undefined && !(word === "do" && top?.wants === "do")) {
      open.push({ word, wants, at: match.index });
      if (open.length > DEEPEST) return undefined;
    } else if (goesOn !== undefined) {
      const [wanted, next] = goesOn;
      if (top?.wants !== wanted) return problem(match.index, `"${word}" where ${said(top)}`);
      if (next === undefined) open.pop();
      else top.wants = next;
    }
  }
  const last = open.at(-1);
  return last && problem(last.at, `"${last.word}" has no "${last.wants}"`);
}

function said(top: { readonly word: string; readonly wants: string } | undefined): string {
  return top === undefined ? "no block is open" : `"${top.word}" wants "${top.wants}"`;
}

// Comments and texts first: they hold no words.
const TOKEN =
  /--\[(=*)\[[\s\S]*?(?:\]\1\]|$)|--[^\n]*|\[(=*)\[[\s\S]*?(?:\]\2\]|$)|"(?:\\[\s\S]|[^"\\\n])*"?|'(?:\\[\s\S]|[^'\\\n])*'?|[A-Za-z_]\w*/g;

/** What a word opens goes on to this one. */
const OPENS: ReadonlyMap<string, string> = new Map([
  ["function", "end"],
  ["if", "then"],
  ["while", "do"],
  ["for", "do"],
  ["do", "end"],
  ["repeat", "until"],
]);
/** What must be wanted where a word stands, and what is wanted then: nothing where it closes the block. */
const GOES_ON: ReadonlyMap<string, readonly [wanted: string, next?: string]> = new Map([
  ["then", ["then", "end"]],
  ["do", ["do", "end"]],
  ["elseif", ["end", "then"]],
  ["else", ["end", "end"]],
  ["end", ["end"]],
  ["until", ["until"]],
]);

// No hand writes this.
const DEEPEST = 400;
