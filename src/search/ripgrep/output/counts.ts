// Reads `path NUL count newline`, as ripgrep prints counts.
import type { FileHits, Wanted } from "../../results.ts";
import { decoded } from "../files.ts";
import type { Accepts, Collector } from "../grep.ts";

export function countsFromText({ enough }: Pick<Wanted, "enough">, accepts: Accepts): Collector {
  const record = /([^\0]*)\0(\d+)\r?\n/y;
  const files: FileHits[] = [];
  let rest = "";
  return {
    take(chunk) {
      const text = rest + chunk.toString("latin1");
      let end = 0;
      for (let match = record.exec(text); match !== null; match = record.exec(text)) {
        end = record.lastIndex;
        const path = decoded(match[1]!);
        if (path === undefined || !accepts(path)) continue;
        files.push({ path, count: Number(match[2]), hits: [] });
        if (files.length >= enough) return "stop";
      }
      record.lastIndex = 0;
      rest = text.slice(end);
      return undefined;
    },
    number: () => files.length,
    found: () => ({ files, cut: false }),
  };
}
