// Seed 003, sentence by sentence, and the tests that show what it asks for.
import { HEADING, holdSeed, LABEL, type Row } from "./coverage.ts";

const ROWS: readonly Row[] = [
  ['--- title: "files Reference (Unified)" status: draft kind: builtin mode: stateless owner: docs ---', LABEL],
  ["# files (Unified File Operations)", HEADING],
  ["## Overview", HEADING],
  [
    "- Unified file operations via a single tool using a discriminated union for commands: `ls`, `read`, `write`, `edit`, `delete`.",
    "the examples of the seed run as written",
    "the schema is one plain object with params, flat inside, without unions",
  ],
  [
    "- Prefer this tool in new prompts and configs; wrapper tools remain for backward compatibility.",
    "%s has the parameters and the results of its command",
    "are there, after the one tool, only when they are asked for",
  ],
  ["- Classification: stateless.", LABEL],
  ["## Parameters", HEADING],
  [
    "- params: union — One of:",
    "the schema is one plain object with params, flat inside, without unions",
    "the flat form is accepted too, and params as a JSON string",
  ],
  [
    '- LsParams: `{ command: "ls", instance?: string }`',
    "ls lists keys in the order they were made, as they were written",
    "instances are separate key spaces; without one the store is shared by the sessions of a workspace",
  ],
  [
    '- ReadParams: `{ command: "read", file_path: string, offset?: int, limit?: int, instance?: string }`',
    "read shows %s",
    "instances are separate key spaces; without one the store is shared by the sessions of a workspace",
  ],
  [
    '- WriteParams: `{ command: "write", file_path: string, content: string, instance?: string }`',
    "the examples of the seed run as written",
    "instances are separate key spaces; without one the store is shared by the sessions of a workspace",
  ],
  [
    '- EditParams: `{ command: "edit", file_path: string, old_string: string, new_string: string, replace_all?: bool, instance?: string }`',
    "edit replaces the first occurrence only, without asking for uniqueness, and says how many are left",
    "edit replaces all with replace_all",
  ],
  [
    '- DeleteParams: `{ command: "delete", file_path: string, instance?: string }`',
    "delete is idempotent",
    "the examples of the seed run as written",
  ],
  ["## Result Schema", HEADING],
  ["- Depends on the command:", "every command has its object, and the same text for the model"],
  [
    "- ls → default: list[string]; typed: `{ files: list[string] }` (`FileListResult`).",
    "every command has its object, and the same text for the model",
    "ls lists keys in the order they were made, as they were written",
  ],
  [
    "- read → default: string of numbered lines; typed: `{ lines: list[string], summary: string }` (`FileReadResult`).",
    "every command has its object, and the same text for the model",
    "read shows %s",
  ],
  [
    "- write → default: string; typed: `{ path: string, summary: string }` (`FileWriteResult`).",
    "every command has its object, and the same text for the model",
    "the examples of the seed run as written",
  ],
  [
    "- edit → default: string; typed: `{ path: string, replaced: int, summary: string }` (`FileEditResult`).",
    "every command has its object, and the same text for the model",
    "edit counts what it replaced",
  ],
  [
    "- delete → default: string; typed: `{ path: string, summary: string }` (`FileDeleteResult`).",
    "every command has its object, and the same text for the model",
    "the examples of the seed run as written",
  ],
  [
    "See also: [Typed Results vs Legacy Outputs](typed_results.md) for examples and the `INSPECT_AGENTS_TYPED_RESULTS` toggle.",
    "TYPED_RESULTS: results are objects",
    "typed results: true",
  ],
  ["## Timeouts & Limits", HEADING],
  [
    "- Execution timeout: 15s by default (overridable via `INSPECT_AGENTS_TOOL_TIMEOUT`).",
    "timeout is 15 s by default",
    "the older name of the timeout",
    "a call that takes longer than the timeout is stopped, and changes nothing",
  ],
  ["- Read caps: default `limit=2000` lines;", "read shows 2000 lines by default and says how to go on"],
  ["per-line truncation 2000 characters.", "read cuts each line to 2000 characters, without an ellipsis, and says so"],
  ["- No explicit hard cap for write/edit sizes in store mode.", "there is no cap on size unless one is set"],
  ["## Sandbox vs Store", HEADING],
  [
    "- When `INSPECT_AGENTS_FS_MODE=sandbox` and sandbox is available:",
    "FS_MODE: store or sandbox",
    "the older name of the mode",
  ],
  ["- read/edit/write route to `text_editor` operations;", "read, write and edit work on the directory"],
  ["`ls` proxies to a shell `ls -1` via sandbox.", "ls lists the names in the root, as `ls -1` does"],
  ["- delete is intentionally disabled and will raise an error.", "delete is disabled, with the documented error"],
  [
    "- When sandbox is unavailable or `store` mode is active, operations use the in‑memory `Files` store.",
    "is the default, and touches no file of the workspace",
    "falls back to the store, and every result says so",
  ],
  ["## Examples ```json", HEADING],
  ['// List files {"params": {"command": "ls"}}', "the examples of the seed run as written"],
  [
    '// Read first 200 lines {"params": {"command": "read", "file_path": "docs/README.md", "offset": 0, "limit": 200}}',
    "the examples of the seed run as written",
  ],
  [
    '// Write a file {"params": {"command": "write", "file_path": "docs/note.md", "content": "Hello"}}',
    "the examples of the seed run as written",
  ],
  [
    '// Edit once {"params": {"command": "edit", "file_path": "pyproject.toml", "old_string": "0.1.0", "new_string": "0.1.1"}}',
    "the examples of the seed run as written",
  ],
  [
    '// Delete (store mode only) {"params": {"command": "delete", "file_path": "docs/note.md"}} ```',
    "the examples of the seed run as written",
    "delete is disabled, with the documented error",
  ],
  ["## Config Keys", HEADING],
  [
    "- INSPECT_AGENTS_TOOL_TIMEOUT — per-call timeout in seconds (default 15).",
    "TOOL_TIMEOUT: a call stops after so many seconds",
    "timeout in seconds, fractions too",
    "timeout is 15 s by default",
  ],
  [
    "- INSPECT_AGENTS_TYPED_RESULTS — `1/true` to enable typed result models.",
    "TYPED_RESULTS: results are objects",
    "typed results: 1",
    "typed results: true",
  ],
  [
    "- INSPECT_AGENTS_FS_MODE — `store` (default) | `sandbox` to use host editor tools.",
    "FS_MODE: store or sandbox",
    "mode is store by default",
    "mode sandbox",
    "a misspelt mode is refused, never taken for the store",
  ],
  ["## Source of Truth", HEADING],
  [
    "- Code: src/inspect_agents/tools_files.py (`files_tool`, `execute_*`) - Types: src/inspect_agents/tool_types.py (`FilesToolParams`)",
    "— files of another program",
  ],
  [
    "- Wrappers: [read_file](read_file.md), [write_file](write_file.md), [edit_file](edit_file.md), [ls](ls.md), [delete_file](delete_file.md)",
    "%s has the parameters and the results of its command",
  ],
];

holdSeed("003", ROWS);
