// Which of the commits that wait go together: none that touches what another of them touches, and not too many files.
import { expect, it } from "vitest";
import { type Job, takeTogether } from "../../src/backends/disk/commit/batch.ts";
import { AUTHOR, change } from "../../src/testing/assertions.ts";

const none = () => undefined;

function job(...paths: string[]): Job {
  const changes = paths.map((path) => change(path, null, null));
  return { changes, author: AUTHOR, note: undefined, begin: none, done: none, failed: none };
}

const files = (count: number, prefix: string): string[] => Array.from({ length: count }, (_, n) => `${prefix}${n}`);

function taken(jobs: readonly Job[], first = jobs[0]!): { taken: number[]; left: number[] } {
  const waiting = new Set(jobs);
  const together = takeTogether(waiting, first);
  const numbers = (some: Iterable<Job>) => [...some].map((each) => jobs.indexOf(each));
  return { taken: numbers(together), left: numbers(waiting) };
}

it.each([
  ["the same path", ["a/b"], ["a/b"]],
  ["one of several paths", ["x", "a/b"], ["a/b", "y"]],
  ["a path below one of the first", ["a"], ["a/b/c"]],
  ["a path above one of the first", ["a/b/c"], ["a"]],
  ["the directory of one of the first", ["a/b/c"], ["a/b"]],
])("%s waits for the next time", (_what, one, other) => {
  expect(taken([job(...one), job(...other)])).toEqual({ taken: [0], left: [1] });
});

it("paths beside each other go together, also where a name begins alike, and the first one is the first", () => {
  const jobs = [job("a/b"), job("a/bc"), job("a/c/b"), job("b")];
  expect(taken(jobs)).toEqual({ taken: [0, 1, 2, 3], left: [] });
  expect(taken(jobs, jobs[2])).toEqual({ taken: [2, 0, 1, 3], left: [] });
});

it("what waits because of one that goes keeps nobody else from going", () => {
  expect(taken([job("a"), job("a", "b"), job("b")])).toEqual({ taken: [0, 2], left: [1] });
});

it("128 files go together; a commit of more goes alone", () => {
  const [first, rest, more] = [job(...files(28, "f")), job(...files(100, "g")), job("h")];
  expect(taken([first, rest, more])).toEqual({ taken: [0, 1], left: [2] });
  expect(taken([first, job(...files(101, "g")), more])).toEqual({ taken: [0, 2], left: [1] });
  expect(taken([job(...files(200, "f")), more])).toEqual({ taken: [0], left: [1] });
});
