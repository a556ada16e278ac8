// What conformance cases need again and again: small versions, changes, and the refusal they expect.
import assert from "node:assert/strict";
import type { Author, Backend, BackendRead, Change, Path, Sha, Version } from "../core/backend.ts";
import { type FailureKind, Refusal } from "../core/failure.ts";
import { bytesOf, versionOf } from "../core/version.ts";

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

export async function textAt(backend: Backend, at: string, how?: BackendRead): Promise<string | null> {
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
