// Refusals of calls as such, and what the machine does.
import { createHash } from "node:crypto";
import { type FailureKind, Refusal } from "stet";
import { both, hash, params, type Rows, reading, row, writing } from "./rows.ts";
import { LINES, TEXT, type World } from "./world.ts";

const NO_SEARCH = "It searches nothing.";
/** What only a failing machine brings about: the advice is that of the surface. */
const machine = (kind: FailureKind, next?: string) => {
  const storage = () =>
    new Refusal(kind, "The machine failed.", { path: "a.txt", ...(next !== undefined && { next }) });
  return both(reading("a.txt", { storage }), writing("a.txt", { storage }));
};
const searching = (input: object, tool = "Grep") => [{ tool, input }];
const gone = new AbortController();
gone.abort();
const [FIRST] = LINES as [string];
const A = { path: "a.txt" };
const TYPED = { file_path: "a.txt" };
const LS = { params: { command: "ls" } };
const SHA = createHash("sha256").update(TEXT).digest("hex");
const replacing = (anchor: string) => ({ ...A, operations: [{ op: "replace_line", hash: anchor, content: "x" }] });
const BOMB = "{a,b}".repeat(12);

export const CALLS: Rows<
  | "invalid_input"
  | "command_failed"
  | "pattern_too_complex"
  | "timeout"
  | "cancelled"
  | "disk_full"
  | "io_error"
  | "busy"
  | "not_kept"
  | "journal_damaged"
  | "outcome_unknown"
  | "unsupported"
  | "unknown"
> = {
  invalid_input: {
    workspace: [
      { tool: "read_file", input: {}, right: A },
      {
        tool: "edit_file",
        input: { path: "a.txt", edits: [], expectedSha256: "zz" },
        right: { ...A, edits: [{ oldText: FIRST, newText: "x" }], expectedSha256: SHA },
      },
      { tool: "write_file", input: '{"path":"a', right: { ...A, content: "x", expectedSha256: SHA } },
      { tool: "search_files", input: { query: "", mode: "some" }, right: { query: "x", mode: "text" } },
    ],
    tracked: [
      { tool: "Read", input: {}, right: TYPED },
      {
        tool: "Edit",
        input: { file_path: 7, old_string: "a", new_string: [] },
        before: (world: World) => world.call("Read", TYPED),
        right: { ...TYPED, old_string: FIRST, new_string: "x" },
      },
      {
        tool: "Write",
        input: { file_path: "n.txt", content: "x", append: true },
        right: { file_path: "n.txt", content: "x" },
      },
    ],
    compact: [
      { tool: "Read", input: {}, right: TYPED },
      { tool: "Read", input: { file_path: "a.txt", limit: 0 }, right: { ...TYPED, limit: 1 } },
      {
        tool: "Edit",
        input: { file_path: "a.txt", old_string: "x", new_string: "y", insert_at_line: 2 },
        right: { ...TYPED, new_string: "y", insert_at_line: 2 },
      },
      {
        tool: "Read",
        input: { file_path: "b.txt", encoding: "klingon" },
        right: { file_path: "b.txt", encoding: "iso-8859-1" },
      },
    ],
    files: [
      { tool: "files", input: {}, right: LS },
      { tool: "files", input: { params: { command: "chmod" } }, right: LS },
      { tool: "files", input: params("read", "a.txt", { content: "x" }), right: params("read", "a.txt") },
      { tool: "files", input: { params: { command: "ls" }, file_path: "x" }, right: LS },
      {
        tool: "files",
        input: params("read", "a.txt", { offset: "much" }),
        right: params("read", "a.txt", { offset: 1 }),
      },
    ],
    filesystem: [
      { tool: "read_text_file", input: { path: "a.txt", head: 1, tail: 1 }, right: { path: "a.txt", head: 1 } },
      {
        tool: "edit_file",
        input: { path: "a.txt", edits: [] },
        right: { path: "a.txt", edits: [{ oldText: FIRST, newText: "x" }] },
      },
      { tool: "search_files", input: { path: ".", pattern: "[" }, right: { path: ".", pattern: "\\[" } },
      { tool: "move_file", input: { source: "a.txt" }, right: { source: "a.txt", destination: "c.txt" } },
    ],
    anchors: [
      { tool: "edit", input: { operations: [] }, right: replacing(hash(FIRST)) },
      {
        tool: "edit",
        input: { path: "a.txt", operations: [{ op: "replace", hash: "abcdef" }] },
        right: replacing(hash(FIRST)),
      },
      {
        tool: "edit",
        input: { path: "a.txt", operations: [{ op: "replace_line", start_hash: "abcdef", content: "" }] },
        right: replacing(hash(FIRST)),
      },
      {
        tool: "edit",
        input: { path: "a.txt", operations: [{ op: "replace_line", hash: "abcdef" }] },
        right: replacing(hash(FIRST)),
      },
      {
        tool: "edit",
        input: { path: "a.txt", operations: [{ op: "delete_line", hash: "2#abcdef", line: 3 }] },
        right: replacing(`1#${hash(FIRST)}`),
      },
      { tool: "read_file", input: { path: "a.txt", offset: -1 }, right: { path: "a.txt", offset: 0 } },
      {
        tool: "write_file",
        input: { path: "a.txt", content: "x", mode: "append" },
        right: { path: "a.txt", content: "x" },
      },
    ],
  },
  command_failed: row(NO_SEARCH, {
    filesystem: "It searches no lines.",
    workspace: [
      { tool: "search_files", input: { query: "(", mode: "regex" } },
      {
        tool: "move_file",
        input: async (world: World) => ({
          fromPath: "a.txt",
          toPath: "./a.txt",
          expectedSha256: await world.sha("a.txt"),
        }),
      },
      { tool: "apply_patch", input: { patch: "*** Begin Patch\n*** Move File: a.txt -> a.txt\n*** End Patch" } },
    ],
    tracked: searching({ pattern: "(" }),
    compact: [...searching({ pattern: "(" }), { tool: "Read", input: { file_path: "a.txt", pattern: "(" } }],
  }),
  pattern_too_complex: row(NO_SEARCH, {
    workspace: searching({ pattern: BOMB }, "glob"),
    tracked: "Its globs have no braces.",
    compact: searching({ pattern: BOMB }, "Glob"),
    filesystem: searching({ path: ".", pattern: BOMB }, "search_files"),
  }),
  timeout: both(reading("a.txt", { call: { deadlineMs: 1e-6 } }), writing("new.txt", { call: { deadlineMs: 1e-6 } })),
  cancelled: both(
    reading("a.txt", { call: { signal: gone.signal } }),
    writing("new.txt", { call: { signal: gone.signal } }),
  ),
  disk_full: machine("disk_full"),
  io_error: machine("io_error"),
  busy: machine("busy"),
  not_kept: row("It brings nothing back.", {
    workspace: [
      {
        tool: "restore_file",
        input: { trashedPath: "a.txt" },
        async before(world) {
          const { sha } = await world.session.read("a.txt");
          await world.call("delete_file", { path: "a.txt", expectedSha256: sha });
          await world.workspace.backend.forget([sha]);
        },
      },
    ],
  }),
  journal_damaged: machine("journal_damaged"),
  outcome_unknown: machine("outcome_unknown", "Read the file before you change it again."),
  unsupported: row("It refuses what it cannot do in other words.", {
    workspace: [
      {
        tool: "apply_patch",
        input: { patch: "diff --git a/a.txt b/a.txt\nold mode 100644\nnew mode 100755\n" },
      },
    ],
    files: [{ tool: "files", input: params("delete", "a.txt") }],
  }),
  unknown: row("No refusal is made with it: what is not known is a defect."),
};
