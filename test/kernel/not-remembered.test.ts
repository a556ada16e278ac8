// A ledger that cannot be written to: what was read or changed stays so, the caller is told, and nothing counts as seen that is not written down.
import { type Backend, type FailureKind, type Path, Refusal, type Seen, Workspace } from "stet";
import { memory } from "stet/backends/memory";
import { anchors, tracked, workspace } from "stet/surfaces";
import { describe, expect, it } from "vitest";
import { agentIn } from "../support/agent.ts";
import { all, refuses } from "../support/assertions.ts";

function agentWithLedger() {
  const seen = new Map<Path, Seen>();
  const failing: { kind?: FailureKind } = {};
  const write = async (work: () => unknown): Promise<void> => {
    if (failing.kind !== undefined) throw new Refusal(failing.kind, "The ledger is out of order.");
    work();
  };
  const backend: Backend = {
    ...memory({ files: { a: "one\ntwo\nthree\n" } }),
    ledger: () => ({
      get: (path) => seen.get(path),
      set: (path, lines) => write(() => seen.set(path, lines)),
      delete: (path) => write(() => seen.delete(path)),
    }),
  };
  return { agent: agentIn(new Workspace(backend), workspace, "codex"), failing };
}

describe("a change that was made", () => {
  it.each(["io_error", "not_found", "unsupported", "timeout"] as const)(
    "is told as made, whatever fails: %s",
    async (kind) => {
      const { agent, failing } = agentWithLedger();
      await agent.call("read_file", { path: "a" });
      failing.kind = kind;
      const answer = await agent.call("delete_file", { path: "a" });
      expect(answer.text).toContain(
        "The change was made, but what you have seen of the file could not be written down",
      );
      expect(answer.ok).toBe(true);
      expect((await all(agent.workspace.log())).map(({ outcome }) => outcome)).toEqual(["applied"]);
    },
  );

  it("by anchors says the same", async () => {
    const { agent, failing } = agentWithLedger();
    const read = await agent.as(anchors).call("read_file", { path: "a", hashes: true });
    const [, hash] = /2#([0-9a-f]{6})/.exec(read.text)!;
    failing.kind = "not_found";
    const answer = await agent.as(anchors).call("edit", {
      path: "a",
      operations: [{ op: "replace_line", hash, content: "2" }],
    });
    expect(answer.ok).toBe(true);
    expect(answer.text).toContain("The change was made, but");
  });
});

describe("a read", () => {
  it("of a tool is answered with a warning, and does not count", async () => {
    const { agent, failing } = agentWithLedger();
    failing.kind = "disk_full";
    const answer = await agent.as(tracked).call("Read", { file_path: "a" });
    expect(answer).toMatchObject({ ok: true, text: expect.stringContaining("read it again before you change it") });
    failing.kind = undefined as never;
    expect(await agent.as(tracked).call("Edit", { file_path: "a", old_string: "two", new_string: "2" })).toMatchObject({
      ok: false,
    });
    expect((await agent.session.read("a")).body).toContain("two");
  });

  it("of a program that cannot be warned is refused", async () => {
    const { agent, failing } = agentWithLedger();
    failing.kind = "disk_full";
    await refuses("disk_full", () => agent.session.read("a"));
  });
});
