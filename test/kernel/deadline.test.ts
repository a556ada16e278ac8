import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { startDeadline } from "../../src/core/deadline.ts";
import { Refusal } from "../../src/core/failure.ts";
import { createFile, writeFile } from "../../src/kernel/verbs.ts";
import { refuses, textAt } from "../../src/testing/assertions.ts";
import { memoryWorkspace } from "../support/workspace.ts";

describe("what was settled and came to nothing", () => {
  it("can be cut again, and is cut at once when the time was up meanwhile", async () => {
    const deadline = startDeadline(60);
    const call = deadline.untilSettled(sleep(30_000, "done", { ref: false }));
    const resume = deadline.settle();
    // what is settled is not cut, however long it takes
    expect(await Promise.race([call.catch(() => "cut"), sleep(150, "goes on")])).toBe("goes on");
    resume();
    await refuses("timeout", () => call);
    expect(() => deadline.settle()).toThrow(Refusal);
  });

  it("can be cancelled again, and not while anything else is settled", async () => {
    const giveUp = new AbortController();
    const deadline = startDeadline(60_000, giveUp.signal);
    const call = deadline.untilSettled(sleep(30_000, "done", { ref: false }));
    const [first, second] = [deadline.settle(), deadline.settle()];
    await sleep(20);
    giveUp.abort();
    first();
    expect(await Promise.race([call.catch(() => "cut"), sleep(50, "goes on")])).toBe("goes on");
    second();
    await refuses("cancelled", () => call);
  });

  it("goes on to its end when it is settled again", async () => {
    const deadline = startDeadline(100);
    const call = deadline.untilSettled(sleep(200, "done"));
    deadline.settle()();
    deadline.settle();
    expect(await call).toBe("done");
  });
});

describe("deadlines and cancelling", () => {
  const session = () => memoryWorkspace({ a: "1\n" }).session();

  it("a call that was cancelled before it began changes nothing", async () => {
    const s = session();
    await s.read("a");
    await refuses("cancelled", () => writeFile(s, "a", "2\n", { signal: AbortSignal.abort() }));
    expect(await textAt(s.workspace.backend, "a")).toBe("1\n");
  });

  it("a call cancelled while its edit runs changes nothing", async () => {
    const s = session();
    await s.read("a");
    const controller = new AbortController();
    const target = { path: "a", proof: { by: "session" }, action: "write" } as const;
    const edit = () => {
      controller.abort();
      return [{ body: "2\n" }];
    };
    await refuses("cancelled", () => s.change([target], edit, { signal: controller.signal }));
    expect(await textAt(s.workspace.backend, "a")).toBe("1\n");
  });

  it("a call whose time is up changes nothing", async () => {
    const s = session();
    await refuses("timeout", () => createFile(s, "b", "x", { deadlineMs: 0 }));
    expect(await textAt(s.workspace.backend, "b")).toBeNull();
  });

  it("once the commit has begun nothing cancels it", async () => {
    const s = session();
    await s.read("a");
    const controller = new AbortController();
    const { backend } = s.workspace;
    const commit = backend.commit.bind(backend);
    backend.commit = (changes, author, note, how) => {
      const begin = (): void => {
        how?.begin?.();
        controller.abort();
      };
      return commit(changes, author, note, { ...how, begin });
    };
    const { entry } = await writeFile(s, "a", "2\n", { signal: controller.signal });
    expect(entry?.outcome).toBe("applied");
    expect(await textAt(backend, "a")).toBe("2\n");
  });
});
