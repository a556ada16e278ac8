import { type Entry, purge, restore, type Session, Workspace } from "stet";
import { memory } from "stet/backends/memory";
import { describe, expect, it } from "vitest";
import { all, refuses } from "../support/assertions.ts";

describe("refusals are journalled once", () => {
  const refused = ({ workspace }: Session): Promise<Entry[]> => all(workspace.log({ outcomes: ["refused"] }));

  async function open(policy = {}): Promise<Session> {
    const backend = memory();
    const owner = new Workspace(backend).session();
    await owner.create("a", "1\n");
    await owner.write("a", "2\n");
    await owner.create("gone", "3\n");
    await owner.delete("gone");
    return new Workspace(backend, { policy }).session({ id: "s", agent: "ann" });
  }

  it("of undo: nothing to undo, later changes, the policy", async () => {
    const session = await open({ deniedPaths: ["gone"] });
    await refuses("not_found", () => session.undo({ entry: 99 }, { call: "c1" }));
    await refuses("stale_file", () => session.undo({ entry: 1 }, { tool: "edit_undo" }));
    await refuses("permission_denied", () => session.undo({ entry: 4 }));
    expect(await refused(session)).toMatchObject([
      { session: "s", agent: "ann", tool: "undo", call: "c1", error: "not_found" },
      { tool: "edit_undo", error: "stale_file", details: { paths: ["a"] } },
      { tool: "undo", error: "permission_denied", details: { paths: ["gone"] } },
    ]);
  });

  it("of restore: nothing there, no bytes, and the place taken", async () => {
    const session = await open();
    await refuses("not_found", () => restore(session, "never"));
    await refuses("already_exists", () => restore(session, "gone", { to: "a" }));
    const { purged } = await purge(session, "gone");
    const { entry } = await session.create("gone", "3\n");
    await session.delete("gone");
    await session.workspace.backend.forget([purged.sha]);
    await refuses("not_kept", () => restore(session, `${entry!.seq + 1}`));
    expect(await refused(session)).toMatchObject([
      { tool: "restore", error: "not_found", details: { paths: ["never"] } },
      { tool: "restore", error: "already_exists", details: { paths: ["a"] } },
      { tool: "restore", error: "not_kept", details: { paths: ["gone"] } },
    ]);
  });

  it("of purge: nothing there, and the policy", async () => {
    const session = await open({ allowedActions: ["read", "restore"] });
    await refuses("not_found", () => purge(session, "never", { tool: "delete_file" }));
    await refuses("permission_denied", () => purge(session, "gone"));
    expect(await refused(session)).toMatchObject([
      { tool: "delete_file", error: "not_found", details: { paths: ["never"] } },
      { tool: "purge", error: "permission_denied", details: { paths: ["gone"] } },
    ]);
  });
});
