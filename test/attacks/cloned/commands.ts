// Every command and every tool, as a person and an agent would use them in a project that they have just cloned.
import { sha } from "./forge.ts";

const README = sha("hello\n");

/** Besides those that start a server. */
export const COMMANDS: readonly (readonly string[])[] = [
  ["log"],
  ["log", "--json"],
  ["show", "1"],
  ["show", "2"],
  ["show", "3", "--json"],
  ["undo", "1", "--dry-run"],
  ["undo", "--since", "9999d", "--dry-run"],
  ["undo", "--agent", "claude", "--yes"],
  ["undo", "3"],
  ["trash", "list"],
  ["trash", "restore", "2"],
  ["trash", "purge", "--all"],
  ["verify"],
  ["gc", "--older-than", "1d", "--even-recent", "--yes"],
  ["policy", "explain", ".git/hooks/pre-commit"],
  ["tools"],
  ["adopt", "--dry-run"],
];

export const CALLS: readonly (readonly [surface: string, tool: string, input: unknown])[] = [
  ["workspace", "read_file", { path: "README.md" }],
  ["workspace", "read_file", { path: ".env" }],
  ["workspace", "list_directory", { path: ".", recursive: true }],
  ["workspace", "search_files", { query: "canary", mode: "text" }],
  ["workspace", "glob", { pattern: "**/*" }],
  ["workspace", "create_file", { path: "made.txt", content: "made\n" }],
  ["workspace", "write_file", { path: "README.md", content: "changed\n", expectedSha256: README }],
  [
    "workspace",
    "edit_file",
    { path: "src/main.txt", edits: [{ oldText: "main", newText: "edited" }], expectedSha256: sha("main\n") },
  ],
  ["workspace", "move_file", { fromPath: "src/moved.txt", toPath: "moved.txt", expectedSha256: sha("moved\n") }],
  ["workspace", "apply_patch", { patch: "*** Begin Patch\n*** Add File: patched.txt\n+patched\n*** End Patch\n" }],
  ["workspace", "delete_file", { path: "src/deleted.txt", expectedSha256: sha("deleted\n") }],
  ["workspace", "list_trash", {}],
  ["workspace", "restore_file", { trashedPath: "2" }],
  ["workspace", "audit_log", { includeDiff: true }],
  ["tracked", "Read", { file_path: "README.md" }],
  ["tracked", "Write", { file_path: "tracked.txt", content: "x\n" }],
  ["tracked", "Edit", { file_path: "src/main.txt", old_string: "main", new_string: "again" }],
  ["tracked", "Glob", { pattern: "**/*" }],
  ["tracked", "Grep", { pattern: "canary" }],
  ["compact", "Read", { file_path: "README.md" }],
  ["compact", "Write", { file_path: "compact.txt", content: "x\n" }],
  ["compact", "Edit", { file_path: "src/main.txt", old_string: "main", new_string: "again" }],
  ["compact", "Glob", { pattern: "**/*" }],
  ["compact", "Grep", { pattern: "canary" }],
  ["files", "files", { params: { op: "write", path: "x.txt", content: "x" } }],
  ["anchors", "read_file", { path: "README.md", hashes: true }],
  ["anchors", "write_file", { path: "anchors.txt", content: "x\n" }],
  [
    "anchors",
    "edit",
    { path: "src/main.txt", operations: [{ op: "replace_line", hash: "fad58d", content: "anchored" }] },
  ],
];
