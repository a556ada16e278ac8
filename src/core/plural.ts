// Amounts and places in sentences.

/** "1 line", "3 lines", "2 entries", "2 matches" */
export function plural(amount: number, noun: string): string {
  return `${amount} ${amount === 1 ? noun : `${noun}s`.replace(/ys$/, "ies").replace(/chs$/, "ches")}`;
}

/** "a, b and 3 more" */
export function listed(names: readonly unknown[], most = 5): string {
  const more = names.length > most ? ` and ${names.length - most} more` : "";
  return names.slice(0, most).join(", ") + more;
}

/** "line 3", "lines 3-5" */
export function linesBetween(first: number, last: number): string {
  return `${first === last ? "line" : "lines"} ${rangeOf(first, last)}`;
}

/** "3", "3-5" */
export function rangeOf(first: number, last: number): string {
  return first === last ? `${first}` : `${first}-${last}`;
}
