// Where in their lines the hits are that ripgrep found line by line, but places with the lines before in view.
import { Refusal } from "../../../core/failure.ts";
import type { Translated } from "../../fallback/regex/index.ts";
import { scanInWorker } from "../../fallback/scan-worker.ts";
import { javascriptPattern, type Pattern } from "../../pattern.ts";
import type { FileHits, SearchCall, Wanted } from "../../results.ts";
import { inTurn } from "../../searches-at-once.ts";

/** A look-behind at the start of a line sees the end of the line before in ripgrep's places, but not in its hits. */
export async function withColumns(
  files: readonly FileHits[],
  { pattern, mode, firstPerLine }: Wanted,
  call: SearchCall,
): Promise<readonly FileHits[]> {
  if (mode !== "lines" || !firstPerLine) return files;
  const expression = expressionFor(pattern);
  if (expression === undefined) return files;
  const texts = files.map(({ hits, latin1 }) =>
    Uint8Array.from(
      Buffer.concat(hits.map((hit) => Buffer.from(`${hit.text}\n`, latin1?.has(hit) ? "latin1" : "utf8"))),
    ),
  );
  const request = { ...expression, files: texts, multiline: false, firstPerLine, before: 0, after: 0, bare: false };
  const scanned = await inTurn(call, () =>
    scanInWorker({ ...request, enough: Number.POSITIVE_INFINITY }, call.deadline, call.signal),
  );
  return files.map((file, n) => {
    const columns = new Map(scanned[n]!.hits.map(({ line, column }) => [line, column]));
    return { ...file, hits: file.hits.map((hit, at) => ({ ...hit, column: columns.get(at + 1) ?? hit.column })) };
  });
}

/** What JavaScript cannot say keeps the places that ripgrep gave. */
function expressionFor(pattern: Pattern): Translated | undefined {
  try {
    return javascriptPattern(pattern);
  } catch (error) {
    if (error instanceof Refusal) return;
    throw error;
  }
}
