// Small versions, changes and expected refusals for tests that work on a backend directly.
import assert from "node:assert/strict";
import {
  type Author,
  type Backend,
  bytesOf,
  type Change,
  type Entry,
  type FailureKind,
  type Path,
  Refusal,
  type Sha,
  type Version,
  versionOf,
} from "stet";

export const AUTHOR: Author = { session: "s1", agent: "tester", tool: "test" };

export const path = (text: string): Path => text as Path;

export const version = (text: string, mode?: number): Version => versionOf([Buffer.from(text)], mode);

export const change = (at: string, from: Sha | null, to: Version | null, createParents = false): Change => ({
  path: path(at),
  from,
  to,
  proof: "test",
  createParents,
});

export async function write(backend: Backend, at: string, text: string): Promise<Version> {
  const current = await backend.read(path(at));
  await backend.commit([change(at, current?.sha ?? null, version(text), true)], AUTHOR);
  return version(text);
}

export async function textAt(
  backend: Backend,
  at: string,
  how?: Parameters<Backend["read"]>[1],
): Promise<string | null> {
  const found = await backend.read(path(at), how);
  return found === null ? null : Buffer.from(bytesOf(found)).toString();
}

export async function refuses(kind: FailureKind, work: () => Promise<unknown>): Promise<Refusal> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    assert.equal(error.kind, kind, error.message);
    return error;
  }
  return assert.fail(`expected a refusal of kind ${kind}`);
}

export async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const item of items) list.push(item);
  return list;
}

/** Without those that did not happen after all: an entry is never taken off, another one says so. */
export function inEffect(entries: readonly Entry[]): Entry[] {
  const aborted = new Set(entries.flatMap(({ outcome, of = [] }) => (outcome === "aborted" ? of : [])));
  return entries.filter(({ seq, outcome }) => outcome !== "aborted" && !aborted.has(seq));
}
