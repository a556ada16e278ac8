import { describe, expect, it } from "vitest";
import { restore } from "../../src/kernel/history/trash/trash.ts";
import { entriesTakenBack } from "../../src/kernel/history/undo/taken-back.ts";
import { undo } from "../../src/kernel/history/undo/undo.ts";
import { createFile, deleteFile, moveFile, writeFile } from "../../src/kernel/verbs.ts";
import { Workspace } from "../../src/kernel/workspace.ts";
import { refuses, textAt } from "../../src/testing/assertions.ts";
import { BACKENDS } from "../support/workspace.ts";

describe.each(BACKENDS)("what was taken back already, on %s", (_name, make) => {
  it("is left out when a whole session is undone, and named when asked for alone", async () => {
    const workspace = new Workspace(make({ f: "f\n", g: "g\n" }));
    const [wild, person] = [workspace.session({ id: "s" }), workspace.session()];
    const { entry: edited } = await writeFile(wild, "f", "F\n", WAIVED);
    const { entry: undone } = await undo(person, { entry: edited!.seq });
    await deleteFile(wild, "g", WAIVED);
    const again = await refuses("stale_file", () => undo(person, { entry: edited!.seq }));
    expect(again.failure.message).toBe(`Entry ${edited!.seq} has already been taken back by entry ${undone!.seq}.`);
    expect(again.failure.details).toMatchObject({ takenBackBy: undone!.seq });

    expect((await undo(person, { session: "s" })).undone).toEqual([undone!.seq + 1]);
    expect(await texts(workspace, "f", "g")).toEqual(["f\n", "g\n"]);
    const nothing = await refuses("not_found", () => undo(person, { session: "s" }));
    expect(nothing.failure.message).toContain("already been taken back, by entries");
  });

  it("counts again once the undo was undone, or is undone with it", async () => {
    const workspace = new Workspace(make({ f: "f\n" }));
    const [wild, person] = [workspace.session({ id: "s" }), workspace.session()];
    const { entry: edited } = await writeFile(wild, "f", "F\n", WAIVED);
    const { entry: undone } = await undo(person, { entry: edited!.seq });
    await undo(person, { entry: undone!.seq });
    expect(await texts(workspace, "f")).toEqual(["F\n"]);
    expect((await undo(person, { session: "s" })).undone).toEqual([edited!.seq]);
    expect(await texts(workspace, "f")).toEqual(["f\n"]);

    const own = workspace.session({ id: "own" });
    const { entry: second } = await writeFile(own, "f", "2\n", WAIVED);
    const { entry: back } = await undo(own, { entry: second!.seq });
    expect((await undo(person, { session: "own" })).undone).toEqual([back!.seq, second!.seq]);
    expect(await texts(workspace, "f")).toEqual(["f\n"]);
  });

  it("counts a restored file only where its deletion was all of the entry", async () => {
    const workspace = new Workspace(make({ f: "f\n", g: "g\n", h: "h\n" }));
    const [wild, person] = [workspace.session({ id: "s" }), workspace.session()];
    await deleteFile(wild, "f", WAIVED);
    await restore(person, "f");
    await deleteFile(wild, "g", WAIVED);
    expect((await undo(person, { session: "s" })).undone).toHaveLength(1);
    expect(await texts(workspace, "f", "g")).toEqual(["f\n", "g\n"]);

    const other = workspace.session({ id: "other" });
    await deleteFile(other, "f", WAIVED);
    await restore(person, "f", { to: "elsewhere" });
    await undo(person, { session: "other" });
    expect(await texts(workspace, "f", "elsewhere")).toEqual(["f\n", "f\n"]);

    const both = workspace.session({ id: "both" });
    const targets = ["f", "h"].map((path) => ({ path, action: "delete", ...WAIVED }) as const);
    const { entry } = await both.change(targets, () => [null, null]);
    await restore(person, "f");
    expect((await entriesTakenBack(workspace.backend, [entry!])).size).toBe(0);
    await undo(person, { entry: entry!.seq, path: "h" });
    expect(await texts(workspace, "f", "h")).toEqual(["f\n", "h\n"]);
  });
});

describe.each(BACKENDS)("names that nobody may make anew, on %s", (_name, make) => {
  it.skipIf(process.platform === "win32")("come back from the trash and by undo, and only there", async () => {
    const odd = ["a\tb.txt", "d\u0001/ \n/x"];
    const backend = make({ kept: "k\n" });
    const { path } = await backend.resolve("kept");
    const version = (await backend.read(path))!;
    for (const [n, name] of odd.entries()) {
      const change = { path: name as typeof path, from: null, to: version, proof: "waived", createParents: true };
      await backend.commit([change], { session: "outside", tool: "test" });
      const workspace = new Workspace(backend);
      const session = workspace.session();
      await deleteFile(session, name, WAIVED);
      await refuses("invalid_path", () => createFile(session, `${name}${n}\t`, "x"));
      await refuses("invalid_path", () => restore(session, name, { to: `${name}\t` }));
      expect((await restore(session, name)).files[0]!.path).toBe(name);
      const { entry } = await deleteFile(session, name, WAIVED);
      await undo(session, { entry: entry!.seq });
      expect(await texts(workspace, name)).toEqual(["k\n"]);
      const { entry: moved } = await moveFile(session, name, `plain${n}`, WAIVED);
      await undo(session, { entry: moved!.seq });
      expect(await texts(workspace, name, `plain${n}`)).toEqual(["k\n", null]);
    }
  });
});

const WAIVED = { proof: { by: "waived" } } as const;

function texts({ backend }: Workspace, ...paths: string[]) {
  return Promise.all(paths.map((each) => textAt(backend, each)));
}
