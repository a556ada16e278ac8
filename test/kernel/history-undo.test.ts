import { Workspace } from "stet";
import { memory } from "stet/backends/memory";
import { describe, expect, it } from "vitest";
import { all, path, refuses, textAt } from "../support/assertions.ts";
import { memoryWorkspace } from "../support/workspace.ts";

describe("undo", () => {
  it("of an agent takes back what it did in all its sessions, and nothing else", async () => {
    const workspace = memoryWorkspace({});
    const [ann, again, bob] = ["ann", "ann", "bob"].map((agent) => workspace.session({ agent }));
    await bob!.create("b", "b\n");
    await ann!.create("a", "1\n");
    await again!.write("a", "2\n", { proof: { by: "waived" } });
    await again!.create("c", "c\n");
    const { undone } = await bob!.undo({ agent: "ann" });
    expect(undone).toEqual([4, 3, 2]);
    const texts = await Promise.all(["a", "b", "c"].map((each) => textAt(workspace.backend, each)));
    expect(texts).toEqual([null, "b\n", null]);
  });

  it("since a time takes back what anybody did from then on", async () => {
    const workspace = memoryWorkspace({});
    const [ann, bob] = ["ann", "bob"].map((agent) => workspace.session({ agent }));
    const { entry: first } = await ann!.create("a", "1\n");
    while (new Date().toISOString() === first!.at) await new Promise(setImmediate);
    const { entry: second } = await ann!.write("a", "2\n");
    await bob!.create("b", "b\n");
    const { undone } = await bob!.undo({ since: second!.at });
    expect(undone).toEqual([3, 2]);
    expect([await textAt(workspace.backend, "a"), await textAt(workspace.backend, "b")]).toEqual(["1\n", null]);
    await refuses("not_found", () => bob!.undo({ since: "2999-01-01T00:00:00Z" }));
    await refuses("invalid_input", () => bob!.undo({ since: "yesterday" }));
  });

  it("asks the policy about every path before it looks at any content", async () => {
    const backend = memory();
    const owner = new Workspace(backend).session();
    await owner.create("open", "1\n");
    const { entry } = await owner.create("secret", "one\n");
    await owner.write("secret", "two\n");
    await owner.write("secret", "three\n");
    const looked: string[] = [];
    const watched = new Proxy(backend, {
      get(target, name: keyof typeof backend) {
        if (["read", "recall", "stream", "notice"].includes(name)) looked.push(name);
        return target[name];
      },
    });
    const agent = new Workspace(watched, { policy: { deniedPaths: ["secret"] } }).session();
    for (const what of [{ entry: entry!.seq }, { entry: entry!.seq + 1 }, { sinceSeq: 1 }, { path: path("secret") }]) {
      const refusal = await refuses("permission_denied", () => agent.undo(what, { onLaterChanges: "merge" }));
      expect(refusal.failure.details).toMatchObject({ action: "undo" });
    }
    expect(looked).toEqual([]);
  });

  it("of an aborted entry is refused, however it is asked for", async () => {
    const { backend } = memoryWorkspace({});
    const session = new Workspace(backend).session({ id: "s", agent: "ann" });
    const { entry } = await session.create("a", "1\n");
    await backend.record({ session: "s", tool: "recovery", outcome: "aborted", changes: [], of: [entry!.seq] });
    for (const what of [{ entry: entry!.seq }, { agent: "ann" }, { path: path("a") }, { session: "s" }]) {
      await refuses("not_found", () => session.undo(what));
    }
    expect(await textAt(backend, "a")).toBe("1\n");
    expect((await all(backend.log({ outcomes: ["applied"] }))).length).toBe(1);
  });
});
