// ls: the keys of a store in the order they were made, or the names in the root of the sandbox.
import type { Path } from "../../../core/backend.ts";
import { otherWorkNowAndThen } from "../../../core/other-work.ts";
import { printable } from "../../../core/printable.ts";
import { deadlineOf } from "../../deadline-of.ts";
import type { Outcome } from "../outcome.ts";
import type { Place } from "../place.ts";

export async function ls(place: Place): Promise<Outcome> {
  const files = place.mode === "store" ? await keysOf(place) : await namesIn(place);
  return { plain: files, typed: { files } };
}

/** The journal knows in which order the files were made, and how their paths were written. */
async function keysOf({ session, call }: Place): Promise<string[]> {
  const deadline = deadlineOf(session, call);
  const keys = new Map<Path, string>();
  await session.resolve(".", "list", call);
  deadline.check();
  for await (const { changes, details } of session.workspace.log({ outcomes: ["applied"] })) {
    deadline.check();
    for (const { path, from, to } of changes) {
      if (to === null) keys.delete(path);
      else if (from === null) keys.set(path, typeof details?.key === "string" ? details.key : path);
    }
  }
  return [...keys.values()].map(printable);
}

async function namesIn({ session, call }: Place): Promise<string[]> {
  const { backend, policy } = session.workspace;
  const deadline = deadlineOf(session, call);
  const root = await session.resolve(".", "list", call);
  const names: string[] = [];
  const otherWork = otherWorkNowAndThen();
  deadline.check();
  for await (const { name, path } of backend.list(root.path)) {
    await otherWork();
    deadline.check();
    if (!name.startsWith(".") && policy.allows(path, "list")) names.push(name);
  }
  return names.sort().map(printable);
}
