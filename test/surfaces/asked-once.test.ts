// What a call asks of the backend: a path is followed once, however many parts of a tool need to know where it leads.
import { createHash } from "node:crypto";
import { expect, it } from "vitest";
import { memory } from "../../src/backends/memory/index.ts";
import type { Backend } from "../../src/core/backend.ts";
import { lineHash } from "../../src/edit/index.ts";
import { Workspace } from "../../src/kernel/workspace.ts";
import { anchors, call, compact, type Surface, tracked, workspace } from "../../src/surfaces/index.ts";

const TEXT = "const a = 1;\nconst b = 2;\n";
const expectedSha256 = createHash("sha256").update(TEXT).digest("hex");
const edits = [{ oldText: "b = 2", newText: "b = 3" }];
const FILE = ["src/a.txt"];
/** A search looks at the root again when it is done: what it found counts only if that is where it was. */
const SEARCHED = [".", "."];

const CALLS: readonly (readonly [Surface, string, object, readonly string[]])[] = [
  [workspace, "read_file", { path: "src/a.txt" }, FILE],
  [workspace, "write_file", { path: "src/a.txt", content: "x\n", expectedSha256 }, FILE],
  [workspace, "edit_file", { path: "src/a.txt", edits, expectedSha256 }, FILE],
  [workspace, "create_file", { path: "src/new.txt", content: "x\n" }, ["src/new.txt"]],
  [workspace, "delete_file", { path: "src/a.txt", expectedSha256 }, FILE],
  [workspace, "list_directory", { path: "src" }, ["src"]],
  [workspace, "search_files", { query: "a.txt", mode: "path" }, SEARCHED],
  [workspace, "glob", { pattern: "*.txt", root: "src" }, ["src", ...SEARCHED]],
  [compact, "Read", { file_path: "src/a.txt" }, FILE],
  [compact, "Write", { file_path: "src/a.txt", content: "x\n" }, FILE],
  [compact, "Edit", { file_path: "src/a.txt", old_string: "b = 2", new_string: "b = 3" }, FILE],
  [tracked, "Read", { file_path: "src/a.txt" }, FILE],
  [anchors, "read_file", { path: "src/a.txt", hashes: true }, FILE],
  [anchors, "edit", { path: "src/a.txt", operations: [{ op: "delete_line", hash: lineHash("const a = 1;") }] }, FILE],
];

it.each(CALLS.map(([surface, ...rest]) => [surface.name, ...rest, surface] as const))(
  "%s %s",
  async (_name, tool, input, expected, surface) => {
    const asked: string[] = [];
    const backend = memory({ files: { "src/a.txt": TEXT } });
    const resolve: Backend["resolve"] = (raw, options) => {
      asked.push(raw);
      return backend.resolve(raw, options);
    };
    const session = new Workspace({ ...backend, resolve }).session();
    const { ok, text } = await call(session, surface, tool, input);
    // A walk looks for files of its own, such as .gitignore.
    const named = asked.filter((raw) => expected.includes(raw));
    expect([ok || text, named]).toEqual([true, expected]);
  },
);
