// Amounts and places in sentences.

/** "1 line", "3 lines" */
export function counted(amount: number, noun: string): string {
  return `${amount} ${noun}${amount === 1 ? "" : "s"}`;
}

/** "line 3", "lines 3-5" */
export function linesBetween(first: number, last: number): string {
  return first === last ? `line ${first}` : `lines ${first}-${last}`;
}
