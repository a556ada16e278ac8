// Lists files with ripgrep: every path that the scope accepts, in no order.
import { isUtf8 } from "node:buffer";
import type { Path } from "../../core/backend.ts";
import type { SearchCall } from "../results.ts";
import type { Scope } from "../scope.ts";
import { pathOf, type Ripgrep, run, scopeArguments } from "./process.ts";

export async function filesByRipgrep(
  ripgrep: Ripgrep,
  scope: Scope,
  { tally, ...searcher }: SearchCall,
): Promise<Path[]> {
  const { at } = scope;
  if (at.kind === "file") return scope.accepts(at.path) ? [at.path] : [];
  const found: Path[] = [];
  let rest = "";
  await run(ripgrep, ["--files", "--null", ...scopeArguments(scope, ripgrep)], {
    ...searcher,
    onOutput(chunk) {
      const records = (rest + chunk.toString("latin1")).split("\0");
      rest = records.pop()!;
      tally.files = (tally.files ?? 0) + records.length;
      for (const record of records) {
        const path = decoded(record);
        if (path !== undefined && scope.accepts(path)) found.push(path as Path);
      }
      tally.matches = found.length;
      return undefined;
    },
  });
  return found;
}

/** From bytes, one character each. A name that is not valid UTF-8 has no path that leads to it. */
export function decoded(record: string): string | undefined {
  if (!/[\x80-\xff]/.test(record)) return pathOf(record);
  const bytes = Buffer.from(record, "latin1");
  return isUtf8(bytes) ? pathOf(bytes.toString()) : undefined;
}
