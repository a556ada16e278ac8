// Refusals about paths and policy.
import { Refusal, type WorkspaceOptions } from "stet";
import { files } from "stet/surfaces";
import { both, deleting, editing, params, type Rows, reading, row, writing, ZERO } from "./rows.ts";
import { LINES, type World } from "./world.ts";

const addition = (path: string) => `*** Begin Patch\n*** Add File: ${path}\n+x\n*** End Patch`;
const moving = (options: WorkspaceOptions) => ({
  tool: "move_file",
  input: async (world: World) => ({ fromPath: "a.txt", toPath: "b.txt", expectedSha256: await world.sha("a.txt") }),
  options,
});
/** A race that is lost. */
const changed = () => new Refusal("path_changed", "a.txt was replaced meanwhile.", { path: "a.txt" });
const TOO_LONG = { says: /Use a shorter (?:name|path)\./ };
/** In memory the root of the workspace is that of all paths. */
const ON_DISK = { links: {}, says: /without the leading "\/"/ };
const IN_STORE = { surface: () => files({ mode: "store", env: {} }) };

export const PATHS: Rows<
  | "not_found"
  | "already_exists"
  | "invalid_path"
  | "outside_workspace"
  | "permission_denied"
  | "path_changed"
  | "not_a_file"
  | "not_a_directory"
  | "symlink_loop"
> = {
  not_found: both(
    reading("a.tx"),
    reading("nowhere/at/all.txt"),
    editing("a.tx", "x", "y"),
    row("", {
      workspace: [
        { tool: "list_directory", input: { path: "dri" } },
        { tool: "search_files", input: { query: "x", mode: "text", root: "dri" } },
        { tool: "glob", input: { pattern: "*", root: "dri" } },
        { tool: "write_file", input: { path: "a.tx", content: "", expectedSha256: ZERO } },
        { tool: "create_file", input: { path: "no/such/a.txt", content: "" } },
        deleting("a.tx"),
        { tool: "move_file", input: { fromPath: "a.tx", toPath: "c.txt", expectedSha256: ZERO } },
        { tool: "restore_file", input: { trashedPath: "never" } },
        { tool: "apply_patch", input: { patch: "*** Begin Patch\n*** Delete File: a.tx\n*** End Patch" } },
      ],
      tracked: [
        { tool: "Glob", input: { pattern: "*", path: "dri" } },
        { tool: "Grep", input: { pattern: "x", path: "dri" } },
      ],
      compact: [
        { tool: "Glob", input: { pattern: "*", path: "dri" } },
        { tool: "Grep", input: { pattern: "x", path: "dri" } },
        { tool: "Write", input: { file_path: "no/such/a.txt", content: "", create_dirs: false } },
      ],
      files: [{ tool: "files", input: params("read", "a.tx"), ...IN_STORE }],
      anchors: [{ tool: "write_file", input: { path: "a.tx", content: "", expected_file_version: "fv_00000000" } }],
      filesystem: [
        ...["list_directory", "directory_tree", "get_file_info"].map((tool) => ({ tool, input: { path: "dri" } })),
        { tool: "search_files", input: { path: "dri", pattern: "*" } },
        { tool: "move_file", input: { source: "a.tx", destination: "c.txt" } },
        { tool: "write_file", input: { path: "no/such.txt", content: "" }, links: {} },
      ],
    }),
  ),
  already_exists: row("No tool of it insists that a file be new.", {
    filesystem: [
      { tool: "move_file", input: { source: "a.txt", destination: "b.txt" } },
      { tool: "create_directory", input: { path: "a.txt" } },
    ],
    workspace: [
      { tool: "create_file", input: { path: "a.txt", content: "" } },
      { tool: "create_file", input: { path: "dir", content: "" } },
      moving({}),
      moving({ strict: true }),
      { tool: "apply_patch", input: { patch: addition("a.txt") } },
      {
        tool: "apply_patch",
        input: { patch: "*** Begin Patch\n*** Update File: b.txt\n*** Move to: a.txt\n@@\n-one\n+x\n*** End Patch" },
      },
    ],
  }),
  invalid_path: both(
    reading("a\0b"),
    writing("a\0b"),
    reading("n".repeat(256), TOO_LONG),
    reading("n/".repeat(4000), TOO_LONG),
    writing(`${"n".repeat(256)}/n.txt`, TOO_LONG),
    row("", { workspace: [{ tool: "apply_patch", input: { patch: addition("n".repeat(256)) }, ...TOO_LONG }] }),
  ),
  outside_workspace: both(
    reading("/a.txt", ON_DISK),
    reading("/dir/inside.txt", ON_DISK),
    writing("/fresh.txt", ON_DISK),
    editing("/a.txt", LINES[0]!, "x", ON_DISK),
    reading("../out.txt"),
    writing("../out.txt"),
    editing("../out.txt", "x", "y"),
  ),
  permission_denied: both(
    reading(".env"),
    writing(".env"),
    row("", {
      workspace: [deleting(".env"), { tool: "write_file", input: { path: ".env", content: "", expectedSha256: ZERO } }],
      files: [
        { tool: "files", input: params("read", "link.txt"), links: { "link.txt": "a.txt" } },
        { tool: "files", input: params("write", "link.txt", { content: "x" }), links: { "link.txt": "a.txt" } },
        {
          tool: "files",
          input: params("write", "a.txt", { content: "x" }),
          surface: () => files({ mode: "sandbox", readOnly: true, env: {} }),
        },
      ],
    }),
  ),
  path_changed: both(reading("a.txt", { storage: changed }), writing("a.txt", { storage: changed })),
  not_a_file: both(reading("dir"), { ...writing("dir"), workspace: [deleting("dir")] }, editing("dir", "x", "y")),
  not_a_directory: both(
    reading("a.txt/b.txt"),
    writing("a.txt/b.txt"),
    row("", {
      workspace: [{ tool: "list_directory", input: { path: "a.txt" } }],
      filesystem: [{ tool: "list_directory", input: { path: "a.txt" } }],
    }),
  ),
  symlink_loop: both(
    reading("loop", { links: { loop: "pool", pool: "loop" } }),
    row("A link is refused as such before it is followed.", {
      ...writing("loop", { links: { loop: "pool", pool: "loop" } }),
      files: "A link is refused as such before it is followed.",
    }),
  ),
};
