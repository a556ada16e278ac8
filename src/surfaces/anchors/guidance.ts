// How anchors are meant to be used, in the words that go into tool descriptions and system prompts.

/** The rules for the use of hashes, one by one, for a system prompt of your own. */
export const guidance = {
  advisoryLineNumbers:
    "Each line is shown as `N#hash`: the line number is advisory (snapshot position) only, and the hash is the authoritative identity for edit operations.",

  sameTurn:
    "After reading a file with `read_file(hashes: true)`, apply edits to that file in the same response turn or the immediate next turn. Do not read file A, then read file B, then later edit file A — the anchors from A will be stale and cause cross-version conflicts. Process one file completely (read → edit) before reading anchors for another file.",

  anchorSelection:
    "Anchor selection guidance: Prefer lines with unique, distinctive content as anchors. Avoid anchoring on empty lines, closing braces (`}`), or frequently repeated boilerplate (e.g., `position: fixed;`, `display: flex;` in CSS, `</div>` in HTML). For files with repetitive content, use `replace_range` with two unique boundary anchors instead of `replace_line` — range operations enforce uniqueness on both endpoints and are rejected if ambiguous. When a `replace_line` anchor matches multiple lines, use the `occurrence` field (1-indexed) and `line` field (advisory line number) together to disambiguate.",

  operationTable: [
    "| Situation | Recommended Operation |",
    "|---|---|",
    "| Change a single line with unique content | `replace_line` |",
    "| Change a contiguous block of lines | `replace_range` |",
    "| Insert new content between two existing lines | `insert_after` / `insert_before` |",
    "| Remove a single unique line | `delete_line` |",
    "| Remove a contiguous block of lines | `delete_range` |",
    "| Target line is repetitive (empty line, `}`, boilerplate) | `replace_range` wrapping it with unique neighbor anchors |",
  ].join("\n"),

  multiFile:
    "Multi-file editing: When modifying multiple files, complete all operations on one file before moving to the next. Batch operations targeting the same file into a single `edit` call where possible (all operations in one call are atomic against the same snapshot). Avoid interleaving reads and edits across different files — read A → edit A → read B → edit B, not read A → read B → edit A → edit B.",

  parameterNotes: [
    "Parameter notes:",
    "- Use `path` to specify the file; `file_path` is deprecated and will be rejected.",
    "- `replace_line` / `delete_line` / `insert_after` / `insert_before` use `hash` (single anchor).",
    "- `replace_range` / `delete_range` use `start_hash` + `end_hash` (two anchors).",
    "- Mixing these (e.g., `start_hash` on a `replace_line`) causes validation failure.",
  ].join("\n"),
} as const;

/** For the system prompt. */
export const toolUseRules = ["## Tool Use Rules", ...Object.values(guidance)].join("\n\n");

export const editDescription = [
  "Edit a file by the line hashes (anchors) that read_file(hashes: true) shows. All operations apply to the same snapshot, together or not at all.",
  guidance.advisoryLineNumbers,
  guidance.sameTurn,
  guidance.anchorSelection,
  guidance.parameterNotes,
].join("\n\n");
