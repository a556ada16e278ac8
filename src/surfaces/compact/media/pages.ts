// Page ranges of a PDF as models write them: "3", "1-5", "1-3,8".
import { Refusal } from "../../../core/failure.ts";

/** 1-based page numbers in order, each once, cut at the last page. */
export function pagesIn(spec: string, total: number): number[] {
  const pages = new Set<number>();
  for (const part of spec.split(",")) {
    const [, from, dash, to] = /^\s*(\d{1,6})\s*(?:(-)\s*(\d{1,6})?\s*)?$/.exec(part) ?? [];
    if (from === undefined) throw badPages(spec, "is no page range");
    const first = Number(from);
    const last = dash === undefined ? first : to === undefined ? total : Number(to);
    if (first < 1 || last < first) throw badPages(spec, "is no page range");
    if (first > total) throw badPages(spec, `lies behind the last page (the document has ${total})`);
    for (let page = first; page <= Math.min(last, total); page++) pages.add(page);
  }
  return [...pages].sort((a, b) => a - b);
}

function badPages(spec: string, why: string): Refusal {
  return new Refusal("invalid_input", `pages: ${JSON.stringify(spec.slice(0, 40))} ${why}.`, {
    next: 'Give pages such as "3" or "1-5".',
  });
}
