// ls: the keys of a store in the order they were made, or the names in the root of the sandbox.
import { printable } from "../../../core/printable.ts";
import { yieldEvery } from "../../../core/yield-every.ts";
import { deadlineOf } from "../../../kernel/progress.ts";
import type { Outcome } from "../outcome.ts";
import type { Place } from "../place.ts";
import { keysIn } from "../store.ts";

export async function ls(place: Place): Promise<Outcome> {
  const files = place.mode === "store" ? await keysOf(place) : await namesIn(place);
  return { plain: files, typed: { files } };
}

async function keysOf({ session, call }: Place): Promise<string[]> {
  await session.resolve(".", "list", call);
  return keysIn(session.workspace.backend).map(printable);
}

async function namesIn({ session, call }: Place): Promise<string[]> {
  const { backend, policy } = session.workspace;
  const deadline = deadlineOf(session, call);
  const root = await session.resolve(".", "list", call);
  const names: string[] = [];
  const yieldNow = yieldEvery();
  deadline.check();
  for await (const { name, path } of backend.list(root.path)) {
    await yieldNow();
    deadline.check();
    if (!name.startsWith(".") && policy.allows(path, "list")) names.push(name);
  }
  return names.sort().map(printable);
}
