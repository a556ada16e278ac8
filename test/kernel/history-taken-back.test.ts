import { restore, Workspace } from "stet";
import { memory } from "stet/backends/memory";
import { describe, expect, it } from "vitest";
import { refuses, textAt } from "../support/assertions.ts";
import { memoryWorkspace } from "../support/workspace.ts";

describe("what was taken back already", () => {
  it("is left out when a whole session is undone, and named when asked for alone", async () => {
    const workspace = memoryWorkspace({ f: "f\n", g: "g\n" });
    const [wild, person] = [workspace.session({ id: "s" }), workspace.session()];
    const { entry: edited } = await wild.write("f", "F\n", WAIVED);
    const { entry: undone } = await person.undo({ entry: edited!.seq });
    await wild.delete("g", WAIVED);
    const again = await refuses("stale_file", () => person.undo({ entry: edited!.seq }));
    expect(again.failure.message).toBe(`Entry ${edited!.seq} has already been taken back by entry ${undone!.seq}.`);
    expect(again.failure.details).toMatchObject({ takenBackBy: undone!.seq });

    expect((await person.undo({ session: "s" })).undone).toEqual([undone!.seq + 1]);
    expect(await texts(workspace, "f", "g")).toEqual(["f\n", "g\n"]);
    const nothing = await refuses("not_found", () => person.undo({ session: "s" }));
    expect(nothing.failure.message).toContain("already been taken back, by entries");
  });

  it("counts again once the undo was undone, or is undone with it", async () => {
    const workspace = memoryWorkspace({ f: "f\n" });
    const [wild, person] = [workspace.session({ id: "s" }), workspace.session()];
    const { entry: edited } = await wild.write("f", "F\n", WAIVED);
    const { entry: undone } = await person.undo({ entry: edited!.seq });
    await person.undo({ entry: undone!.seq });
    expect(await texts(workspace, "f")).toEqual(["F\n"]);
    expect((await person.undo({ session: "s" })).undone).toEqual([edited!.seq]);
    expect(await texts(workspace, "f")).toEqual(["f\n"]);

    const own = workspace.session({ id: "own" });
    const { entry: second } = await own.write("f", "2\n", WAIVED);
    const { entry: back } = await own.undo({ entry: second!.seq });
    expect((await person.undo({ session: "own" })).undone).toEqual([back!.seq, second!.seq]);
    expect(await texts(workspace, "f")).toEqual(["f\n"]);
  });

  it("counts a restored file only where its deletion was all of the entry", async () => {
    const workspace = memoryWorkspace({ f: "f\n", g: "g\n", h: "h\n" });
    const [wild, person] = [workspace.session({ id: "s" }), workspace.session()];
    await wild.delete("f", WAIVED);
    await restore(person, "f");
    await wild.delete("g", WAIVED);
    expect((await person.undo({ session: "s" })).undone).toHaveLength(1);
    expect(await texts(workspace, "f", "g")).toEqual(["f\n", "g\n"]);

    const other = workspace.session({ id: "other" });
    await other.delete("f", WAIVED);
    await restore(person, "f", { to: "elsewhere" });
    await person.undo({ session: "other" });
    expect(await texts(workspace, "f", "elsewhere")).toEqual(["f\n", "f\n"]);

    const both = workspace.session({ id: "both" });
    const targets = ["f", "h"].map((path) => ({ path, action: "delete", ...WAIVED }) as const);
    const { entry } = await both.change(targets, () => [null, null]);
    await restore(person, "f");
    await person.undo({ entry: entry!.seq, path: "h" });
    expect(await texts(workspace, "f", "h")).toEqual(["f\n", "h\n"]);
  });
});

describe("names that nobody may make anew", () => {
  it.skipIf(process.platform === "win32")("come back from the trash and by undo, and only there", async () => {
    const odd = ["a\tb.txt", "d\u0001/ \n/x"];
    const backend = memory({ files: { kept: "k\n" } });
    const { path } = await backend.resolve("kept");
    const version = (await backend.read(path))!;
    for (const [n, name] of odd.entries()) {
      const change = { path: name as typeof path, from: null, to: version, proof: "waived", createParents: true };
      await backend.commit([change], { session: "outside", tool: "test" });
      const workspace = new Workspace(backend);
      const session = workspace.session();
      await session.delete(name, WAIVED);
      await refuses("invalid_path", () => session.create(`${name}${n}\t`, "x"));
      await refuses("invalid_path", () => restore(session, name, { to: `${name}\t` }));
      expect((await restore(session, name)).files[0]!.path).toBe(name);
      const { entry } = await session.delete(name, WAIVED);
      await session.undo({ entry: entry!.seq });
      expect(await texts(workspace, name)).toEqual(["k\n"]);
      const { entry: moved } = await session.move(name, `plain${n}`, WAIVED);
      await session.undo({ entry: moved!.seq });
      expect(await texts(workspace, name, `plain${n}`)).toEqual(["k\n", null]);
    }
  });
});

const WAIVED = { proof: { by: "waived" } } as const;

function texts({ backend }: Workspace, ...paths: string[]) {
  return Promise.all(paths.map((each) => textAt(backend, each)));
}
