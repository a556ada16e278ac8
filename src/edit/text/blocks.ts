// Blocks of lines: how they open, continue and close, by indentation, brackets and common keywords.

/** Returns the leading blanks of a line. */
export function indentOf(line: string): string {
  let end = 0;
  while (end < line.length && (line[end] === " " || line[end] === "\t")) end++;
  return line.slice(0, end);
}

export function isBlankLine(line: string): boolean {
  return indentOf(line).length === line.length || line.trim() === "";
}

export const OPENS_BLOCK = /[{([:]\s*$/;
export const OPENS_BRACKET = /[{([]\s*$/;
export const CLOSES_BLOCK = /^\s*(?:[)\]}]|<\/|(?:end|fi|done|esac)\b)/i;
/** `{`, `) {`, `} else {` and `else:` are as deep as the line that opens the block, and still part of it. */
export const CONTINUES_BLOCK =
  /^\s*(?:\{\s*$|[)\]}].*[{([:,]\s*$|(?:else|elif|elsif|elseif|except|catch|finally|rescue|ensure|then|case|default)\b)/;

/** Returns the line behind the block that line `head` opens. Lines at the margin before a closing brace are inside. */
export function endOfBlock(lines: readonly string[], head: number): number {
  const depth = indentOf(lines[head]!).length;
  let isBraced = OPENS_BRACKET.test(lines[head]!);
  for (let at = head + 1; at < lines.length; at++) {
    const line = lines[at]!;
    const isComment = line.startsWith("#");
    if (isBlankLine(line) || isComment || indentOf(line).length > depth) continue;
    if (CONTINUES_BLOCK.test(line)) isBraced = OPENS_BRACKET.test(line);
    else if (!isBraced || CLOSES_BLOCK.test(line)) return at;
  }
  return lines.length;
}
