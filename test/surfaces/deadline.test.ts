// Every tool is under the deadline and the signal of its call; what has begun to count is never cut.
import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { Path } from "../../src/core/backend.ts";
import { call, defineTool, type Surface, surfaceNamed, workspace } from "../../src/surfaces/index.ts";
import { all, textAt } from "../../src/testing/assertions.ts";
import { deskOn } from "../seeds/000-calls.ts";
import { BACKENDS, memoryWorkspace } from "../support/workspace.ts";

const SHA = "0".repeat(64);
const path = "a";
const CALLS: Readonly<Record<string, readonly (readonly [string, object])[]>> = {
  workspace: [
    ["read_file", { path }],
    ["list_directory", {}],
    ["search_files", { query: "x", mode: "text" }],
    ["search_files", { query: "x", mode: "path" }],
    ["glob", { pattern: "*" }],
    ["create_file", { path: "new", content: "" }],
    ["write_file", { path, content: "", expectedSha256: SHA }],
    ["edit_file", { path, edits: [{ oldText: "x", newText: "y" }], expectedSha256: SHA }],
    ["delete_file", { path }],
    ["restore_file", { trashedPath: path }],
    ["move_file", { fromPath: path, toPath: "b", expectedSha256: SHA }],
    ["apply_patch", { patch: "*** Begin Patch\n*** Delete File: a\n*** End Patch" }],
    ["audit_log", {}],
    ["list_trash", {}],
  ],
  tracked: [
    ["Read", { file_path: path }],
    ["Write", { file_path: "new", content: "" }],
    ["Edit", { file_path: path, old_string: "x", new_string: "y" }],
    ["Glob", { pattern: "*" }],
    ["Grep", { pattern: "x" }],
  ],
  files: ["ls", "read", "write"].map((command) => [
    "files",
    { params: { command, ...(command !== "ls" && { file_path: path }), ...(command === "write" && { content: "" }) } },
  ]),
  anchors: [["read_file", { path }]],
};

const everyCall = Object.entries({ ...CALLS, compact: CALLS.tracked! }).flatMap(([surface, calls]) =>
  calls.map(([name, input]) => [surface, name, input] as const),
);

describe("every tool", () => {
  it.each(everyCall)("%s %s stops when the caller has gone away or the time is up", async (surface, name, input) => {
    const place = memoryWorkspace({ a: "x\n" });
    const run = (options: object) => call(place.session(), surfaceNamed(surface), name, input, options);
    const gone = await run({ signal: AbortSignal.abort() });
    expect(gone).toMatchObject({ ok: false });
    expect(gone.text).toContain("The call was cancelled.");
    const late = await run({ deadlineMs: 1e-9 });
    expect(late.text).toContain("and was stopped.");
    expect([await textAt(place.backend, "a"), await textAt(place.backend, "new")]).toEqual(["x\n", null]);
  });

  it("also one that never asks", async () => {
    const stuck = defineTool({
      name: "stuck",
      title: "Stuck",
      description: "Never comes back.",
      effect: "write",
      actions: ["write"],
      input: z.object({}),
      output: z.object({}),
      refused: "Nothing happened.",
      run: () => new Promise<never>(() => undefined),
      text: () => "",
      deadlineMs: 1e9,
    });
    const surface: Surface = { name: "s", title: "S", guidance: "", tools: [stuck] };
    const place = memoryWorkspace({});
    const late = await call(place.session(), surface, "stuck", {}, { deadlineMs: 1 });
    expect(late).toMatchObject({ ok: false, error: { kind: "timeout", recoverable: true } });
    const controller = new AbortController();
    const pending = call(place.session(), surface, "stuck", {}, { signal: controller.signal });
    controller.abort();
    expect(await pending).toMatchObject({ ok: false, error: { kind: "cancelled" } });
    const entries = await all(place.log({ outcomes: ["refused"] }));
    expect(entries.map(({ error }) => error)).toEqual(["timeout", "cancelled"]);
  });
});

describe.each(BACKENDS)("what counts is not cut, on %s", (_name, make) => {
  it("a commit that has begun", async () => {
    const backend = make({ a: "1\n" });
    const desk = deskOn(backend);
    const expectedSha256 = await desk.sha("a");
    const controller = new AbortController();
    const commit = backend.commit.bind(backend);
    backend.commit = async (changes, author, note, how) => {
      const begin = (): void => {
        how?.begin?.();
        controller.abort();
      };
      const committed = await commit(changes, author, note, { ...how, begin });
      await new Promise(setImmediate);
      return committed;
    };
    const written = { path: "a", content: "2\n", expectedSha256 };
    const result = await call(desk.session, workspace, "write_file", written, { signal: controller.signal });
    expect(result).toMatchObject({ ok: true });
    expect(await textAt(backend, "a")).toBe("2\n");
  });

  it("a file that was noted as shown is shown; one that is not shown is not noted", async () => {
    const backend = make({ a: "1\n", b: "2\n" });
    const { session } = deskOn(backend);
    const read = async (path: string, abort: "read" | "head") => {
      const controller = new AbortController();
      const original = backend[abort].bind(backend) as (path: Path) => Promise<never>;
      backend[abort] = async (at: Path) => {
        controller.abort();
        await new Promise(setImmediate);
        return original(at);
      };
      const result = await call(session, workspace, "read_file", { path }, { signal: controller.signal });
      backend[abort] = original;
      for (let n = 0; n < 20; n++) await new Promise(setImmediate);
      return [result.ok, (await session.ledger.get(path as Path)) !== undefined];
    };
    expect(await read("a", "read")).toEqual([false, false]);
    expect(await read("b", "head")).toEqual([true, true]);
  });

  it("what was cut is journalled once, and what it would have done does not happen later", async () => {
    const backend = make({ a: "1\n" });
    const desk = deskOn(backend);
    const expectedSha256 = await desk.sha("a");
    const controller = new AbortController();
    const read = backend.read.bind(backend);
    backend.read = async (...args) => {
      controller.abort();
      await new Promise(setImmediate);
      return read(...args);
    };
    const written = { path: "a", content: "2\n", expectedSha256 };
    const result = await call(desk.session, workspace, "write_file", written, { signal: controller.signal });
    expect(result).toMatchObject({ ok: false, error: { details: { cause: "cancelled" } } });
    for (let n = 0; n < 20; n++) await new Promise(setImmediate);
    expect(await textAt(backend, "a")).toBe("1\n");
    const refused = await all(desk.workspace.log({ outcomes: ["refused"] }));
    expect(refused).toMatchObject([{ error: "cancelled", tool: "write_file", details: { paths: ["a"] } }]);
  });
});
