// Text shown to a model so that whitespace can be seen: tabs as →, spaces as ·, accents of their own by their number.

export const MAX_QUOTED = 120;

/** One line in backticks, a long one cut around its character `at`. */
export function quote(line: string, at = 0): string {
  return `\`${cut(line, at)}\``;
}

/** As `quote`, with every blank made visible. */
export function quoteVisible(line: string, at = 0): string {
  return `\`${visible(cut(line, at))}\``;
}

/** Two lines that differ, around the first character that does. Characters that are not ASCII are named by their number. */
export function sideBySide(file: string, wrote: string, show = quoteVisible): string {
  let at = 0;
  while (at < wrote.length && file[at] === wrote[at]) at++;
  const both = [file, wrote].map((line) => line.slice(at).match(/^\P{Surrogate}/u)?.[0] ?? "");
  const odd = both.filter((char) => char > "\x7f" && visible(char) === char);
  const numbers = odd.map((char) => `${char} is ${numberOf(char)}`);
  const shown = `the file has ${show(file, at)}, the old text ${show(wrote, at)}`;
  if (numbers.length === 0 && shown.includes("⟨U+")) numbers.push("⟨U+…⟩ a character by its number");
  const legend = [...(show === quoteVisible ? ["· is a space, → a tab"] : []), ...numbers].join(", ");
  return `${shown}${legend && ` (${legend})`}`;
}

export function numberOf(char: string): string {
  return `U+${char.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}`;
}

export function visible(line: string): string {
  return line.replace(/[\u0300-\u036f]|[\t \u00a0\u200b-\u200d\u2000-\u200a\u202f\u205f\u3000\ufeff\r]/g, (blank) => {
    if (blank === "\t") return "→";
    if (blank === " ") return "·";
    return `⟨${numberOf(blank)}⟩`;
  });
}

/** Never through a surrogate pair. */
function cut(line: string, at: number): string {
  if (line.length <= MAX_QUOTED) return line;
  const from = Math.max(0, Math.min(at, line.length) - MAX_QUOTED / 2);
  const to = from + MAX_QUOTED;
  const part = line.slice(from, to).replace(/^[\udc00-\udfff]|[\ud800-\udbff]$/g, "");
  return `${from > 0 ? "…" : ""}${part}${to < line.length ? "…" : ""}`;
}
