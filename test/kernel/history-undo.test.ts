import { describe, expect, it } from "vitest";
import { undo } from "../../src/kernel/history/undo/undo.ts";
import { createFile, writeFile } from "../../src/kernel/verbs.ts";
import { Workspace } from "../../src/kernel/workspace.ts";
import { all, path, refuses, textAt } from "../../src/testing/assertions.ts";
import { BACKENDS } from "../support/workspace.ts";

describe.each(BACKENDS)("undo on %s", (_name, make) => {
  it("of an agent takes back what it did in all its sessions, and nothing else", async () => {
    const workspace = new Workspace(make({}));
    const [ann, again, bob] = ["ann", "ann", "bob"].map((agent) => workspace.session({ agent }));
    await createFile(bob!, "b", "b\n");
    await createFile(ann!, "a", "1\n");
    await writeFile(again!, "a", "2\n", { proof: { by: "waived" } });
    await createFile(again!, "c", "c\n");
    const { undone } = await undo(bob!, { agent: "ann" });
    expect(undone).toEqual([4, 3, 2]);
    const texts = await Promise.all(["a", "b", "c"].map((each) => textAt(workspace.backend, each)));
    expect(texts).toEqual([null, "b\n", null]);
  });

  it("since a time takes back what anybody did from then on", async () => {
    const workspace = new Workspace(make({}));
    const [ann, bob] = ["ann", "bob"].map((agent) => workspace.session({ agent }));
    const { entry: first } = await createFile(ann!, "a", "1\n");
    while (new Date().toISOString() === first!.at) await new Promise(setImmediate);
    const { entry: second } = await writeFile(ann!, "a", "2\n");
    await createFile(bob!, "b", "b\n");
    const { undone } = await undo(bob!, { since: second!.at });
    expect(undone).toEqual([3, 2]);
    expect([await textAt(workspace.backend, "a"), await textAt(workspace.backend, "b")]).toEqual(["1\n", null]);
    await refuses("not_found", () => undo(bob!, { since: "2999-01-01T00:00:00Z" }));
    await refuses("invalid_input", () => undo(bob!, { since: "yesterday" }));
  });

  it("asks the policy about every path before it looks at any content", async () => {
    const backend = make({});
    const owner = new Workspace(backend).session();
    await createFile(owner, "open", "1\n");
    const { entry } = await createFile(owner, "secret", "one\n");
    await writeFile(owner, "secret", "two\n");
    await writeFile(owner, "secret", "three\n");
    const looked: string[] = [];
    const watched = new Proxy(backend, {
      get(target, name: keyof typeof backend) {
        if (["read", "recall", "stream", "notice"].includes(name)) looked.push(name);
        return target[name];
      },
    });
    const agent = new Workspace(watched, { policy: { deniedPaths: ["secret"] } }).session();
    for (const what of [{ entry: entry!.seq }, { entry: entry!.seq + 1 }, { sinceSeq: 1 }, { path: path("secret") }]) {
      const refusal = await refuses("permission_denied", () => undo(agent, what, { onLaterChanges: "merge" }));
      expect(refusal.failure.details).toMatchObject({ action: "undo" });
    }
    expect(looked).toEqual([]);
  });

  it("of an aborted entry is refused, however it is asked for", async () => {
    const { backend } = new Workspace(make({}));
    const session = new Workspace(backend).session({ id: "s", agent: "ann" });
    const { entry } = await createFile(session, "a", "1\n");
    await backend.record({ session: "s", tool: "recovery", outcome: "aborted", changes: [], of: [entry!.seq] });
    for (const what of [{ entry: entry!.seq }, { agent: "ann" }, { path: path("a") }, { session: "s" }]) {
      await refuses("not_found", () => undo(session, what));
    }
    expect(await textAt(backend, "a")).toBe("1\n");
    expect((await all(backend.log({ outcomes: ["applied"] }))).length).toBe(1);
  });
});
