// Seed 000, sentence by sentence, and the tests that show what it asks for.
import { HEADING, holdSeed, type Row } from "./coverage.ts";

const ROWS: readonly Row[] = [
  ["File Management & IO", HEADING],
  [
    "Read, write, edit, search, and manage files in the workspace — with sha256-based stale-file detection.",
    "has the eleven tools, and two views to find what to restore",
  ],
  [
    "File tools give agents full read/write access to the workspace.",
    "has the eleven tools, and two views to find what to restore",
    "%s is outside the workspace for every tool",
  ],
  [
    "Every modifying tool gates its operation on a sha256 checksum from a prior read — this is the stale-file protocol that prevents overwriting changes the agent hasn't seen.",
    "%s refuses unless the caller proves the current state",
    "%s requires %j",
    "without a sha256 it goes to the trash unchecked; strict refuses",
  ],
  ["Tools at a glance", HEADING],
  ["| Tool | Purpose |", HEADING],
  [
    "read_file | Read a text file with line slicing and a sha256 for stale checks. |",
    "reads a text file with everything that is known about it",
    "the sha256 covers the full bytes although the read was sliced by %s, and serves a write",
  ],
  [
    "list_directory | Enumerate a directory, optionally recursive. |",
    "lists one level by default: directories, then files, by name",
    "recursive: by depth, type, name; eight levels by default",
  ],
  [
    "search_files | Glob, text, or regex search across many files. |",
    "text is literal and case-sensitive, one hit per line, and leaves the usual out",
    "regex %s",
    "path mode finds by glob or by a part of the path: %s",
  ],
  ["glob | Match files and folders against a glob pattern. |", "matches files and folders"],
  [
    "create_file | Create a new file; fails if it exists. |",
    "creates a file with the content as it is",
    "fails if the file exists",
  ],
  [
    "write_file | Overwrite an existing file, gated by sha256. |",
    "overwrites and tells both versions",
    "%s refuses unless the caller proves the current state",
  ],
  [
    "edit_file | Apply exact-string edits, gated by sha256. |",
    "replaces exact text and says how often and where",
    "matches all edits on the original text",
    "%s refuses unless the caller proves the current state",
  ],
  ["delete_file | Delete a file, recoverable via workspace trash. |", "a deleted file is recoverable from the trash"],
  [
    "restore_file | Restore a previously trashed file from its archive. |",
    "restores by %s",
    "never restores over a file; the trash still has it",
  ],
  [
    "move_file | Move or rename with no-overwrite semantics. |",
    "moves and keeps the bytes",
    "defaults are as documented",
    "never overwrites",
  ],
  [
    "apply_patch | Apply a multi-file unified-diff envelope atomically. |",
    "adds, updates, deletes and moves in one change",
    "accepts a unified diff",
    "is all or nothing: %s",
  ],
  [
    "The system tracks every write operation through the audit log and recovers deleted files via the trash system.",
    "has one record for every write operation, newest first, rejections included",
    "a deleted file is recoverable from the trash",
  ],
  ["Stale-file protocol", HEADING],
  [
    "The write tools (write_file, edit_file, and apply_patch) refuse to modify a file unless the caller can prove they have seen its current state.",
    "%s refuses unless the caller proves the current state",
  ],
  [
    "The proof is the sha256 of the on-disk bytes",
    "the sha256 is that of the bytes on disk: byte order mark, line ends and encoding included",
  ],
  ["— returned in data.sha256 by read_file", "reads a text file with everything that is known about it"],
  [
    "and echoed back in expectedSha256 (or expectedSha256ByPath for apply_patch).",
    "%s goes ahead with the sha256 of the current bytes",
  ],
  [
    "When the proof doesn't match, the tool returns stale_file and the agent must re-read before retrying.",
    "%s refuses unless the caller proves the current state",
    "takes the branch for stale_file when the file changed in between; re-reading and retrying works",
  ],
  ["The lifecycle", HEADING],
  ["Read — Call read_file. Save data.sha256.", "compiles and runs"],
  [
    "- Write or edit — Pass that sha256 as expectedSha256.",
    "compiles and runs",
    "%s goes ahead with the sha256 of the current bytes",
  ],
  [
    'If the file has changed since the read, the call fails withstale_fileand the suggested action: "Re-read the file to obtain the current sha256 and re-apply your edit."',
    "%s refuses unless the caller proves the current state",
    "a refusal starts with what did not happen and carries the repair: what changed and who changed it",
  ],
  [
    "- Re-read on stale — Call read_fileagain, recompute the change, and retry.",
    "takes the branch for stale_file when the file changed in between; re-reading and retrying works",
  ],
  [
    'const read = await tool.read_file({ path: "src/server.ts" }); const result = await tool.edit_file({ path: "src/server.ts", expectedSha256: read.data.sha256, edits: [{ oldText: "PORT = 3000", newText: "PORT = 4000" }], });',
    "compiles and runs",
    "input and data are typed by the schemas",
  ],
  [
    'if (!result.ok && result.error.kind === "stale_file") { // Re-read and retry. }',
    "takes the branch for stale_file when the file changed in between; re-reading and retrying works",
  ],
  ["What sha256 covers", HEADING],
  [
    "read_file always computes the sha256 over the full on-disk bytes, even when the response was sliced by startLine / endLine / maxBytes.",
    "the sha256 covers the full bytes although the read was sliced by %s, and serves a write",
    "a file above the size limit is read page by page, with the sha256 of all of it",
  ],
  [
    "The agent can therefore reuse the hash from a sliced read as expectedSha256 for a follow-up write.",
    "the sha256 covers the full bytes although the read was sliced by %s, and serves a write",
  ],
  ["Why not last-modified time?", HEADING],
  [
    "mtime is cheap but unreliable: editors that touch a file in place may not change its mtime, and clock skew across systems makes comparisons brittle. sha256 is content-addressed, so it stays correct regardless of how the file got that way.",
    "a file whose content changed under the same mtime is stale; one that was only touched is not",
  ],
  ["Apply-patch and the sentinel value", HEADING],
  ["apply_patch accepts an expectedSha256ByPath: Record<path, sha256> map.", "goes ahead: %s"],
  [
    'For Add File operations, supply the sentinel "" (empty string) to assert that the destination must not exist — any other value is treated as a stale-file mismatch.',
    "goes ahead: %s",
    "refuses: %s",
  ],
  [
    "Paths not present in the map skip the stale check entirely, which is useful when locally constructing a patch over read-only neighbors.",
    "goes ahead: %s",
    "keys that name no file of the patch are told in a warning",
  ],
  ["Cross-cutting concerns", HEADING],
  [
    "Audit log — immutable record of every write operation.",
    "has one record for every write operation, newest first, rejections included",
    "cannot be changed by any tool, and its chain verifies",
  ],
  [
    "Trash — recover deleted files before they are permanently removed.",
    "a deleted file is recoverable from the trash",
    "permanent leaves nothing to restore, and needs proof",
    "takes the content out of every diff of the audit log, under all names that the file had",
  ],
  [
    "Error kinds — error taxonomy including stale_file,not_found,permission_denied, and more.",
    "are a closed set: every kind of the kernel has a name in it",
    "%s is not found",
    "a path that the policy denies is denied for every tool that would touch it",
  ],
];

holdSeed("000", ROWS);
