// The clock is set back, or far ahead: the order of entries is that of their numbers, and nothing is lost or refused for it.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { collectGarbage } from "stet";
import { afterEach, expect, it, vi } from "vitest";
import { all, version } from "../support/assertions.ts";
import { directoryWith, workspaceIn } from "../support/workspace.ts";

afterEach(() => void vi.useRealTimers());

const TIMES = ["2026-03-01T12:00:00Z", "2026-03-01T11:00:00Z", "1970-01-01T00:00:00Z", "2099-01-01T00:00:00Z"];

it("changes, undo, verification and the collection of old versions go on", async () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  const root = directoryWith({ a: "0\n" });
  for (const [n, time] of [...TIMES, TIMES[0]!].entries()) {
    vi.setSystemTime(new Date(time));
    const workspace = workspaceIn(root);
    const session = workspace.session();
    await session.read("a");
    await session.write("a", `${n + 1}\n`);
    await workspace.close();
  }
  vi.setSystemTime(new Date(TIMES[1]!));
  const workspace = workspaceIn(root);
  const entries = await all(workspace.log({ newestFirst: false }));
  expect(entries.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5]);
  expect((await workspace.verify()).problems).toEqual([]);
  for (let n = 0; n <= 5; n++) expect(await workspace.backend.recall(version(`${n}\n`).sha)).not.toBeNull();
  await workspace.session().undo({ entry: 5 });
  expect(readFileSync(join(root, "a"), "utf8")).toBe("4\n");
  await collectGarbage(workspace, { maxVersionsPerPath: 1 });
  expect(readFileSync(join(root, "a"), "utf8")).toBe("4\n");
  expect((await workspace.verify()).problems).toEqual([]);
  await workspace.close();
});
