// Every reason of the catalogue in the words of every surface that can meet it: whole sentences, and a next action that
// names only tools and parameters that are offered. Whether it works when it is followed: test/surfaces/refusals-walk.
import type { PolicyInput } from "stet";
import { type AnyTool, offeredTools, type Surface, surfaceNames } from "stet/surfaces";
import { describe, expect, it } from "vitest";
import { worded } from "../../../src/surfaces/refusal.ts";
import { type FactsOf, type Reason, refuse } from "../../../src/words/index.ts";
import { surfaceOnFiles } from "../../support/agent.ts";
import { memoryWorkspace } from "../../support/workspace.ts";
import { expectNoLacks, knownFor, lacksOf } from "../../surfaces/walk/proper.ts";
import type { SurfaceName } from "../../surfaces/walk/world.ts";

/** Tools by what they do; each reason names those that can meet it. */
const TOOLS = {
  read: ["read_file", "Read", "files"],
  search: ["search_files", "list_directory", "glob", "Glob", "Grep"],
  grep: ["search_files", "Grep"],
  edit: ["edit_file", "Edit", "files"],
  write: ["write_file", "create_file", "Write", "files"],
  leave: ["delete_file", "move_file"],
  move: ["move_file"],
  make: ["create_file", "move_file"],
  restore: ["restore_file"],
  patch: ["apply_patch"],
  anchors: ["edit"],
} as const;
type What = keyof typeof TOOLS;

const CHANGES: readonly What[] = ["edit", "write", "leave", "patch", "anchors"];
const ALL = Object.keys(TOOLS) as What[];
/** Only programs meet it: no tool undoes, purges, opens checkpoints or hands over functions. */
const NONE: readonly What[] = [];

const path = "a.txt";
const lines = { startLine: 3, endLine: 4 };
const candidate = { startLine: 3, endLine: 3, similarity: 0.9, text: "const a = 1;", differences: [] };
const sides = { line: 3, file: "const a = 1;", wrote: "const b = 1;" };
const since = {
  expectedSha256: "0".repeat(64),
  currentSha256: "1".repeat(64) as never,
  diff: "--- a.txt\n+++ a.txt\n@@ -1 +1 @@\n-a\n+b\n",
};
const operation = { number: 1, op: "replace_line" };
const hunk = { path, hunkIndex: 0, patchLine: 3 };
const character = { path, line: 1, column: 2, at: 1 };
const anchors = [{ anchor: "hash", hash: "a1b2c3", matches: 2 }];

type Row<R extends Reason> = readonly [by: readonly What[], ...facts: FactsOf<R>[]];

/** Complete: the compiler misses a reason that is not here. */
const ROWS: { readonly [R in Reason]: Row<R> } = {
  arguments_invalid: [ALL, { tool: "the tool", problems: ["`limit` must be 1."], faults: ["type"], missing: [] }],
  tool_unknown: [NONE, { name: "rm", offered: ["read"] }],
  root_is_directory: [["edit", "write", "anchors"], { path: "", isTaken: false }],
  too_large: [["read", "edit", "anchors"], { path, size: 20, maxBytes: 10 }],
  directory_read: [["read"], { path: "dir" }],
  invalid_argument: [NONE, { argument: "path" }],
  out_of_memory: [["read", "edit", "write", "patch", "anchors"], { limitMegabytes: 64 }],

  changed_since: [CHANGES, { path, ...since }, { path, action: "delete", expectedSha256: "" }],
  expected_no_file: [["write", "patch"], { path, ...since }, { path, isArrival: true, ...since }],
  gone: [CHANGES, { path }, { path, action: "delete" }, { path, movedTo: "b.txt" }],
  bare_link: [["leave"], { path, isUnread: true, sha256: "0" }, { path, isUnread: false, sha256: "0" }],
  stale_together: [["patch"], { files: [{ reason: "changed_since", facts: { path, ...since } }] }],
  not_mergeable: [["edit", "write", "patch"], { path, action: "edit" }],
  text_moved: [["edit", "write", "patch"], { path }],
  same_lines_changed: [["edit", "write", "patch"], { path, conflicts: [] }],
  unread: [["edit", "write", "leave"], { path, size: 600 }, { path, size: 10, action: "delete" }],
  unseen_lines: [["write"], { path, unseen: "newer", ranges: [] }, { path, unseen: [{ from: 3, to: 9 }], ranges: [] }],
  file_missing: [["read", ...CHANGES], { path, action: "edit" }, { path, action: "write" }],
  place_taken: [["make", "restore", "patch"], { path, isFile: true }, { path, isFile: false, action: "move" }],
  directory_there: [["make"], { path, action: "create" }, { path, action: "move" }],
  link_to_nothing: [["make"], { path, target: "b.txt" }],
  became_link: [CHANGES, { path }],
  others_faster: [CHANGES, {}],
  many_targets: [["patch"], { files: 300, max: 200 }],
  named_twice: [["move"], { path, other: "b.txt", action: "move" }],
  link_moved_over_file: [["move"], {}],
  result_too_large: [["edit", "write", "patch", "anchors"], { path, size: 20, maxBytes: 10 }],
  splice_misplaced: [NONE, { start: 1, end: 0, problem: "ends before it begins" }],

  old_text_empty: [["edit"], {}],
  old_text_unchanged: [["edit"], {}],
  old_text_of_empty_file: [["edit"], {}],
  old_text_missing: [
    ["edit"],
    { candidates: [], isUnique: false },
    { candidates: [candidate], isUnique: true },
    { candidates: [], isUnique: false, lookedForSimilar: false, newTextAt: lines },
  ],
  old_text_of_earlier_edit: [["edit"], { editIndex: 1, earlier: 0 }],
  old_text_in_several_places: [["edit"], { ranges: [lines], level: "exact", found: 2 }],
  old_text_miscounted: [["edit"], { found: 2, expected: 1, isStated: true, overlap: false, ranges: [lines] }],
  old_text_in_too_many_places: [["edit"], { limit: 10 }],
  old_text_is_cut: [["edit"], lines, { ...lines, word: "value" }],
  old_text_halves_surrogates: [["edit"], {}],
  old_text_names_byte_twice: [["edit"], {}],
  edit_already_applied: [["edit"], { ...lines, how: "instead" }],
  edits_overlap: [["edit"], { ...lines, editIndices: [0, 1] }],
  edit_result_too_long: [["edit"], { length: 20, longest: 10 }],
  new_text_has_placeholder: [["edit"], { line: 1, placeholder: "// ..." }],
  changed_line_differs: [["edit"], sides],
  changed_lines_have_gap: [["edit"], lines],
  line_pairs_with_several: [["edit"], { line: 3 }],
  indentation_has_no_rule: [["edit"], { ...lines, ...sides }],
  indentation_of_new_line: [["edit"], { line: 3, text: "x" }],
  indentation_is_cut: [["edit"], lines],
  indentation_of_old_text_only: [["edit"], lines],
  insert_out_of_range: [["edit"], { line: 9, lineCount: 2 }, { line: 9, lineCount: 0 }],
  insert_empty: [["edit"], {}],

  binary: [["read", "edit"], { path, is: "nul" }, { path, is: "pdf" }],
  odd_bytes: [["read", "edit"], { path, encoding: "utf-16le", size: 3 }],
  not_in_encoding: [NONE, { path, encoding: "utf-8" }],
  encoding_unknown: [NONE, { encoding: "klingon" }],
  bom_added: [["edit"], { path }],
  reads_differently: [["edit"], { path, encoding: "gb18030" }],
  text_too_long: [["edit"], { path, size: 9e9 }],
  nul_added: [["edit", "write"], character],
  character_missing: [
    ["edit", "write"],
    { ...character, character: "ł", encoding: "iso-8859-1" },
    { ...character, character: "ł", encoding: "unknown-8bit" },
    { ...character, character: "\ud83d", encoding: "utf-8" },
  ],
  byte_spelled_out: [
    ["edit"],
    ...(["in the whole", "replaced", "elsewhere"] as const).map((is) => ({ shown: "\\xE9", is })),
  ],

  denied: [ALL, { path, action: "edit", rule: "**/.env*", source: "built-in", because: "it holds secrets" }],
  policy_malformed: [NONE, { key: "policy", expected: "an object", found: "a string" }],

  search_root_missing: [["search"], { path: "dir" }, { path: "dir", nearest: ["dri"] }],
  directory_missing: [["search"], { path: "dir" }, { path: "dir", nearest: ["dri"] }],
  file_listed: [["search"], { path }],
  special_file: [["search"], { path }],
  too_large_to_search: [["grep"], { path, size: 20, maxBytes: 10 }],
  glob_unusable: [["search"], {}],
  glob_invalid: [["search"], { glob: "[", error: "[" }],
  glob_goes_up: [["search"], { path: "../*" }],
  glob_outside: [["search"], { path: "/etc/*" }],
  file_type_unknown: [["grep"], { type: "klingon", near: ["kotlin"] }],
  pattern_invalid: [["grep"], { error: "an open group" }],
  pattern_unusable: [["grep"], { problem: "characters" }, { problem: "line_break" }],
  pattern_needs_ripgrep: [["grep"], { part: "\\p{L}" }],
  pattern_too_complex: [["search"], { pattern: "{", by: "braces", max: 9 }],
  pattern_needs_memory: [["grep"], { error: "too many states" }],
  search_timeout: [["search"], {}],
  search_cancelled: [["search"], {}],
  search_machine_busy: [["search"], { code: "EMFILE" }],
  ripgrep_not_started: [["search"], { code: "EACCES" }],
  ripgrep_killed: [["grep"], {}, { memoryGib: 2 }],
  ripgrep_failed: [["search"], { error: "it said so." }],

  patch_unreadable: [["patch"], { line: 1, problem: "no_patch", text: "hello" }],
  patch_unclosed: [["patch"], { line: 9, opened: 1, closing: "*** End Patch" }],
  patch_miscounted: [
    ["patch"],
    { line: 3, header: "@@ -1,2 +1,2 @@", counted: { old: 3, new: 3 }, found: { old: 2, new: 2 } },
  ],
  patch_section_unsupported: [["patch"], { line: 1, problem: "copy" }],
  patch_of_many_files: [["patch"], { max: 200 }],
  patch_of_many_hunks: [["patch"], { max: 200 }],
  patched_file_missing: [["patch"], { path, updates: true }, { path, updates: false, nearest: ["b.txt"] }],
  patched_file_gone: [["patch"], { path, line: 5, goneLine: 2 }, { path, line: 5, goneLine: 2, toPath: "b.txt" }],
  patched_file_exists: [["patch"], { path, moves: true }],
  patch_moves_onto_itself: [["patch"], { path, line: 2 }],
  patch_deletes_other_content: [["patch"], { path, patchLine: 2, line: 1 }],
  hunk_misfit: [
    ["patch"],
    { ...hunk, problem: "missing", text: "x" },
    { ...hunk, problem: "no_header", text: "x" },
    { ...hunk, problem: "added", alreadyAppliedAtLine: 3 },
    { ...hunk, problem: "nowhere_by_locator" },
  ],
  hunk_in_several_places: [["patch"], { ...hunk, ranges: [lines, lines], more: false }],

  not_in_trash: [["restore"], { idOrPath: "never" }],
  trashed_bytes_gone: [["restore"], { path }],
  undo_without_condition: [NONE, { conditions: ["path"] }],
  undo_entry_with_condition: [NONE, { entry: 1, other: "path" }],
  entry_not_undoable: [NONE, { entry: 1 }],
  entry_without_path: [NONE, { path, entry: 1 }],
  no_change_matches: [NONE, {}],
  undone_meanwhile: [NONE, {}],
  all_taken_back: [NONE, { takenBack: [1], by: [2] }],
  undo_too_large: [NONE, { files: 300, maxFiles: 200, bytes: 0, maxBytes: 1, part: {} }],
  undo_version_gone: [NONE, { path, entry: 1 }],
  undo_conflict: [NONE, { path, entry: 1, conflicts: [] }],
  entry_taken_back: [NONE, { path, entry: 1, by: 2 }],
  changed_since_entry: [NONE, { path, entry: 1, later: [2], mayMerge: true }],
  hunk_missing: [NONE, { path, entry: 1, hunk: 0 }],
  hunk_of_whole_file: [NONE, { path, entry: 1 }],
  hunk_file_gone: [NONE, { path }],
  hunk_taken_back: [NONE, { path }],
  ids_not_in_trash: [NONE, { missingIds: ["1-1"] }],
  purged_bytes_stay: [NONE, { count: 2, error: "it is busy." }],
  checkpoint_open: [NONE, { name: "one" }],
  checkpoint_missing: [NONE, { name: "one" }],
  reviewed_entries_invalid: [NONE, { max: 9 }],
  net_too_long: [NONE, { maxEntries: 9 }],

  operations_empty: [["anchors"], {}],
  operation_malformed: [["anchors"], { problem: "no_list" }, { ...operation, problem: "hash", field: "hash" }],
  operation_has_pasted_anchor: [["anchors"], { ...operation, pasted: "1#a1b2c3|" }],
  operations_overlap: [
    ["anchors"],
    { both: [operation, operation].map((each) => ({ ...each, ...lines })), conflicts: [] },
  ],
  range_of_one_line: [["anchors"], { number: 1, op: "replace_range", line: 3, hash: "a1b2c3" }],
  anchor_unreadable: [["anchors"], { ...operation, field: "hash", hash: "x" }],
  anchors_stale: [
    ["anchors"],
    {
      ...{ unknown: ["a1b2c3"], faults: [], missingHashes: ["a1b2c3"], hasRead: true },
      ...{ isUnread: false, isEmpty: false, read: undefined },
    },
  ],
  anchor_ambiguous: [
    ["anchors"],
    {
      ...{ operation, fault: undefined, isContext: false, shown: [], anchors, others: 0 },
      ends: [
        {
          ...{ field: "hash", given: "a1b2c3", prefix: "a1b2c3", near: undefined, contradicts: false },
          ...{ hasOwnHashes: false, isCounted: true, read: undefined },
        },
      ],
    },
  ],
  anchor_low_entropy: [
    ["anchors"],
    {
      ...{ lines: [{ line: 3, content: "}", occurrence: 1 }], occurrences: 2 },
      ...{ near: ["2#a1b2c3"], range: ["2#a1b2c3", "4#b2c3d4"], insist: "3#cbb184" },
    },
  ],
  anchored_lines_too_many: [["anchors"], { lines: 20, maxLines: 10 }],
};

/** What takes tools away: words must not name those that are gone. */
const POLICIES: readonly PolicyInput[] = [
  {},
  { readOnly: true },
  ...(["read", "edit", "write", "create"] as const).map((action) => ({ allowedActions: ["read", action] as const })),
  { allowedActions: ["edit", "write", "create", "delete", "move", "restore"] },
];

describe.each(surfaceNames as readonly SurfaceName[])("%s", (name) => {
  const surface: Surface = surfaceOnFiles(name);

  it.each(Object.keys(ROWS) as Reason[])("%s", (reason) => {
    const [by, ...facts] = ROWS[reason] as Row<Reason>;
    const names = new Set<string>(by.flatMap((what) => TOOLS[what]));
    for (const policy of POLICIES) {
      const offered = offeredTools(surface, memoryWorkspace({}, { policy }).policy);
      const can = (tool: AnyTool): boolean => !by.includes("grep") || tool.actions.includes("grep");
      for (const tool of offered.filter((each) => names.has(each.name) && can(each)))
        for (const fact of facts) expectWhole(surface, offered, tool, reason, fact);
    }
  });

  function expectWhole(surface: Surface, offered: readonly AnyTool[], tool: AnyTool, reason: Reason, facts: object) {
    const given =
      tool.name === "files" ? {} : { [Object.hasOwn(tool.input.shape, "path") ? "path" : "file_path"]: path };
    const said = worded(refuse(reason, facts as never), surface.words ?? { rows: {} }, { tool, given, offered });
    expectNoLacks(lacksOf(surface, offered, tool.name, said), knownFor(name, said.text), `${tool.name}: ${said.text}`);
    expect(said.error.message).not.toBe("");
    expect(said.error.suggestedAction ?? "", said.text).toMatch(/[.?]$/);
  }
});
