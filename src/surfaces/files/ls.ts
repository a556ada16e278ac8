// ls: the keys of a store in the order they were made, or the names in the root of the sandbox.
import type { Path } from "../../backends/backend.ts";
import { shown } from "../../backends/names.ts";
import type { Outcome } from "./outcome.ts";
import type { Place } from "./place.ts";

export async function ls(place: Place): Promise<Outcome> {
  const files = place.mode === "store" ? await keysOf(place) : await namesIn(place);
  return { plain: files, typed: { files } };
}

/** The journal knows in which order the files were made, and how their paths were written. */
async function keysOf({ session }: Place): Promise<string[]> {
  const keys = new Map<Path, string>();
  for await (const { changes, details } of session.workspace.log({ outcomes: ["applied"] })) {
    for (const { path, from, to } of changes) {
      if (to === null) keys.delete(path);
      else if (from === null) keys.set(path, typeof details?.key === "string" ? details.key : path);
    }
  }
  return [...keys.values()].map(printable);
}

async function namesIn({ session, call }: Place): Promise<string[]> {
  const { backend, policy } = session.workspace;
  const root = await session.resolve(".", "list", call);
  const names: string[] = [];
  for await (const { name, path } of backend.list(root.path)) {
    if (!name.startsWith(".") && policy.allows(path, "list")) names.push(name);
  }
  return names.sort().map(printable);
}

/** One name a line: what could break a line is escaped. */
function printable(name: string): string {
  return /[\p{Cc}\p{Cf}\p{Surrogate}\u2028\u2029]/u.test(name) ? shown(name).slice(1, -1) : name;
}
