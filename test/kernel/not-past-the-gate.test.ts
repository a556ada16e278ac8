// Ways around the gate, the policy and the journal that were tried and must stay closed.
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { Refusal, restore, Workspace } from "stet";
import { disk } from "stet/backends/disk";
import { describe, expect, it } from "vitest";
import { all, refuses } from "../support/assertions.ts";
import { directoryWith, memoryWorkspace } from "../support/workspace.ts";

const WAIVED = { proof: { by: "waived" } } as const;

describe("in memory", () => {
  const open = (files: Record<string, string>, options = {}) => memoryWorkspace(files, options).session();

  it("a range behind the end shows nothing, so nothing was seen", async () => {
    const session = open({ a: "1\n2\n" });
    await session.read("a", { from: 100, to: 200 });
    await refuses("unread_file", () => session.edit("a", () => [{ start: 0, end: 1, text: "x" }]));
    await refuses("invalid_input", () => session.read("a", { from: Number.NaN, to: Number.NaN }));
  });

  it("a move does not turn an old sighting into a new one", async () => {
    const workspace = memoryWorkspace({ a: "1\n" });
    const [mine, other] = [workspace.session(), workspace.session()];
    await mine.read("a");
    await other.read("a");
    await other.write("a", "2\n");
    await mine.move("a", "b", WAIVED);
    await refuses("unread_file", () => mine.write("b", "3\n"));
  });

  it("deleting and restoring shows nothing", async () => {
    const session = open({ a: "1\n" });
    await session.delete("a", WAIVED);
    await restore(session, "a");
    await refuses("unread_file", () => session.write("a", "2\n"));
  });

  it("the size limit holds for bytes too, and may be given as a limit", async () => {
    const session = open({}, { policy: { maxFileBytes: 100 } });
    await refuses("file_too_large", () => session.create("a", new Uint8Array(101)));
    await refuses("file_too_large", () => open({}, { limits: { maxFileBytes: 100 } }).create("a", "x".repeat(101)));
  });

  it("a change cannot pass itself off as reading", async () => {
    const session = open({ a: "1\n" }, { policy: { readOnly: true } });
    const target = { path: "a", proof: { by: "waived" }, action: "read" } as const;
    await refuses("invalid_input", () => session.change([target], () => [{ body: "2\n" }]));
  });

  it("a stale proof that names a version of another file shows nothing of it", async () => {
    const session = open({ secret: "password\n", a: "1\n" });
    const { sha } = await session.read("secret");
    const refusal = await refuses("stale_file", () => session.write("a", "x", { expectedSha256: sha }));
    expect(JSON.stringify(refusal.failure)).not.toContain("password");
    await refuses("stale_file", () => session.write("a", "x\n", { expectedSha256: sha, onStale: "rebase" }));
  });

  it("strict knows no small files, but lets history bring back what it kept", async () => {
    const session = open({ a: "1\n" }, { strict: true });
    const free = { proof: { by: "session", freeBelow: 500 } } as const;
    await refuses("unread_file", () => session.write("a", "2\n", free));
    await refuses("unread_file", () => session.delete("a", WAIVED));
    await session.read("a");
    const { entry } = await session.write("a", "2\n");
    await session.workspace.session().undo({ entry: entry!.seq });
    expect((await session.read("a")).body).toBe("1\n");
  });

  it("an edit that never ends is stopped, and does not keep others from the file", async () => {
    const session = open({ a: "1\n" });
    await session.read("a");
    const target = { path: "a", proof: { by: "session" }, action: "write" } as const;
    await refuses("timeout", () => session.change([target], () => new Promise(() => undefined), { deadlineMs: 20 }));
    await session.write("a", "2\n");
    await refuses("cancelled", () => session.readBytes("a", { signal: AbortSignal.abort() }));
  });

  it("every refused change is in the journal, with nothing of the content", async () => {
    const session = open({ a: "TOPSECRET\n" });
    await session.read("a");
    const quoting = () => {
      throw new Refusal("old_text_not_found", "the file has TOPSECRET here");
    };
    await refuses("old_text_not_found", () => session.edit("a", quoting));
    await refuses("permission_denied", () => session.move("a", ".env"));
    await refuses("outside_workspace", () => session.move("a", "../../x"));
    await refuses("command_failed", () => session.move("a", "./a"));
    const entries = await all(session.workspace.log());
    expect(entries.map(({ error }) => error)).toEqual([
      "old_text_not_found",
      "permission_denied",
      "outside_workspace",
      "command_failed",
    ]);
    expect(JSON.stringify(entries)).not.toContain("TOPSECRET");
  });

  it("bad input is refused in words", async () => {
    const session = open({});
    await refuses("invalid_input", () => session.read(undefined as unknown as string));
    await refuses("invalid_input", () => session.create("a", 5 as never));
    await refuses("invalid_input", () => session.write("a", "x", { proof: { by: "trust me" } as never }));
    expect(() => open({}, { strict: "no" })).toThrow(/strict must be true or false/);
    expect(() => open({}, { onStale: "maybe" })).toThrow(/onStale must be "reject" or "rebase"/);
    expect(() => open({}, { limits: { nope: 1 } })).toThrow(/no limit "nope"/);
  });
});

describe("links", () => {
  it("that bear a denied name are denied, wherever they lead", async () => {
    const root = directoryWith({ "realgit/hooks/x": "x", "c/prod": "KEY=1\n", "store/k": "k\n" });
    symlinkSync("realgit", join(root, ".git"));
    symlinkSync("c/prod", join(root, ".env"));
    symlinkSync("store", join(root, "private"));
    const session = new Workspace(disk({ root }), { policy: { deniedPaths: ["private/**"] } }).session();
    await refuses("permission_denied", () => session.create(".git/hooks/pre-commit", "x"));
    await refuses("permission_denied", () => session.read(".env"));
    await refuses("permission_denied", () => session.read("private/k"));
    await refuses("permission_denied", () => session.read("store/../private/k"));
    expect((await session.read("store/k")).body).toBe("k\n");
  });

  it("can be moved and deleted, and both be undone and done again", async () => {
    const root = directoryWith({ a: "1\n" });
    symlinkSync("a", join(root, "link"));
    const session = new Workspace(disk({ root })).session();
    const { sha } = await session.read("link");
    const { entry: moved } = await session.move("link", "other", { expectedSha256: sha });
    const { entry: back } = await session.undo({ entry: moved!.seq });
    await session.undo({ entry: back!.seq });
    const { entry: gone } = await session.delete("other", WAIVED);
    const { entry: again } = await session.undo({ entry: gone!.seq });
    await session.undo({ entry: again!.seq });
    await refuses("not_found", () => session.read("other"));
    expect((await session.read("a")).body).toBe("1\n");
  });
});
