import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { openCheckpoint, rollBackTo, type Session } from "stet";
import { describe, expect, it } from "vitest";
import { all, refuses } from "../support/assertions.ts";
import { directoryWith, workspaceIn } from "../support/workspace.ts";

interface Desk {
  readonly session: Session;
  readonly root: string;
  readonly text: (path: string) => string;
  readonly outside: (path: string, text: string) => void;
}

function desk(): Desk {
  const root = directoryWith({});
  const session = workspaceIn(root).session({ id: "s", agent: "ann" });
  return {
    session,
    root,
    text: (path) => readFileSync(join(root, path), "utf8"),
    outside: (path, text) => writeFileSync(join(root, path), text),
  };
}

async function externals({ workspace }: Session): Promise<number[]> {
  return (await all(workspace.log({ outcomes: ["external"] }))).map(({ seq }) => seq);
}

describe("changes from outside", () => {
  it("are rolled back to a checkpoint with all others, noticed before or not", async () => {
    const { session, text, outside } = desk();
    await session.create("a", "1\n");
    await openCheckpoint(session, "before");
    await session.write("a", "2\n");
    outside("a", "3\n");
    await session.read("a");
    await session.write("a", "4\n");
    outside("a", "5\n");
    await rollBackTo(session, "before");
    expect(text("a")).toBe("1\n");
    expect(await externals(session)).toHaveLength(2);
  });

  it("stay when they were made before the checkpoint, although nobody had noticed them", async () => {
    const { session, text, outside } = desk();
    await session.create("a", "1\n");
    outside("a", "2\n");
    await openCheckpoint(session, "before");
    await session.read("a");
    await session.write("a", "3\n");
    await rollBackTo(session, "before");
    expect(text("a")).toBe("2\n");
  });

  it("do not keep a checkpoint from opening where a directory took the place of a file", async () => {
    const { session, root, text } = desk();
    await session.create("a", "1\n");
    rmSync(join(root, "a"));
    mkdirSync(join(root, "a"));
    await openCheckpoint(session, "before");
    await session.create("b", "1\n");
    await rollBackTo(session, "before");
    expect(() => text("b")).toThrow("ENOENT");
  });

  it("are undone by time and by number, and can be had back", async () => {
    for (const by of ["since", "sinceSeq"] as const) {
      const { session, text, outside } = desk();
      const { entry: first } = await session.create("a", "1\n");
      while (new Date().toISOString() === first!.at) await new Promise(setImmediate);
      outside("a", "2\n");
      await session.read("a");
      const [external] = await all(session.workspace.log({ outcomes: ["external"] }));
      const { entry, undone } = await session.undo(by === "since" ? { since: external!.at } : { sinceSeq: 2 });
      expect([text("a"), undone]).toEqual(["1\n", [external!.seq]]);
      await session.undo({ entry: entry!.seq });
      expect(text("a")).toBe("2\n");
    }
  });

  it("are undone one by one, also where a file was deleted or a link replaced", async () => {
    const { session, root, text } = desk();
    await session.create("a", "1\n", { mode: 0o755 });
    chmodSync(join(root, "a"), 0o755);
    rmSync(join(root, "a"));
    const { backend } = session.workspace;
    const [a, link] = [(await backend.resolve("a")).path, (await backend.resolve("link")).path];
    const deleted = await backend.notice([a], session.author({}));
    await session.undo({ entry: deleted!.seq });
    expect([text("a"), lstatSync(join(root, "a")).mode & 0o777]).toEqual(["1\n", 0o755]);

    symlinkSync("a", join(root, "old"));
    await session.read("old");
    await session.move("old", "link");
    rmSync(join(root, "link"));
    const replaced = await backend.notice([link], session.author({}));
    await session.undo({ entry: replaced!.seq });
    expect(readlinkSync(join(root, "link"))).toBe("a");
  });

  it("refuse when the version before is no longer kept", async () => {
    const { session, text, outside } = desk();
    await session.create("a", "1\n");
    const { sha } = await session.read("a");
    outside("a", "2\n");
    await session.read("a");
    await session.workspace.backend.forget([sha]);
    const [seq] = await externals(session);
    await refuses("not_kept", () => session.undo({ entry: seq! }));
    expect(text("a")).toBe("2\n");
  });

  it("stand in the way of undoing a session or an agent, unless it may merge", async () => {
    const lines = (a: string, b: string): string => `${a}\n1\n2\n3\n4\n5\n${b}\n`;
    for (const what of [{ session: "s" }, { agent: "ann" }]) {
      const { session, text, outside, root } = desk();
      const first = workspaceIn(root).session({ id: "first" });
      await first.create("a", lines("a", "b"));
      await session.read("a");
      await session.write("a", lines("A", "b"));
      outside("a", lines("A", "B"));
      await session.read("a");
      await refuses("stale_file", () => session.undo(what));
      await session.undo(what, { onLaterChanges: "merge" });
      expect(text("a")).toBe(lines("a", "B"));
    }
  });
});
