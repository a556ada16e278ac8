import { collectGarbage, type RetentionPolicy } from "stet";
import { describe, expect, it, vi } from "vitest";
import { refuses } from "../support/assertions.ts";
import { memoryWorkspace } from "../support/workspace.ts";

const HOUR = 3_600_000;

const MALFORMED: readonly RetentionPolicy[] = [
  { maxVersionsPerPath: 0 },
  { maxAgeMs: Number.NaN },
  { maxBytes: -1 },
  { minAgeMs: -1 },
];

describe("retention", () => {
  it.each(MALFORMED)("refuses %o and drops nothing", async (policy) => {
    const session = memoryWorkspace({}).session();
    await session.create("a", "1\n");
    const { sha } = await session.read("a");
    await session.write("a", "2\n");
    const refusal = await refuses("invalid_input", () => collectGarbage(session.workspace, policy, Date.now() + 1000));
    expect(refusal.message).toContain(Object.keys(policy)[0]);
    expect(await session.workspace.backend.recall(sha)).not.toBeNull();
  });

  it("keeps what was replaced less long ago than minAgeMs, and counts it", async () => {
    const session = memoryWorkspace({}).session();
    await session.create("a", "1\n");
    const { entry } = await session.write("a", "2\n");
    const policy = { maxVersionsPerPath: 1, minAgeMs: 1000 };
    const then = Date.parse(entry!.at);
    const early = await collectGarbage(session.workspace, policy, then + 999);
    expect(early).toMatchObject({ dropped: 0, tooYoung: 1 });
    expect(await collectGarbage(session.workspace, policy, then + 1000)).toMatchObject({ dropped: 1, tooYoung: 0 });
  });

  it("keeps what was deleted while the clock was set back, and undo since an hour ago finds it", async () => {
    const session = memoryWorkspace({}).session();
    await session.create("a", "1\n");
    const { sha } = await session.read("a");
    vi.setSystemTime(Date.now() - 400 * 24 * HOUR);
    try {
      await session.delete("a");
    } finally {
      vi.useRealTimers();
    }
    expect(await collectGarbage(session.workspace, { maxAgeMs: 30 * 24 * HOUR })).toMatchObject({ dropped: 0 });
    await session.undo({ since: new Date(Date.now() - HOUR).toISOString() });
    expect(await session.workspace.backend.recall(sha)).not.toBeNull();
  });

  it("takes the newest version from entries that happened, not from an aborted one", async () => {
    const session = memoryWorkspace({}).session();
    const { backend } = session.workspace;
    await session.create("a", "1\n");
    const { sha } = await session.read("a");
    const { entry } = await session.write("a", "2\n");
    await backend.record({ session: "s", tool: "recovery", outcome: "aborted", changes: [], of: [entry!.seq] });
    await collectGarbage(session.workspace, { maxBytes: 0 });
    expect(await backend.recall(sha)).not.toBeNull();
  });
});
