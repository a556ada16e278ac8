// Where ripgrep would need too much memory: it searches what is small, and JavaScript, which keeps no match that is not
// shown, what is not.
import type { Path } from "../../core/backend.ts";
import { grepByJavascript } from "../fallback/grep.ts";
import { looked } from "../find.ts";
import { inOrder } from "../order.ts";
import type { Found, SearchCall, Wanted } from "../results.ts";
import type { Scope } from "../scope.ts";
import { filesByRipgrep } from "./files.ts";
import { both } from "./grep.ts";
import type { Ripgrep } from "./process.ts";
import { grepByRipgrep } from "./settled.ts";

/** Even if every letter of it is a match, ripgrep has room for it in every thread. */
const SMALL = 128 * 1024;

export async function grepBySize(ripgrep: Ripgrep, scope: Scope, wanted: Wanted, call: SearchCall): Promise<Found> {
  if (scope.at.kind === "file") return grepByJavascript(scope, wanted, call);
  const most = Math.min(wanted.maxFileBytes ?? SMALL, SMALL);
  const small = await grepByRipgrep(ripgrep, scope, { ...wanted, maxFileBytes: most }, call);
  const paths = await filesByRipgrep(ripgrep, scope, { ...call, tally: { files: 0, matches: 0 } }, wanted);
  const files = await looked(ripgrep, scope, paths, call.deadline);
  const large = files.filter(({ size }) => size > most).map(({ path }) => path);
  return both(small, await grepByJavascript(scope, wanted, call, oneByOne(inOrder(large, (path) => path))), wanted);
}

async function* oneByOne(paths: readonly Path[]): AsyncGenerator<Path> {
  yield* paths;
}
