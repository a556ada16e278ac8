// Seed 003, configuration keys: each under our name and under the seed's, each with what it does to a call.
import { describe, expect, it } from "vitest";
import { disk } from "../../src/backends/disk/index.ts";
import { memory } from "../../src/backends/memory/index.ts";
import { Workspace } from "../../src/kernel/workspace.ts";
import { call } from "../../src/surfaces/call.ts";
import { files } from "../../src/surfaces/files/index.ts";
import { directoryWith } from "../support/workspace.ts";
import { desk, edit, LS, read, remove, write } from "./003-support.ts";

describe.each(["STET", "INSPECT_AGENTS"])("seed 003, keys that begin with %s", (prefix) => {
  const env = (name: string, value: string) => ({ env: { [`${prefix}_${name}`]: value } });
  const onDisk = (given: Record<string, string>, options: object) =>
    desk(disk({ root: directoryWith(given), durability: "fast" }), options);

  it("TOOL_TIMEOUT: a call stops after so many seconds", async () => {
    const { run, surface } = desk(memory(), env("TOOL_TIMEOUT", "0.0000001"));
    expect(await run(write("p", "x"))).toMatchObject({ ok: false, error: { kind: "timeout" } });
    expect(surface.tools[0]?.deadlineMs).toBeCloseTo(0.0001);
  });

  it("TYPED_RESULTS: results are objects", async () => {
    const { run } = desk(memory(), env("TYPED_RESULTS", "1"));
    expect(await run(LS)).toMatchObject({ data: { files: [] } });
    expect(await desk(memory(), env("TYPED_RESULTS", "0")).run(LS)).toMatchObject({ data: { result: [] } });
  });

  it("FS_MODE: store or sandbox", async () => {
    expect(await onDisk({ a: "" }, env("FS_MODE", "sandbox")).data(LS)).toEqual({ result: ["a"] });
    expect(await onDisk({ a: "" }, env("FS_MODE", "store")).data(LS)).toEqual({ result: [] });
    expect(() => files(env("FS_MODE", "sandbx"))).toThrow(`${prefix}_FS_MODE is "sandbx"`);
  });

  it("FS_ROOT: the directory of a session that has none", async () => {
    const root = directoryWith({ a: "" });
    expect(await desk(memory(), { mode: "sandbox", ...env("FS_ROOT", root) }).data(LS)).toEqual({ result: ["a"] });
  });

  it("FS_MAX_BYTES: the largest file", async () => {
    const { refused } = desk(memory(), env("FS_MAX_BYTES", "3"));
    expect(await refused(write("p", "four"))).toContain("4 bytes > 3 bytes");
  });

  it("FS_READ_ONLY: a sandbox that changes nothing", async () => {
    const { refused } = onDisk({ a: "x" }, { mode: "sandbox", ...env("FS_READ_ONLY", "yes") });
    expect(await refused(write("a", "y"))).toMatch(/^SandboxReadOnly/);
  });
});

describe.each(["store", "sandbox"] as const)("seed 003, a caller who goes away, %s mode", (mode) => {
  it.each([LS, read("a"), write("a", "y"), edit("a", "x", "y"), remove("a")])(
    "$command is cancelled",
    async (params) => {
      const root = directoryWith({ a: "x" });
      const session = new Workspace(disk({ root, durability: "fast" })).session();
      const surface = files({ mode, env: {} });
      const gone = await call(session, surface, "files", { params }, { signal: AbortSignal.abort() });
      expect(gone).toMatchObject({ ok: false, error: { kind: "cancelled" } });
      const late = await call(session, surface, "files", { params }, { deadlineMs: 0.0001 });
      expect(late).toMatchObject({ ok: false, error: { kind: "timeout" } });
    },
  );
});
