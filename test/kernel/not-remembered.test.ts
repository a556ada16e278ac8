// A ledger that cannot be written to: what was read or changed stays so, the caller is told, and nothing counts as seen that is not written down.
import { type Backend, type FailureKind, type Path, Refusal, type Seen, Workspace } from "stet";
import { memory } from "stet/backends/memory";
import { call, surfaceNamed } from "stet/surfaces";
import { describe, expect, it } from "vitest";
import { all, refuses } from "../support/assertions.ts";

function desk() {
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
  const session = new Workspace(backend).session({ agent: "codex" });
  return {
    session,
    failing,
    use: (surface: string, tool: string, input: object) => call(session, surfaceNamed(surface), tool, input),
  };
}

describe("a change that was made", () => {
  it.each(["io_error", "not_found", "unsupported", "timeout"] as const)(
    "is told as made, whatever fails: %s",
    async (kind) => {
      const { session, failing, use } = desk();
      await use("workspace", "read_file", { path: "a" });
      failing.kind = kind;
      const answer = await use("workspace", "delete_file", { path: "a" });
      expect(answer.text).toContain(
        "The change was made, but what you have seen of the file could not be written down",
      );
      expect(answer.ok).toBe(true);
      expect((await all(session.workspace.log())).map(({ outcome }) => outcome)).toEqual(["applied"]);
    },
  );

  it("by anchors says the same", async () => {
    const { failing, use } = desk();
    const read = await use("anchors", "read_file", { path: "a", hashes: true });
    const [, hash] = /2#([0-9a-f]{6})/.exec(read.text)!;
    failing.kind = "not_found";
    const answer = await use("anchors", "edit", {
      path: "a",
      operations: [{ op: "replace_line", hash, content: "2" }],
    });
    expect(answer.ok).toBe(true);
    expect(answer.text).toContain("The change was made, but");
  });
});

describe("a read", () => {
  it("of a tool is answered with a warning, and does not count", async () => {
    const { session, failing, use } = desk();
    failing.kind = "disk_full";
    const answer = await use("tracked", "Read", { file_path: "a" });
    expect(answer).toMatchObject({ ok: true, text: expect.stringContaining("read it again before you change it") });
    failing.kind = undefined as never;
    expect(await use("tracked", "Edit", { file_path: "a", old_string: "two", new_string: "2" })).toMatchObject({
      ok: false,
    });
    expect((await session.read("a")).body).toContain("two");
  });

  it("of a program that cannot be warned is refused", async () => {
    const { session, failing } = desk();
    failing.kind = "disk_full";
    await refuses("disk_full", () => session.read("a"));
  });
});
