// Seed 000: delete_file with permanent: what is gone, what is no longer shown, and what is said about the rest.
import { openCheckpoint, purge, Refusal, type Sha } from "stet";
import { workspace } from "stet/surfaces";
import { describe, expect, it } from "vitest";
import { type Agent, agentWith } from "../support/agent.ts";
import { all } from "../support/assertions.ts";

const shown = async (agent: Agent<typeof workspace>) => (await agent.done("audit_log", { includeDiff: true })).text;
const deleteForGood = async (agent: Agent<typeof workspace>, path: string) =>
  agent.done("delete_file", { path, permanent: true, expectedSha256: await agent.sha(path) });

describe("seed 000: permanent deletion", () => {
  it("takes the content out of every diff of the audit log, under all names that the file had", async () => {
    const agent = agentWith(workspace, {});
    const { data: made } = await agent.done("create_file", { path: "one", content: "SECRET 1\n" });
    const edits = [{ oldText: "SECRET 1", newText: "SECRET 2" }];
    const { data: edited } = await agent.done("edit_file", { path: "one", edits, expectedSha256: made.sha256 });
    await agent.done("create_file", { path: "other", content: "open\n" });
    await agent.done("move_file", { fromPath: "one", toPath: "two", expectedSha256: edited.afterSha256 });
    await agent.done("delete_file", { path: "two" });
    await agent.done("restore_file", { trashedPath: "two" });
    expect(await shown(agent)).toContain("SECRET 1");

    const { data, text, warnings } = await deleteForGood(agent, "two");
    expect([text, warnings]).toEqual(["Deleted two for good", []]);
    const log = await shown(agent);
    expect(log).not.toContain("SECRET");
    expect(log).toContain("+open\n");
    expect((await agent.done("audit_log", {})).data.entries).toHaveLength(7);
    expect(await agent.workspace.backend.recall(data.beforeSha256 as Sha)).toBeNull();

    const [deletion] = await all(agent.workspace.log({ newestFirst: true, outcomes: ["applied"], limit: 1 }));
    expect(deletion?.details).toEqual({ permanent: true });
    const [note] = await all(agent.workspace.log({ newestFirst: true, outcomes: ["note"], limit: 1 }));
    expect(note).toMatchObject({ tool: "delete_file", session: "mine", of: [deletion?.seq] });
    expect((await agent.workspace.verify()).ok).toBe(true);
  });

  it("leaves alone what other files of that name did, before and after", async () => {
    const agent = agentWith(workspace, {});
    await agent.done("create_file", { path: "a", content: "EARLIER\n" });
    await agent.done("delete_file", { path: "a" });
    await agent.done("create_file", { path: "a", content: "SECRET\n" });
    await deleteForGood(agent, "a");
    await agent.done("create_file", { path: "a", content: "LATER\n" });
    const log = await shown(agent);
    expect(["EARLIER", "SECRET", "LATER"].map((word) => log.includes(word))).toEqual([true, false, true]);
    expect((await agent.done("list_trash", {})).data.entries).toHaveLength(1);
  });

  it("what is taken out of the trash later is treated the same, also a file that a move replaced", async () => {
    const agent = agentWith(workspace, { source: "1\n" });
    await agent.done("create_file", { path: "a", content: "SECRET\n" });
    const move = { fromPath: "source", toPath: "a", expectedSha256: await agent.sha("source"), overwrite: true };
    const { data } = await agent.done("move_file", move);
    expect(await shown(agent)).toContain("SECRET");
    await purge(agent.session, data.overwroteTrashedTo!);
    expect(await shown(agent)).not.toContain("SECRET");
  });

  it("a stale refusal no longer tells what was in it", async () => {
    const agent = agentWith(workspace, { a: "SECRET\n" });
    const { data } = await deleteForGood(agent, "a");
    await agent.done("create_file", { path: "a", content: "new\n" });
    const stale = { path: "a", content: "x\n", expectedSha256: data.beforeSha256 };
    const refused = await agent.refused("write_file", stale);
    expect([refused.kind, refused.text.includes("SECRET")]).toEqual(["stale_file", false]);
  });

  it.each([
    [
      "another file has the same bytes",
      async (agent: Agent<typeof workspace>) => agent.done("create_file", { path: "b", content: "1\n" }),
    ],
    [
      "another deletion has the same bytes",
      async (agent: Agent<typeof workspace>) => {
        await agent.done("create_file", { path: "b", content: "1\n" });
        await agent.done("delete_file", { path: "b" });
      },
    ],
    ["an open checkpoint needs them", async (agent: Agent<typeof workspace>) => openCheckpoint(agent.session, "here")],
  ])("does not say that it is gone for good when %s", async (_why, prepare) => {
    const agent = agentWith(workspace, { a: "1\n" });
    await prepare(agent);
    const { data, text, warnings } = await deleteForGood(agent, "a");
    expect(text).toMatch(/^Deleted a, not into the trash\n/);
    expect(warnings).toEqual([expect.stringContaining("The bytes of a are still kept, because another file")]);
    expect(data).toMatchObject({ permanent: true, bytesStillKept: true });
    expect(await agent.workspace.backend.recall(data.beforeSha256 as Sha)).not.toBeNull();
    expect((await agent.done("list_trash", { path: "a" })).data.entries).toEqual([]);
  });

  it("an empty file is gone for good although it frees no bytes", async () => {
    const agent = agentWith(workspace, { a: "" });
    expect((await deleteForGood(agent, "a")).text).toBe("Deleted a for good");
  });

  it("when the trash cannot be written, says that the file is deleted and still in it", async () => {
    const policy = { allowedActions: ["read", "delete", "restore", "purge"] } as const;
    const agent = agentWith(workspace, { a: "1\n" }, { policy });
    const { backend } = agent.workspace;
    const expectedSha256 = await agent.sha("a");
    const record = backend.record.bind(backend);
    backend.record = async (draft) => {
      if (draft.outcome === "note") throw new Refusal("disk_full", "No room left.");
      return record(draft);
    };
    const { data, warnings } = await agent.done("delete_file", { path: "a", permanent: true, expectedSha256 });
    expect(data).toMatchObject({ deleted: true, permanent: false });
    expect(warnings).toEqual(["It was deleted, but it is still in the trash: No room left."]);
    await agent.done("restore_file", { trashedPath: data.trashedTo });
    expect(await agent.content("a")).toBe("1\n");
  });
});
