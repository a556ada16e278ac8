// A change that only stands in line can still be called off: it is not made, and those before and behind it are.
import { type Backend, Workspace } from "stet";
import { memory } from "stet/backends/memory";
import { call, workspace as surface } from "stet/surfaces";
import { describe, expect, it } from "vitest";
import { all, refuses, textAt } from "../support/assertions.ts";

/** A workspace that is held by somebody else, until it is released. */
function heldWorkspace() {
  const backend = memory({ files: { a: "1\n" } });
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const commit: Backend["commit"] = async (...args) => {
    await released;
    return backend.commit(...args);
  };
  const workspace = new Workspace({ ...backend, commit });
  const files = (names: readonly string[]) => Promise.all(names.map((each) => textAt(backend, each)));
  return { workspace, session: workspace.session(), files, release };
}

describe("a change that waits for the workspace", () => {
  it("is not made once it was cancelled; the others are", async () => {
    const { workspace, session, files, release } = heldWorkspace();
    const leaving = ["l1", "l2", "l3"].map((name) => [name, new AbortController()] as const);
    const made = ["s1", "s2"].map((name) => session.create(name, "x"));
    const refused = leaving.map(([name, { signal }]) =>
      refuses("cancelled", () => session.create(name, "x", { signal })),
    );
    for (const [, gone] of leaving) gone.abort();
    await Promise.all(refused);
    expect(await files(["s1", "s2"])).toEqual([null, null]);
    release();
    await Promise.all(made);
    // Everything that stood in line before this one has had its turn.
    await session.create("last", "x");
    expect(await files(["s1", "s2", "l1", "l2", "l3"])).toEqual(["x", "x", null, null, null]);
    const entries = await all(workspace.log({ outcomes: ["refused"] }));
    expect(entries.map(({ error, details }) => [error, details?.paths])).toEqual(
      leaving.map(([name]) => ["cancelled", [name]]),
    );
    expect(await workspace.verify()).toMatchObject({ ok: true, entries: 6 });
  });

  it("is not made, nor journalled twice, when a tool asked for it", async () => {
    const { workspace, session, files, release } = heldWorkspace();
    const gone = new AbortController();
    const pending = call(session, surface, "create_file", { path: "b", content: "x" }, { signal: gone.signal });
    gone.abort();
    expect(await pending).toMatchObject({ ok: false, error: { details: { cause: "cancelled" } } });
    release();
    await session.create("last", "x");
    expect(await files(["b", "last"])).toEqual([null, "x"]);
    expect(await all(workspace.log({ outcomes: ["refused"] }))).toMatchObject([
      { error: "cancelled", tool: "create_file" },
    ]);
  });
});

it("a change that waits for another of the same file is not made once it was cancelled, and the next is", async () => {
  const { session, files, release } = heldWorkspace();
  const gone = new AbortController();
  const made = session.create("b", "1");
  const refused = refuses("cancelled", () => session.create("b", "2", { signal: gone.signal }));
  const behind = session.write("b", "3", { proof: { by: "waived" } });
  gone.abort();
  await refused;
  release();
  await Promise.all([made, behind]);
  expect(await files(["b"])).toEqual(["3"]);
});
