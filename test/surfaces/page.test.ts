// A page of a text is what its first bytes show, however much shorter the text becomes when it is shown.
import { expect, it } from "vitest";
import { countLines } from "../../src/edit/lines.ts";
import type { ReadResult } from "../../src/kernel/page.ts";
import { pageOf } from "../../src/surfaces/workspace/page.ts";

const MOST = Number.MAX_SAFE_INTEGER;

const TEXTS: readonly (readonly [name: string, body: string, shown: string])[] = [
  ["nothing but line ends", "\r\n".repeat(500), "\n".repeat(500)],
  ["short lines", "ab\r\n".repeat(500), "ab\n".repeat(500)],
  ["stray bytes", "\udc80\r\n".repeat(500), "\\x80\n".repeat(500)],
  ["pairs", "😀\r\n".repeat(500), "😀\n".repeat(500)],
];

it.each(TEXTS)("%s", (_name, body, shown) => {
  const read = { body, lines: countLines(body), finalNewline: true } as ReadResult;
  for (let maxBytes = 1; maxBytes < 200; maxBytes++) {
    const { content, truncated, endLine, nextStartLine } = pageOf(read, { from: 1, to: MOST }, maxBytes);
    const whole = Buffer.from(shown)
      .subarray(0, maxBytes)
      .toString()
      .replace(/\uFFFD+$/, "");
    expect({ content, truncated }).toEqual({ content: whole, truncated: true });
    expect(nextStartLine).toBeGreaterThanOrEqual(endLine);
  }
  const { content, truncated } = pageOf(read, { from: 1, to: MOST }, Buffer.byteLength(shown));
  expect({ content, truncated }).toEqual({ content: shown, truncated: false });
});
