// Seed 002, sentence by sentence, part 1: what it is, Read and Write.
import { BACKGROUND, HEADING, LABEL, type Row } from "./coverage.ts";

export const READING_AND_WRITING: readonly Row[] = [
  ["filesystem", HEADING],
  [
    "Agent-optimised filesystem operations. 5 actions, short PascalCase tool names (matching Claude Code),",
    "are Read, Write, Edit, Glob and Grep",
  ],
  [
    "minimal visible params + hidden implementation details for reliability.",
    "%s shows only its visible parameters",
    "the tool list is at most 4 KB of JSON",
  ],
  ["| Property | Value | | Module id | filesystem | | Version | 2.0.0 |", LABEL],
  ["| Action count | 5 |", "are Read, Write, Edit, Glob and Grep"],
  ["| Type | system | | Pip deps | None (stdlib).", LABEL],
  ["Optional: ripgrep for faster grep. |", "Grep answers the same with ripgrep and without it"],
  ["Design philosophy", HEADING],
  ["Inspired by Claude Code's tool surface:", BACKGROUND],
  [
    "Minimal visible params → fewer LLM mistakes. All non-essential params are hidden from the JSON schema sent to the model.",
    "%s shows only its visible parameters",
  ],
  [
    "Hidden params + smart defaults → encoding, fuzzy matching, and recovery are taken care of without widening the schema the model sees.",
    "%s shows only its visible parameters",
    "defaults of %s",
    "encoding: detected, or as told",
    "keeps what it replaced",
  ],
  [
    "Safety-first - Editrefuses to overwrite files that weren'tReadfirst (when > 500 bytes).",
    "refuses Edit on an unread file larger than 500 bytes",
  ],
  [
    "- No legacy actions - use Bashforls,mv,cp,rm,mkdir,stat.find/file_stat/undo/insertwere removed in v2.0.",
    "%s was removed",
  ],
  ["Linting on write is a workspacemodule feature - notfilesystem.", "vanilla does not lint"],
  [
    "If you want LSP-driven diagnostics on every write, use the workspace module withlint: true.",
    "a linter that is plugged in is asked first, with the path and the text",
  ],
  ["The 5 actions", HEADING],
  ["| Tool | FQN | Visible params | Purpose |", HEADING],
  [
    "Read | filesystem.read | file_path (+ offset, limit) | Read file with line numbers. Detects PDFs (pages) + images (base64 for vision). |",
    "%s shows only its visible parameters",
    "returns content with line numbers and metadata size, lines, mtime",
    "gives the text of the pages with line numbers",
    "metadata.image_data carries the base64, with media type and size",
    "content decides, not the name",
  ],
  [
    "Write | filesystem.write | file_path, content | Create / overwrite. Creates parent directories. |",
    "%s shows only its visible parameters",
    "creates a file and its parent directories",
    "overwrites an unread file of any size: Write is never gated",
  ],
  [
    "Edit | filesystem.edit | file_path, old_string, new_string | Find-and-replace. old_string must be unique. 6-strategy fuzzy matching. |",
    "%s shows only its visible parameters",
    "replaces and returns path, size, lines, diff, insertions and deletions",
    "not unique: how often and where",
    "strategy %s",
    "strategy 6, fuzzy block: reported with strategy, similarity and matched_text",
  ],
  [
    "Glob | filesystem.glob | pattern (+ path) | Find files by pattern (**/*.ts). Sorted by mtime. |",
    "%s shows only its visible parameters",
    "finds %s as absolute paths, with the relative ones in the metadata",
    "sorts by mtime, newest first, before it cuts",
  ],
  [
    "Grep | filesystem.grep | pattern (+ path) | Regex search inside files. Powered by ripgrep. |",
    "%s shows only its visible parameters",
    "finds a regular expression in the workspace",
    "Grep answers the same with ripgrep and without it",
  ],
  ["Read - file_path + optional offset, limit", HEADING],
  ["| Param | Type | Required | Description |", HEADING],
  [
    "file_path | string | yes | Absolute path. Accepts alias path. |",
    "takes an absolute path, and the alias path",
    "%s shows only its visible parameters",
  ],
  [
    "offset | int | no | 0-based line to start reading from",
    "offset is the 0-based line to start from, limit the number of lines",
  ],
  [
    "limit | int | no | Number of lines to read. |",
    "offset is the 0-based line to start from, limit the number of lines",
    "reads 2000 lines by default",
  ],
  ["Hidden params: encoding,", "%s shows only its visible parameters", "encoding: detected, or as told"],
  [
    'pages (PDF ranges like "1-5"),',
    'pages: ranges such as "1-5"',
    "pages of another file have no meaning, and that is said",
  ],
  ["pattern (content search),", "pattern: only the lines that match, with their numbers"],
  ["max_binary_size.", "max_binary_size is 1 MiB unless told otherwise"],
  [
    "Returns content with line numbers + metadata (size, lines, mtime).",
    "returns content with line numbers and metadata size, lines, mtime",
  ],
  [
    "For images, metadata.image_data carries the base64 for vision models.",
    "metadata.image_data carries the base64, with media type and size",
  ],
  [
    "Read-before-Edit gate: the runtime tracks which paths the agent has read this session and refuses Editon unread files larger than 500 bytes.",
    "refuses Edit on an unread file larger than 500 bytes",
    "what another session has read does not count",
    "a file that was read can be edited, also when only a part of it was shown",
  ],
  [
    "Files smaller than 500 bytes can be edited without prior read;",
    "a file of %d bytes can be edited without prior read",
  ],
  ["files just-Write-created are auto-added to the read set.", "a file just created by Write can be edited"],
  ["Write - file_path + content", HEADING],
  ["| Param | Type | Required | Description |", HEADING],
  [
    "file_path | string | yes | Absolute path. Parent dirs are auto-created. |",
    "creates a file and its parent directories",
    "%s shows only its visible parameters",
  ],
  [
    "content | string | yes | Full file content. |",
    "%s shows only its visible parameters",
    "a missing argument is answered in words",
  ],
  [
    "Hidden params: create_dirs (default true),",
    "defaults of %s",
    "create_dirs: false refuses a missing parent directory",
  ],
  ["encoding,", "encoding: the one asked for, else the file's own with its line endings, else utf-8"],
  [
    "atomic (default true - temp + rename).",
    "defaults of %s",
    "atomic: accepted either way",
    "Write puts a whole new file in place: who has the old one open still sees all of it",
  ],
  [
    "After writing, the path is added to _read_files so subsequent Edit works without a prior Read.",
    "adds the path to what was read, so that Edit works without a prior Read",
  ],
  [
    'Returns {path, size, lines, operation: "create"|"update", bytes_written} in metadata.',
    "creates a file and its parent directories",
    "overwrites an unread file of any size: Write is never gated",
  ],
];
