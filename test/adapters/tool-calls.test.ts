// Which reads of a file system count as shown, and which version a write was made of.
import { describe, expect, it } from "vitest";
import { type ToolCalls, toolCalls } from "../../src/adapters/storage/tool-calls.ts";
import type { Sha } from "../../src/core/backend.ts";

const [one, two] = ["1".repeat(64) as Sha, "2".repeat(64) as Sha];
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

function watched() {
  const shown: string[] = [];
  const show = (name: string) => async () => void shown.push(name);
  return { calls: toolCalls(), shown, show };
}

/** As Mastra's tools do it: in an asynchronous context of its own. */
async function tool<T>(calls: ToolCalls, work: () => Promise<T> | T): Promise<T> {
  await turn();
  calls.begins();
  const inner = async () => {
    await turn();
    return work();
  };
  return inner();
}

describe("tool calls", () => {
  it("a read between two stats of one call is shown, once", async () => {
    const { calls, shown, show } = watched();
    await tool(calls, async () => {
      await calls.asked("a");
      expect(calls.toShow("a")).toBe(true);
      calls.given("a", one, show("a"));
      await turn();
      expect(shown).toEqual([]);
      await calls.asked("a");
      await calls.asked("a");
    });
    expect(shown).toEqual(["a"]);
  });

  it("no other read is: without a stat before it, without one after it, of another call, of no call", async () => {
    const { calls, shown, show } = watched();
    await tool(calls, async () => {
      expect(calls.toShow("a")).toBe(false);
      calls.given("a", one, show("no stat before"));
      await calls.asked("a");
    });
    await Promise.all([
      tool(calls, async () => {
        await calls.asked("b");
        calls.given("b", one, show("no stat after"));
        await turn();
        await turn();
      }),
      tool(calls, async () => {
        await turn();
        await calls.asked("b");
      }),
    ]);
    await calls.asked("b");
    await calls.asked("c");
    calls.given("c", one, show("no call"));
    await calls.asked("c");
    expect(shown).toEqual([]);
  });

  it("nor one of a tool that writes, whenever that is known", async () => {
    const { calls, shown, show } = watched();
    await tool(calls, async () => {
      await calls.asked("a");
      calls.writes();
      expect(calls.toShow("a")).toBe(false);
      calls.given("a", one, show("a"));
      await calls.asked("a");
    });
    await tool(calls, async () => {
      await calls.asked("a");
      calls.given("a", one, show("a"));
      calls.writes();
      await calls.asked("a");
    });
    expect(shown).toEqual([]);
  });

  it("a write was made of what the same call has read", async () => {
    const { calls, show } = watched();
    const made = await Promise.all(
      [one, two, undefined].map((sha) =>
        tool(calls, async () => {
          if (sha !== undefined) calls.given("a", sha, show("a"));
          await turn();
          return calls.source("a");
        }),
      ),
    );
    expect(made).toEqual([one, two, undefined]);
    calls.given("a", one, show("a"));
    expect(calls.source("a")).toBeUndefined();
  });

  it("a stat before the execution is that of a tool that writes, one in it that of the read tool", async () => {
    const { calls } = watched();
    expect([calls.isBefore(), calls.reads()]).toEqual([false, false]);
    calls.executes();
    await tool(calls, async () => {
      expect(calls.isBefore()).toBe(true);
      calls.executes();
      expect([calls.isBefore(), calls.reads()]).toEqual([false, true]);
      calls.writes();
      await turn();
      expect([calls.isBefore(), calls.reads(), calls.edits()]).toEqual([false, false, true]);
    });
  });

  it("what comes in the same turn as a look at readOnly is a delete or an edit, and nothing after it", async () => {
    const { calls } = watched();
    expect([calls.deletes(), calls.edits()]).toEqual([false, false]);
    calls.writes();
    expect([calls.deletes(), calls.edits()]).toEqual([true, true]);
    await turn();
    expect([calls.deletes(), calls.edits()]).toEqual([false, false]);
  });
});
