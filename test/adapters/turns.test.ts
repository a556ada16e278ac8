// Which reads of a file system count as shown, and which version a write was made of.
import { describe, expect, it } from "vitest";
import { turns } from "../../src/adapters/storage/turns.ts";
import type { Sha } from "../../src/core/backend.ts";

const [one, two] = ["1".repeat(64) as Sha, "2".repeat(64) as Sha];
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

function watched() {
  const shown: string[] = [];
  const show = (name: string) => async () => void shown.push(name);
  return { all: turns(), shown, show };
}

describe("turns", () => {
  it("a read after a stat is shown when the turn is over, or at the next look", async () => {
    const { all, shown, show } = watched();
    all.asked("a");
    expect(all.toShow("a")).toBe(true);
    all.given("a", one, show("a"));
    expect(shown).toEqual([]);
    all.toShow("a");
    expect(shown).toEqual(["a"]);
    await turn();
    expect(shown).toEqual(["a"]);
    all.asked("b");
    await turn();
    expect(all.toShow("b")).toBe(false);
  });

  it("a read that is written in the same turn is shown to nothing, and is what the write was made of", async () => {
    const { all, shown, show } = watched();
    all.given("a", one, show("a"));
    expect(all.source("a")).toBe(one);
    expect(all.source("a")).toBe(one);
    await turn();
    expect([shown, all.source("a")]).toEqual([[], undefined]);
  });

  it("of two versions in one turn none is what a write was made of", async () => {
    const { all } = watched();
    all.given("a", one, undefined);
    all.given("a", two, undefined);
    expect([one, two, undefined]).not.toContain(all.source("a"));
    await turn();
    all.given("a", two, undefined);
    expect(all.source("a")).toBe(two);
  });

  it("waits for what is being shown, and outlives what cannot be", async () => {
    const { all } = watched();
    let done = false;
    all.given("a", one, async () => {
      await turn();
      done = true;
    });
    await turn();
    await all.settled();
    expect(done).toBe(true);
    all.given("b", one, () => Promise.reject(new Error("no ledger")));
    await turn();
    await turn();
    await all.settled();
  });
});
