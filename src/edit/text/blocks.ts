// Where blocks of lines open, go on and close: by indentation, brackets, and words that most languages share.

/** The blanks that a line begins with. */
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
/** `{`, `) {`, `} else {`, `else:`: at the depth of the line that opens the block, and still part of it. */
export const CONTINUES_BLOCK =
  /^\s*(?:\{\s*$|[)\]}].*[{([:,]\s*$|(?:else|elif|elsif|elseif|except|catch|finally|rescue|ensure|then|case|default)\b)/;

/** The first line behind the block that line `head` opens. What stands at the margin before a closing brace is inside. */
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
