import { describe, expect, it } from "vitest";
import { refuses, textAt } from "../support/assertions.ts";
import { memoryWorkspace } from "../support/workspace.ts";

describe("deadlines and cancelling", () => {
  const session = () => memoryWorkspace({ a: "1\n" }).session();

  it("a call that was cancelled before it began changes nothing", async () => {
    const s = session();
    await s.read("a");
    await refuses("cancelled", () => s.write("a", "2\n", { signal: AbortSignal.abort() }));
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
    await refuses("timeout", () => s.create("b", "x", { deadlineMs: 0 }));
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
    const { entry } = await s.write("a", "2\n", { signal: controller.signal });
    expect(entry?.outcome).toBe("applied");
    expect(await textAt(backend, "a")).toBe("2\n");
  });
});
