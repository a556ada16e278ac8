// Refusals about paths, in the same words for every backend.
import { Refusal } from "../core/failure.ts";
import { noSuchDirectory } from "../core/paths.ts";
import { shown } from "../core/printable.ts";
import { refuse } from "../words/index.ts";

export function outside(raw: string, why = OUTSIDE): Refusal {
  const relative = why === OUTSIDE && raw.startsWith("/") ? ': without the leading "/" it is relative to the root' : "";
  return new Refusal("outside_workspace", `${shown(raw)} ${why}.`, {
    path: raw,
    next: `Use a path inside the workspace${relative}.`,
  });
}

const OUTSIDE = "leads outside the workspace";

export function changed(path: string): Refusal {
  return new Refusal("path_changed", `Something on the way to ${shown(path)} was replaced while it was being opened.`, {
    path,
    next: "Resolve the path again and retry.",
  });
}

/** There is a directory where a file was asked for. */
export function notAFile(path: string): Refusal {
  return new Refusal("not_a_file", `${shown(path)} is a directory, not a file.`, {
    path,
    next: "List it, or name a file inside it.",
  });
}

export function refuseLarger(path: string, size: number, maxBytes = size): void {
  if (size > maxBytes) throw refuse("too_large", { path, size, maxBytes });
}

/** Of `missing/../x`, as the operating system has it; what climbs out of the workspace is told that first. */
export function backOutOfNothing(raw: string, names: readonly string[], tail: readonly string[]): Refusal {
  let depth = names.length;
  for (const name of tail) {
    depth += name === ".." ? -1 : 1;
    if (depth < 0) return outside(raw);
  }
  return noSuchDirectory(raw, [...names, tail[0]!].join("/"));
}
