// Seed 000: delete_file with permanent: what is gone, what is no longer shown, and what is said about the rest.
import { describe, expect, it } from "vitest";
import type { Sha } from "../../src/core/backend.ts";
import { Refusal } from "../../src/core/failure.ts";
import { openCheckpoint } from "../../src/kernel/history/checkpoints.ts";
import { purge } from "../../src/kernel/history/trash/trash.ts";
import { all } from "../../src/testing/assertions.ts";
import { BACKENDS } from "../support/workspace.ts";
import { type Desk, deskOn } from "./000-calls.ts";

const shown = async (desk: Desk) => (await desk.ok("audit_log", { includeDiff: true })).text;
const deleteForGood = async (desk: Desk, path: string) =>
  desk.ok("delete_file", { path, permanent: true, expectedSha256: await desk.sha(path) });

describe.each(BACKENDS)("seed 000: permanent deletion on %s", (_name, make) => {
  it("takes the content out of every diff of the audit log, under all names that the file had", async () => {
    const desk = deskOn(make({}));
    const { data: made } = await desk.ok("create_file", { path: "one", content: "SECRET 1\n" });
    const edits = [{ oldText: "SECRET 1", newText: "SECRET 2" }];
    const { data: edited } = await desk.ok("edit_file", { path: "one", edits, expectedSha256: made.sha256 });
    await desk.ok("create_file", { path: "other", content: "open\n" });
    await desk.ok("move_file", { fromPath: "one", toPath: "two", expectedSha256: edited.afterSha256 });
    await desk.ok("delete_file", { path: "two" });
    await desk.ok("restore_file", { trashedPath: "two" });
    expect(await shown(desk)).toContain("SECRET 1");

    const { data, text, warnings } = await deleteForGood(desk, "two");
    expect([text, warnings]).toEqual(["Deleted two for good", []]);
    const log = await shown(desk);
    expect(log).not.toContain("SECRET");
    expect(log).toContain("+open\n");
    expect((await desk.ok("audit_log", {})).data.entries).toHaveLength(7);
    expect(await desk.workspace.backend.recall(data.beforeSha256 as Sha)).toBeNull();

    const [deletion] = await all(desk.workspace.log({ newestFirst: true, outcomes: ["applied"], limit: 1 }));
    expect([deletion?.diff, deletion?.details]).toEqual([undefined, { permanent: true }]);
    const [note] = await all(desk.workspace.log({ newestFirst: true, outcomes: ["note"], limit: 1 }));
    expect(note).toMatchObject({ tool: "delete_file", session: "mine", of: [deletion?.seq] });
    expect((await desk.workspace.verify()).ok).toBe(true);
  });

  it("leaves alone what other files of that name did, before and after", async () => {
    const desk = deskOn(make({}));
    await desk.ok("create_file", { path: "a", content: "EARLIER\n" });
    await desk.ok("delete_file", { path: "a" });
    await desk.ok("create_file", { path: "a", content: "SECRET\n" });
    await deleteForGood(desk, "a");
    await desk.ok("create_file", { path: "a", content: "LATER\n" });
    const log = await shown(desk);
    expect(["EARLIER", "SECRET", "LATER"].map((word) => log.includes(word))).toEqual([true, false, true]);
    expect((await desk.ok("list_trash", {})).data.entries).toHaveLength(1);
  });

  it("what is taken out of the trash later is treated the same, also a file that a move replaced", async () => {
    const desk = deskOn(make({ source: "1\n" }));
    await desk.ok("create_file", { path: "a", content: "SECRET\n" });
    const move = { fromPath: "source", toPath: "a", expectedSha256: await desk.sha("source"), overwrite: true };
    const { data } = await desk.ok("move_file", move);
    expect(await shown(desk)).toContain("SECRET");
    await purge(desk.session, data.overwroteTrashedTo!);
    expect(await shown(desk)).not.toContain("SECRET");
  });

  it("a stale refusal no longer tells what was in it", async () => {
    const desk = deskOn(make({ a: "SECRET\n" }));
    const { data } = await deleteForGood(desk, "a");
    await desk.ok("create_file", { path: "a", content: "new\n" });
    const stale = { path: "a", content: "x\n", expectedSha256: data.beforeSha256 };
    const refused = await desk.no("write_file", stale);
    expect([refused.kind, refused.text.includes("SECRET")]).toEqual(["stale_file", false]);
  });

  it.each([
    ["another file has the same bytes", async (desk: Desk) => desk.ok("create_file", { path: "b", content: "1\n" })],
    [
      "another deletion has the same bytes",
      async (desk: Desk) => {
        await desk.ok("create_file", { path: "b", content: "1\n" });
        await desk.ok("delete_file", { path: "b" });
      },
    ],
    ["an open checkpoint needs them", async (desk: Desk) => openCheckpoint(desk.session, "here")],
  ])("does not say that it is gone for good when %s", async (_why, prepare) => {
    const desk = deskOn(make({ a: "1\n" }));
    await prepare(desk);
    const { data, text, warnings } = await deleteForGood(desk, "a");
    expect(text).toMatch(/^Deleted a, not into the trash\n/);
    expect(warnings).toEqual([expect.stringContaining("The bytes of a are still kept, because another file")]);
    expect(data).toMatchObject({ permanent: true, bytesStillKept: true });
    expect(await desk.workspace.backend.recall(data.beforeSha256 as Sha)).not.toBeNull();
    expect((await desk.ok("list_trash", { path: "a" })).data.entries).toEqual([]);
  });

  it("an empty file is gone for good although it frees no bytes", async () => {
    const desk = deskOn(make({ a: "" }));
    expect((await deleteForGood(desk, "a")).text).toBe("Deleted a for good");
  });

  it("when the trash cannot be written, says that the file is deleted and still in it", async () => {
    const backend = make({ a: "1\n" });
    const desk = deskOn(backend, { policy: { allowedActions: ["read", "delete", "restore", "purge"] } });
    const expectedSha256 = await desk.sha("a");
    const record = backend.record.bind(backend);
    backend.record = async (draft) => {
      if (draft.outcome === "note") throw new Refusal("disk_full", "No room left.");
      return record(draft);
    };
    const { data, warnings } = await desk.ok("delete_file", { path: "a", permanent: true, expectedSha256 });
    expect(data).toMatchObject({ deleted: true, permanent: false });
    expect(warnings).toEqual(["It was deleted, but it is still in the trash: No room left."]);
    await desk.ok("restore_file", { trashedPath: data.trashedTo });
    expect(await desk.textAt("a")).toBe("1\n");
  });
});
