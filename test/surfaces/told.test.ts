// What an agent was told when it was refused is kept word for word: for people who look at it later, not for other agents.
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { memory } from "../../src/backends/memory/index.ts";
import type { Entry } from "../../src/core/backend.ts";
import { Refusal } from "../../src/core/failure.ts";
import { Telling } from "../../src/kernel/change/telling.ts";
import { mayShowToldOf } from "../../src/kernel/history/trash/purged-names.ts";
import { purge } from "../../src/kernel/history/trash/trash.ts";
import { Workspace, type WorkspaceOptions } from "../../src/kernel/workspace.ts";
import { call, files, type Surface, surfaceNamed } from "../../src/surfaces/index.ts";
import { defineTool } from "../../src/surfaces/tool.ts";
import { all, refuses } from "../../src/testing/assertions.ts";
import { BACKENDS } from "../support/workspace.ts";

const FILES = { a: "alpha\nbeta one\ngamma\nbeta one\n", b: "x\n" };
const OTHER = "0".repeat(64);
const PATCH = "*** Begin Patch\n*** Update File: a\n@@\n-no such line\n+x\n*** End Patch";

function desk(workspace: Workspace) {
  const session = workspace.session({ agent: "codex" });
  return {
    session,
    async use(surface: string, tool: string, input: unknown) {
      const surfaceOf = surface === "files" ? files({ mode: "sandbox" }) : surfaceNamed(surface);
      return call(session, surfaceOf, tool, input, { call: "c1" });
    },
    refused: () => all(workspace.log({ outcomes: ["refused"] })),
  };
}

const inMemory = (options?: WorkspaceOptions) => desk(new Workspace(memory({ files: FILES }), options));

describe.each(BACKENDS)("what was told on %s", (name, make) => {
  const rows: readonly (readonly [surface: string, tool: string, input: object])[] = [
    ["workspace", "edit_file", { path: "a", expectedSha256: OTHER, oldText: "beta two", newText: "x" }],
    ["workspace", "apply_patch", { patch: PATCH }],
    ["workspace", "create_file", { path: "a", content: "" }],
    ["tracked", "Edit", { file_path: "a", old_string: "beta two", new_string: "x" }],
    ["compact", "Edit", { file_path: "a", old_string: "beta one", new_string: "x" }],
    ["anchors", "edit", { path: "a", operations: [{ op: "delete_line", hash: "ffffff" }] }],
    ["files", "files", { params: { command: "edit", file_path: "a", old_string: "beta two", new_string: "x" } }],
    ["workspace", "edit_file", { path: "a" }],
    ["workspace", "read_file", { path: "../out" }],
  ];
  // that surface is for directories
  const here = rows.filter(([surface]) => surface !== "files" || name === "disk");
  it.each(here)("is in the journal as %s answered: %s", async (surface, tool, input) => {
    const { use, refused } = desk(new Workspace(make(FILES)));
    await use(surface, surface === "anchors" ? "read_file" : "Read", { path: "a", file_path: "a", hashes: true });
    const answer = await use(surface, tool, input);
    expect(answer.ok).toBe(false);
    expect(await refused()).toMatchObject([{ agent: "codex", tool, call: "c1", details: { told: answer.text } }]);
  });

  it("has the lines that the answer quotes, and the names that are near", async () => {
    const { use, refused } = desk(new Workspace(make(FILES)));
    await use("tracked", "Read", { file_path: "a" });
    await use("tracked", "Edit", { file_path: "a", old_string: "beta two", new_string: "x" });
    const [entry] = await refused();
    expect(entry!.details!.told).toContain("beta one");
    expect(entry!.details!.files).toEqual(["a"]);
    // what never quotes a file stays free of it
    expect(JSON.stringify({ ...entry, details: { ...entry!.details, told: "" } })).not.toContain("beta one");
  });
});

it("a method of the library tells what its refusal says, and what to do next", async () => {
  const { session, refused } = inMemory();
  await session.read("a");
  const no = await refuses("stale_file", () => session.write("a", "x", { expectedSha256: OTHER }));
  expect(no.message).toContain(no.failure.suggestedAction);
  expect(await refused()).toMatchObject([{ message: no.failure.message, details: { told: no.message } }]);
});

it("is not kept where the journal keeps no lines of files", async () => {
  const { use, refused } = inMemory({ journalDiff: false });
  await use("workspace", "edit_file", { path: "a", expectedSha256: OTHER, oldText: "beta two", newText: "x" });
  await use("workspace", "apply_patch", { patch: PATCH });
  const entries = await refused();
  expect(entries.map(({ details }) => details!.told)).toEqual([undefined, undefined]);
  expect(JSON.stringify(entries)).not.toContain("no such line");
});

it("is cut where it is long, and not through a character", async () => {
  const { session, refused } = inMemory();
  const long = ["a".repeat(4000), "a".repeat(4001), "😀".repeat(3000), `a${"😀".repeat(3000)}`];
  for (const words of long) await session.recordRefusal(new Refusal("not_text", words), [{ path: "a" }]);
  const told = (await refused()).map(({ details }) => details!.told);
  const cut = [long[0], `${"a".repeat(3999)}…`, `${"😀".repeat(1999)}…`, `a${"😀".repeat(1999)}…`];
  expect(told).toEqual(cut);
});

it("a call that was given up had no answer, and none is kept of it", async () => {
  const { session, refused } = inMemory();
  const edit = { path: "a", expectedSha256: OTHER, oldText: "beta two", newText: "x" };
  await call(session, surfaceNamed("workspace"), "edit_file", edit, { signal: AbortSignal.abort() });
  const [entry] = await refused();
  expect(entry).toMatchObject({ error: "cancelled", details: { paths: ["a"] } });
  expect(entry!.details).not.toHaveProperty("told");
});

it.each([
  ["goes on", async () => ({})],
  [
    "ends with a defect",
    async () => {
      throw new Error("a defect");
    },
  ],
])("a refusal that a call got over is kept as it was, when the call %s", async (_how, end) => {
  const tool = defineTool({
    name: "look",
    title: "Look",
    description: "Looks at a file that it may not see.",
    effect: "read",
    actions: ["read"],
    input: z.object({}),
    output: z.object({}),
    refused: "Nothing was read.",
    async run({ session, call: made }) {
      await refuses("permission_denied", () => session.read(".env", undefined, made));
      return end();
    },
    text: () => "Other files.",
  });
  const { session, refused } = inMemory();
  const surface: Surface = { name: "s", title: "S", guidance: "", tools: [tool] };
  await call(session, surface, "look", {}).catch(() => undefined);
  const [entry] = await refused();
  expect(entry).toMatchObject({ tool: "look", error: "permission_denied", details: { paths: [".env"] } });
  expect(entry!.details!.told).toContain(entry!.message);
});

it("messages are kept up to a thousand characters, whatever a caller wrote", async () => {
  const { session, refused } = inMemory();
  const long = new Refusal("permission_denied", "x".repeat(1001), { next: "y".repeat(301) });
  await session.recordRefusal(long, [{ path: "a" }]);
  expect(await refused()).toMatchObject([{ message: "x".repeat(1000), details: { next: "y".repeat(300) } }]);
});

it("only what was told has the words of a refusal that quotes, also of its next action", async () => {
  const { session, refused } = inMemory();
  const quoting = new Refusal("old_text_not_found", "The nearest line: beta one", { next: "Use: beta one" });
  await session.recordRefusal(quoting, [{ path: "a" }]);
  const [{ message, details }] = (await refused()) as [Entry];
  const told = "The nearest line: beta one Use: beta one";
  expect([message, details]).toEqual([undefined, { paths: ["a"], files: ["a"], told }]);
});

it("is not told to agents again", async () => {
  const { use } = inMemory();
  await use("workspace", "edit_file", { path: "a", expectedSha256: OTHER, oldText: "beta two", newText: "x" });
  const log = await use("workspace", "audit_log", { success: false, includeDiff: true });
  expect(log.ok && log.data).toMatchObject({ entries: [{ path: "a", success: false, details: { paths: ["a"] } }] });
  expect(JSON.stringify(log)).not.toMatch(/"told"|"files"/);
});

it("is left out once the file is purged", async () => {
  const { session, use, refused } = inMemory();
  const edit = { expectedSha256: OTHER, oldText: "beta two", newText: "x" };
  await use("workspace", "edit_file", { ...edit, path: "./a" });
  await use("workspace", "edit_file", { ...edit, path: "b" });
  await session.read("a");
  await session.delete("a");
  const { backend } = session.workspace;
  const shown = async () => Promise.all((await refused()).map((entry) => mayShowToldOf(backend, entry)));
  expect(await shown()).toEqual([true, true]);
  await purge(session, "a");
  expect(await shown()).toEqual([false, true]);
});

it("words go to the refusal that was answered and to what caused it; others were got over", async () => {
  const telling = new Telling();
  const [cause, other] = [new Refusal("not_found", "1"), new Refusal("not_found", "2")];
  const answered = new Refusal("not_found", "in other words", { cause: new Error("between", { cause }) });
  const written: unknown[] = [];
  const write = (name: string) => async (told?: string) => void written.push([name, told]);
  expect([cause, other, answered].map((each) => telling.hold(each, write(each.failure.message)))).toEqual([
    true,
    true,
    true,
  ]);
  await telling.answered(answered, "No.");
  const all = [["1", "No."], ["2", undefined], ["in other words", "No."]]; // biome-ignore format: a table
  expect(written).toEqual(all);
  await telling.answered();
  expect(telling.hold(cause, write("late"))).toBe(false);
  expect(written).toEqual(all);
});
