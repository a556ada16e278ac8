// Short quotations of lines for messages.

const PREVIEW = 40;

/** At most 40 characters of the trimmed line; a surrogate pair is never cut in two. */
export function preview(line: string, most: number = PREVIEW): string {
  const text = line.trim();
  if (text.length <= most) return text;
  const end = most - 1;
  const splitsPair = /[\uD800-\uDBFF]/.test(text.charAt(end - 1)) && /[\uDC00-\uDFFF]/.test(text.charAt(end));
  return `${text.slice(0, splitsPair ? end - 1 : end)}…`;
}
