// A workspace that is closed beside open calls: each of them is made and says so, or is not made and says so.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { openWorkspace, Refusal } from "stet";
import { describe, expect, it } from "vitest";
import { all } from "../support/assertions.ts";
import { directoryWith } from "../support/workspace.ts";

async function turns(count: number): Promise<void> {
  for (let n = 0; n < count; n++) await new Promise(setImmediate);
}

const outcomeOf = (change: Promise<unknown>): Promise<unknown> =>
  change.then(
    () => "made",
    (error) => (error instanceof Refusal ? error.failure.message : error),
  );

describe("a workspace that is closed", () => {
  it.each([0, 1, 2, 3, 5])(
    "%i turns after a write began makes it or refuses it, and leaves nothing half done",
    async (n) => {
      const root = directoryWith({ "a.txt": "old\n" });
      const workspace = openWorkspace({ root });
      const session = workspace.session();
      await session.read("a.txt");
      const outcome = outcomeOf(session.write("a.txt", "new\n"));
      await turns(n);
      await workspace.close();
      const made = readFileSync(join(root, "a.txt"), "utf8") === "new\n";
      expect(await outcome).toBe(made ? "made" : "The workspace was closed.");
      expect(readdirSync(root).filter((name) => name !== ".stet")).toEqual(["a.txt"]);
    },
  );

  it("lets those in line finish, and its files and its journal agree", async () => {
    const seen = new Set<unknown>();
    for (let round = 0; round < 8; round++) {
      const root = directoryWith({});
      const workspace = openWorkspace({ root });
      const session = workspace.session();
      const names = Array.from({ length: 8 }, (_, i) => `f${i}`);
      const outcomes = names.map((name) => outcomeOf(session.create(name, "x")));
      await turns(round);
      await workspace.close();
      const told = await Promise.all(outcomes);
      for (const each of told) seen.add(each);
      const made = names.filter((_, i) => told[i] === "made");
      expect(names.filter((name) => existsSync(join(root, name)))).toEqual(made);
      const again = openWorkspace({ root });
      const entries = await all(again.log({ outcomes: ["applied"] }));
      expect(entries.flatMap(({ changes }) => changes.map(({ path }) => path)).sort()).toEqual(made);
      expect(await again.verify()).toMatchObject({ ok: true });
      await again.close();
    }
    expect([...seen].filter((each) => each !== "made" && each !== "The workspace was closed.")).toEqual([]);
    expect(seen).toContain("made");
  });

  it("can be closed within a walk through its own log", async () => {
    const workspace = openWorkspace({ root: directoryWith({}), durability: "fast" });
    const session = workspace.session();
    for (const name of ["a", "b"]) await session.create(name, "");
    for await (const entry of workspace.log()) {
      expect(entry.seq).toBe(1);
      await workspace.close();
      break;
    }
    await expect(session.read("a")).rejects.toThrow("The workspace was closed.");
  });
});
