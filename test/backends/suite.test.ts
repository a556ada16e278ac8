// The conformance suite itself: what it runs, what may be left out, and that it can fail.
import type { Backend } from "stet";
import { memory } from "stet/backends/memory";
import { cases, type Runner, testBackend } from "stet/testing";
import { describe, expect, it } from "vitest";

function collecting(): { readonly runner: Runner; readonly tests: Map<string, () => Promise<void>> } {
  const tests = new Map<string, () => Promise<void>>();
  const runner: Runner = { describe: (_name, body) => body(), it: (name, body) => void tests.set(name, body) };
  return { runner, tests };
}

describe("testBackend", () => {
  it("registers every case but those left out with a reason", async () => {
    const { runner, tests } = collecting();
    const [first] = cases;
    await testBackend((name) => memory({ name }), { runner, skip: [{ reason: "has no files", cases: [first!.name] }] });
    expect([...tests.keys()]).toEqual(cases.slice(1).map(({ name }) => name));
  });

  it("refuses to leave out a case without a reason, or one that does not exist", async () => {
    const { runner } = collecting();
    const named = (reason: string, name: string) => ({ runner, skip: [{ reason, cases: [name] }] });
    await expect(testBackend(() => memory(), named(" ", cases[0]!.name))).rejects.toThrow("needs a reason");
    await expect(testBackend(() => memory(), named("why", "no such case"))).rejects.toThrow("no case named");
  });

  it("fails a backend that loses what it replaces", async () => {
    const { runner, tests } = collecting();
    await testBackend(() => ({ ...memory(), recall: async () => null }), { runner });
    await expect(tests.get("replaced, deleted and written versions can be recalled")!()).rejects.toThrow();
  });

  it("fails a backend that opens another workspace under the same name", async () => {
    const { runner, tests } = collecting();
    await testBackend(() => memory(), { runner });
    const ofTwo = [...tests.keys()].filter((name) => /another one on the same|two backends|another backend/.test(name));
    expect(ofTwo).toHaveLength(5);
    for (const name of ofTwo) await expect(tests.get(name)!(), name).rejects.toThrow();
  });

  it("fails a backend that does not say when a commit begins", async () => {
    const { runner, tests } = collecting();
    const deaf = (): Backend => {
      const backend = memory();
      return { ...backend, commit: (changes, author, note) => backend.commit(changes, author, note) };
    };
    await testBackend(deaf, { runner });
    for (const name of [...tests.keys()].filter((each) => /begin|begun/.test(each)))
      await expect(tests.get(name)!(), name).rejects.toThrow();
  });

  it("fails a backend that drops what came into use after the look", async () => {
    const { runner, tests } = collecting();
    const hasty = (): Backend => {
      const backend = memory();
      return { ...backend, forget: (shas) => backend.forget(shas) };
    };
    await testBackend(hasty, { runner });
    const names = [...tests.keys()].filter((each) => each.includes("after it was looked at"));
    expect(names).toHaveLength(2);
    for (const name of names) await expect(tests.get(name)!(), name).rejects.toThrow();
  });
});
