// Seed 004, writers of files as a view over the journal, and the continuity that edits report.
import { anchors, call } from "stet/surfaces";
import { describe, expect, it } from "vitest";
import { agentOnDisk, agentWith } from "../support/agent.ts";
import { directoryWith, workspaceIn } from "../support/workspace.ts";
import { hash, text } from "./004-lines.ts";

const change = (from: string, to: string) => ({
  path: "a.txt",
  operations: [{ op: "replace_line", hash: hash(from), content: to }],
});

describe("baseline_continuity", () => {
  it("write_file over an edited file is mixed, and then clean again", async () => {
    const { done } = agentWith(anchors, { "a.txt": text("one") });
    await done("edit", change("one", "1"));
    expect((await done("write_file", { path: "a.txt", content: "x\n" })).data.baseline_continuity).toBe("mixed");
    expect((await done("write_file", { path: "a.txt", content: "y\n" })).data.baseline_continuity).toBe("clean");
  });

  it("nothing is recorded for rejected edits and dry runs", async () => {
    const { done, refused } = agentWith(anchors, {});
    await done("write_file", { path: "a.txt", content: text("one") });
    await refused("edit", change("unknown", "x"));
    await done("edit", { ...change("one", "x"), dry_run: true });
    expect((await done("read_file", { path: "a.txt" })).data.last_writer).toBe("write_file");
  });

  it("a file that is created, also where one was deleted, is clean", async () => {
    const { done, session } = agentWith(anchors, { "a.txt": text("one") });
    await session.change([{ path: "a.txt", proof: { by: "waived" }, action: "delete" }], () => [null]);
    expect((await done("write_file", { path: "a.txt", content: "x\n" })).data.baseline_continuity).toBe("clean");
  });

  it("another tool of the same workspace makes it mixed", async () => {
    const { done, theyWrite } = agentWith(anchors, { "a.txt": text("one", "two") });
    await theyWrite("a.txt", text("one", "2"));
    expect((await done("edit", change("one", "1"))).data.baseline_continuity).toBe("mixed");
  });
});

describe("baseline_continuity and other programs, on disk", () => {
  it.each([[true], [false]])(
    "a write from outside after an edit makes it mixed (read in between: %s)",
    async (reads) => {
      const { done, refused, outside } = agentOnDisk(anchors, { "a.txt": text("one", "two") });
      await done("edit", change("one", "1"));
      outside("a.txt", text("1", "two", "theirs"));
      if (reads) expect((await done("read_file", { path: "a.txt" })).data.last_writer).toBe("external");
      else await refused("edit", change("1", "ONE"));
      expect((await done("edit", change("1", "ONE"))).data.baseline_continuity).toBe("mixed");
      expect((await done("edit", change("ONE", "one"))).data.baseline_continuity).toBe("clean");
    },
  );
});

it("a read sees the writer of another process at once, however often it asked before", async () => {
  const root = directoryWith({ "a.txt": "one\n", "b.txt": "b\n" });
  const [here, there] = [1, 2].map(() => workspaceIn(root).session());
  const asked = async () => {
    const read = await call(here!, anchors, "read_file", { path: "a.txt" });
    const { last_writer, is_dirty } = read.data as Record<string, unknown>;
    return [last_writer, is_dirty];
  };
  const write = (path: string, tool: string) => there!.write(path, `${tool}\n`, { tool, proof: { by: "waived" } });
  expect(await asked()).toEqual([null, false]);
  for (const tool of ["first", "second"]) {
    await write("a.txt", tool);
    await write("b.txt", "other");
    expect([await asked(), await asked()]).toEqual([
      [tool, false],
      [tool, false],
    ]);
  }
});
