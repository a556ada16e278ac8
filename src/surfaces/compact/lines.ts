// Lines as a model sees them: numbered.

/** `N<tab>line`, N counted from `first`. */
export function numbered(lines: readonly string[], first: number): string {
  return lines.map((line, index) => `${first + index}\t${line}`).join("\n");
}
