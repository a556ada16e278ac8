// Refusals of edits, patches and anchors.
import { anchored, both, changedByOther, editing, hash, params, type Row, type Rows, row } from "./rows.ts";
import { LINES, TEXT, type World } from "./world.ts";

const OTHER_EDITS = "Its edits are of another kind.";
const NO_PATCHES = "It takes no patches.";
const NO_HASHES = "Only anchors names lines by their hashes.";
const MATCHING = "Only compact and filesystem overlook blanks; elsewhere text is found to the letter or not at all.";
const [A, B, C] = LINES as [string, string, string];

const patched = (...lines: readonly string[]) => ({
  tool: "apply_patch",
  input: { patch: ["*** Begin Patch", ...lines, "*** End Patch"].join("\n") },
});
const compactEdit = (content: string, old_string: string, new_string: string) => ({
  tool: "Edit",
  input: { file_path: "c.ts", old_string, new_string },
  files: { "c.ts": content },
  before: (world: World) => world.call("Read", { file_path: "c.ts" }),
});
/** The same edit on the two surfaces that look further than to the letter. */
const laddered = (content: string, oldText: string, newText: string): Partial<Row> => ({
  compact: [compactEdit(content, oldText, newText)],
  filesystem: [
    { tool: "edit_file", input: { path: "c.ts", edits: [{ oldText, newText }] }, files: { "c.ts": content } },
  ],
});
const onlyAnchors = (...cases: readonly ReturnType<typeof anchored>[]) => row(NO_HASHES, { anchors: cases });
const EMPTY = {
  files: { "empty.txt": "" },
  says: /\bfile is empty\.\s+Use (?:write_file|Write|write) to|Write the hunk with \+ lines only/,
};
const TWINS = { "twins.txt": "if a\nreturn now;\n}\nif b\nreturn now;\n}\n" };
const ALIKE = { "alike.txt": "go now;\ngo now;\ngo now;\ngo now;\n" };
/** Two lines whose hashes share six characters. */
const SHARED = { "shared.txt": "const item49150 = load(49150);\nconst item86159 = load(86159);\n" };

export const EDITS: Rows<
  | "old_text_not_found"
  | "multiple_matches"
  | "overlapping_edits"
  | "no_change"
  | "empty_old_text"
  | "mid_token"
  | "indent_inconsistent"
  | "already_applied"
  | "omission_placeholder"
  | "line_out_of_range"
  | "patch_parse_error"
  | "patch_apply_error"
  | "anchor_stale"
  | "anchor_not_found"
  | "anchor_ambiguous"
  | "anchor_context_ambiguous"
  | "anchor_low_entropy"
  | "invalid_range_order"
  | "overlapping_operations"
  | "empty_operations"
  | "safety_check_failed"
> = {
  old_text_not_found: {
    ...both(
      editing("a.txt", A.replace("0", "99"), "x"),
      editing("a.txt", "@@@@@@", "x"),
      editing("empty.txt", "some text", "other", EMPTY),
      row("", {
        workspace: [
          {
            tool: "edit_file",
            input: async (world: World) => ({
              path: "a.txt",
              edits: [
                { oldText: A, newText: "const first = 1;" },
                { oldText: "first = 1", newText: "third = 3" },
              ],
              expectedSha256: await world.sha("a.txt"),
            }),
            says: /Edit 2: the old text is not in the file: edit 1 puts it there/,
          },
        ],
        compact: [
          { ...compactEdit(TEXT, A.replace("0", "99"), "x"), files: { "c.ts": TEXT } },
          {
            tool: "Edit",
            input: { file_path: "a.txt", old_string: "@@@@", new_string: "x", max_suggestions: 0 },
            before: (world: World) => world.call("Read", { file_path: "a.txt" }),
          },
          {
            tool: "Edit",
            input: { file_path: "a.txt", old_string: "never was here", new_string: C },
            before: (world: World) => world.call("Read", { file_path: "a.txt" }),
          },
        ],
        tracked: [
          {
            tool: "Edit",
            input: { file_path: "a.txt", old_string: LINES[3], new_string: "x" },
            ...changedByOther("Read", { file_path: "a.txt" }),
          },
        ],
      }),
    ),
    anchors: NO_PATCHES.replace("patches", "old text"),
  },
  multiple_matches: {
    ...both(
      editing("twice.txt", "same here", "x"),
      editing("ab.txt", "ab", "x", { files: { "ab.txt": "ab ab\n" } }),
      row("", {
        workspace: [
          {
            tool: "edit_file",
            input: async (world: World) => ({
              path: "a.txt",
              edits: [{ oldText: A, newText: "x", expectedOccurrences: 3 }],
              expectedSha256: await world.sha("a.txt"),
            }),
          },
          patched("*** Update File: twice.txt", "@@", "-same here", "+x"),
        ],
        files: [
          { tool: "files", input: params("edit", "a.txt", { old_string: A, new_string: "x", expected_count: 3 }) },
        ],
      }),
    ),
    anchors: "It takes no old text.",
  },
  overlapping_edits: row("One call makes one edit.", {
    workspace: [
      {
        tool: "edit_file",
        input: async (world: World) => ({
          path: "a.txt",
          edits: [
            { oldText: `${A}\n${B}`, newText: "x" },
            { oldText: `${B}\n${C}`, newText: "y" },
          ],
          expectedSha256: await world.sha("a.txt"),
        }),
      },
    ],
    anchors: "There it is overlapping_operations.",
  }),
  no_change: row("A text that stays as it is is no refusal there.", {
    tracked: editing("a.txt", A, A).tracked,
    compact: editing("a.txt", A, A).compact,
    files: editing("a.txt", A, A).files,
    filesystem: editing("a.txt", A, A).filesystem,
  }),
  empty_old_text: row(OTHER_EDITS, {
    ...editing("b.txt", "", "y"),
    anchors: OTHER_EDITS,
    workspace: "An empty oldText does not fit its schema.",
  }),
  mid_token: row(MATCHING, laddered("first  line\nsecond lineage\n", "first line\nsecond line", "x")),
  indent_inconsistent: row(
    MATCHING,
    laddered(
      "  alpha(one);\n        beta(two);\n    gamma(three);\n",
      "alpha(one);\n  beta(two);\n      gamma(three);",
      "x",
    ),
  ),
  already_applied: row("It does not look for edits made before.", {
    ...laddered(
      "begin();\nconst renamed = compute(1);\nend();\n",
      "begin();\nconst original = compute(1);",
      "begin();\nconst renamed = compute(1);",
    ),
    anchors: [anchored([{ op: "replace_line", hash: "b8a9f7", content: "two" }], { path: "b.txt" })],
  }),
  omission_placeholder: row(
    MATCHING,
    laddered(TEXT, LINES.slice(0, 6).join("\n"), `${A}\n// ... rest of the code unchanged ...\n${LINES[5]}`),
  ),
  line_out_of_range: row("Reading past the end is no refusal there.", {
    tracked: [{ tool: "Read", input: { file_path: "b.txt", offset: 99 } }],
    compact: [
      { tool: "Edit", input: { file_path: "b.txt", new_string: "x", insert_at_line: 99 } },
      { tool: "Edit", input: { file_path: "one", new_string: "x", insert_at_line: 99 }, files: { one: "one\n" } },
    ],
    files: [
      { tool: "files", input: params("read", "b.txt", { offset: 99 }) },
      { tool: "files", input: params("read", "one", { offset: 99 }), files: { one: "one\n" } },
    ],
  }),
  patch_parse_error: row(NO_PATCHES, {
    workspace: [
      { tool: "apply_patch", input: { patch: "rubbish" }, right: patched("*** Delete File: a.txt").input },
      {
        ...patched("*** Update File: a.txt", "rubbish"),
        right: patched("*** Update File: a.txt", "@@", `-${A}`, "+x").input,
      },
      { ...patched("*** Add File: n.txt", "no plus"), right: patched("*** Add File: n.txt", "+a plus").input },
      {
        tool: "apply_patch",
        input: { patch: "*** Begin Patch\n*** Delete File: a.txt\n" },
        right: patched("*** Delete File: a.txt").input,
      },
    ],
  }),
  patch_apply_error: row(NO_PATCHES, {
    workspace: [
      patched("*** Update File: a.txt", "@@", "-no such line", "+x"),
      { ...patched("*** Update File: empty.txt", "@@", "-some text", "+x"), ...EMPTY },
      patched("*** Update File: a.txt", "@@", `-${A.replace("0", "9")}`, "+x"),
      patched("*** Update File: a.txt", "@@", `-${A}`, "+x", "*** Update File: a.txt", "@@", `-${A}`, "+y"),
    ],
  }),
  anchor_stale: onlyAnchors(
    anchored([{ op: "delete_line", hash: "123456" }]),
    anchored([{ op: "delete_line", hash: `${hash(A).slice(0, 5)}${hash(A)[5] === "0" ? "1" : "0"}` }]),
    anchored([{ op: "delete_line", hash: "123456" }], { before: async () => undefined }),
    anchored(
      [{ op: "delete_line", hash: hash(LINES[3]!) }],
      changedByOther("read_file", { path: "a.txt", hashes: true }),
    ),
    anchored([{ op: "delete_line", hash: "d41d8c", occurrence: 7 }], {
      path: "empty.txt",
      files: { "empty.txt": "" },
    }),
    anchored([{ op: "delete_range", start_hash: hash(A), end_hash: hash(LINES[9]!) }], {
      before: (world) => world.call("read_file", { path: "a.txt", hashes: true, limit: 2 }),
    }),
    anchored([{ op: "replace_line", hash: "123456", content: `${B}\n${C}` }]),
    anchored([{ op: "delete_line", hash: hash(A) }], {
      options: { strict: true },
      ...changedByOther("read_file", { path: "a.txt", hashes: true }),
    }),
  ),
  anchor_not_found: onlyAnchors(anchored([{ op: "delete_line", hash: "xyz" }])),
  anchor_ambiguous: onlyAnchors(
    anchored([{ op: "delete_line", hash: hash("return now;") }], { path: "twins.txt", files: TWINS }),
    anchored([{ op: "delete_line", hash: hash("return now;"), occurrence: 9 }], { path: "twins.txt", files: TWINS }),
    anchored([{ op: "delete_line", hash: hash("return now;"), occurrence: 2, line: 2 }], {
      path: "twins.txt",
      files: TWINS,
    }),
    anchored([{ op: "delete_line", hash: "119de3" }], { path: "shared.txt", files: SHARED }),
    anchored([{ op: "delete_line", hash: hash("line 7").slice(0, 4) }], {
      path: "long.txt",
      files: { "long.txt": Array.from({ length: 200 }, (_, n) => `line ${n}\n`).join("") },
    }),
  ),
  anchor_context_ambiguous: onlyAnchors(
    anchored([{ op: "delete_range", start_hash: hash("return now;"), end_hash: hash("if b") }], {
      path: "twins.txt",
      files: TWINS,
    }),
    anchored([{ op: "delete_line", hash: hash("go now;") }], {
      path: "same.txt",
      files: { "same.txt": "x x x\ngo now;\nx x x\ngo now;\nx x x\n" },
    }),
    anchored([{ op: "delete_range", start_hash: hash("go now;"), end_hash: hash("go now;") }], {
      path: "alike.txt",
      files: ALIKE,
    }),
  ),
  anchor_low_entropy: onlyAnchors(
    anchored([{ op: "delete_line", hash: hash("}") }], { path: "twins.txt", files: TWINS }),
    anchored([{ op: "insert_after", hash: "d41d8c", content: "x" }], {
      path: "gap.txt",
      files: { "gap.txt": "a line\n\nb line\n" },
    }),
  ),
  invalid_range_order: onlyAnchors(
    anchored([{ op: "replace_range", start_hash: hash(A), end_hash: hash(A), content: "x" }]),
  ),
  overlapping_operations: onlyAnchors(
    anchored([
      { op: "delete_line", hash: hash(B) },
      { op: "delete_range", start_hash: hash(A), end_hash: hash(C) },
    ]),
    anchored([
      { op: "delete_line", hash: hash(B) },
      { op: "replace_line", hash: hash(B), content: "x" },
    ]),
  ),
  empty_operations: onlyAnchors(anchored([])),
  safety_check_failed: row("What looks damaged is a warning there.", {
    anchors: [
      anchored([{ op: "replace_line", hash: hash('"k": 1'), content: '"k": [1' }], {
        path: "y.json",
        files: { "y.json": '{\n"k": 1\n}\n' },
      }),
    ],
  }),
};
