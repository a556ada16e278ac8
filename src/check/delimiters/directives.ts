// Directives of C: of `#if` … `#else` … `#endif` only one branch is compiled, and each may open the same brace.

/** The text with every branch after the first blanked out; offsets and line ends stay. */
export function firstBranches(text: string): string {
  let depth = 0;
  let blankFrom: number | undefined;
  return text.replace(/[^\r\n]+/g, (line) => {
    const [, directive] = /^[ \t]*#[ \t]*(if|ifdef|ifndef|elif|elifdef|elifndef|else|endif)\b/.exec(line) ?? [];
    const blank = blankFrom !== undefined;
    if (directive?.startsWith("if")) depth++;
    else if (directive === "endif") {
      if (depth === blankFrom) blankFrom = undefined;
      depth = Math.max(0, depth - 1);
    } else if (directive !== undefined && depth > 0) blankFrom ??= depth;
    return blank ? " ".repeat(line.length) : line;
  });
}
