// Refusals about versions, proofs, and what is in a file.
import { files } from "stet/surfaces";
import {
  both,
  changedByOther,
  deleting,
  editing,
  hash,
  params,
  type Rows,
  reading,
  row,
  writing,
  ZERO,
} from "./rows.ts";
import { type Case, LINES, TEXT, type World } from "./world.ts";

const STRICT = { options: { strict: true } } as const;
const SMALL = { options: { policy: { maxFileBytes: 30 } } } as const;
const NO_PROOF = "It asks for no proof of a version.";
const partly = (tool: string, input: object) => ({ before: (world: World) => world.call(tool, input) });
const ODD = { files: { "odd.txt": new Uint8Array([0xff, 0xfe, 0x61, 0x00, 0x62]) } };
const MINE = TEXT.replace(LINES[3]!, "mine");

export const CONTENT: Rows<
  | "stale_file"
  | "unread_file"
  | "unseen_content"
  | "merge_conflict"
  | "binary_file"
  | "not_text"
  | "file_too_large"
  | "too_many_files"
> = {
  stale_file: row(NO_PROOF, {
    filesystem: [
      { tool: "write_file", input: { path: "a.txt", content: "x" } },
      { tool: "edit_file", input: { path: "a.txt", edits: [{ oldText: LINES[0], newText: "x" }] } },
      { tool: "move_file", input: { source: "a.txt", destination: "c.txt" } },
    ].map((each) => ({ ...each, ...changedByOther("read_text_file", { path: "a.txt" }) })),
    workspace: [
      { tool: "write_file", input: { path: "a.txt", content: "", expectedSha256: ZERO } },
      deleting("a.txt", { ...changedByOther("read_file", { path: "a.txt" }) }),
      {
        tool: "move_file",
        input: { fromPath: "a.txt", toPath: "c.txt", expectedSha256: ZERO },
      },
      {
        tool: "apply_patch",
        input: {
          patch: "*** Begin Patch\n*** Delete File: a.txt\n*** End Patch",
          expectedSha256ByPath: { "a.txt": ZERO },
        },
      },
      {
        tool: "apply_patch",
        input: {
          patch: "*** Begin Patch\n*** Add File: fresh.txt\n+x\n*** End Patch",
          expectedSha256ByPath: { "fresh.txt": ZERO },
        },
      },
    ].map((each) => (each.tool === "delete_file" ? { ...each, input: { path: "a.txt", expectedSha256: ZERO } } : each)),
    tracked: [
      {
        tool: "Edit",
        input: { file_path: "a.txt", old_string: LINES[0], new_string: "x" },
        ...STRICT,
        ...changedByOther("Read", { file_path: "a.txt" }),
      },
      {
        tool: "Write",
        input: { file_path: "a.txt", content: "x" },
        ...STRICT,
        ...changedByOther("Read", { file_path: "a.txt" }),
      },
    ],
    compact: [
      {
        tool: "Edit",
        input: { file_path: "a.txt", old_string: LINES[3], new_string: "x" },
        ...changedByOther("Read", { file_path: "a.txt" }),
      },
      {
        tool: "Edit",
        input: { file_path: "a.txt", new_string: "x", insert_at_line: 2 },
        ...changedByOther("Read", { file_path: "a.txt" }),
      },
    ],
    files: [
      {
        tool: "files",
        input: params("write", "a.txt", { content: "x" }),
        ...STRICT,
        ...changedByOther("files", params("read", "a.txt")),
      },
    ],
    anchors: [
      {
        tool: "edit",
        input: {
          path: "a.txt",
          operations: [{ op: "delete_line", hash: hash(LINES[0]!) }],
          expected_file_version: "fv_00000000",
        },
      },
      { tool: "write_file", input: { path: "a.txt", content: "x", expected_file_version: "fv_00000000" } },
      {
        tool: "write_file",
        input: { path: "a.txt", content: "x" },
        ...STRICT,
        ...changedByOther("read_file", { path: "a.txt" }),
      },
    ],
  }),
  unread_file: row(NO_PROOF, {
    filesystem: [
      { tool: "write_file", input: { path: "a.txt", content: "x" }, ...STRICT },
      { tool: "edit_file", input: { path: "a.txt", edits: [{ oldText: LINES[0], newText: "x" }] }, ...STRICT },
    ],
    workspace: [{ tool: "delete_file", input: { path: "a.txt", permanent: true } }],
    tracked: [
      { tool: "Write", input: { file_path: "a.txt", content: "x" } },
      { tool: "Edit", input: { file_path: "a.txt", old_string: LINES[0], new_string: "y" } },
    ],
    compact: [
      {
        tool: "Edit",
        input: { file_path: "big.txt", old_string: "the end", new_string: "y" },
        files: { "big.txt": `${"x y z\n".repeat(200)}the end\n` },
      },
      { tool: "Write", input: { file_path: "a.txt", content: "x" }, ...STRICT },
    ],
    files: [{ tool: "files", input: params("write", "a.txt", { content: "x" }), ...STRICT }],
    anchors: [{ tool: "write_file", input: { path: "a.txt", content: "x" }, ...STRICT }],
  }),
  unseen_content: row(NO_PROOF, {
    filesystem: [
      {
        tool: "write_file",
        input: { path: "a.txt", content: "x" },
        ...STRICT,
        ...partly("read_text_file", { path: "a.txt", head: 2 }),
      },
    ],
    workspace: [
      {
        tool: "write_file",
        input: async (world: World) => ({ path: "a.txt", content: "x", expectedSha256: await world.sha("a.txt") }),
        ...STRICT,
        ...partly("read_file", { path: "a.txt", startLine: 1, endLine: 2 }),
      },
    ],
    tracked: [
      {
        tool: "Write",
        input: { file_path: "a.txt", content: "x" },
        ...STRICT,
        ...partly("Read", { file_path: "a.txt", limit: 2 }),
      },
    ],
    compact: [
      {
        tool: "Write",
        input: { file_path: "a.txt", content: "x" },
        ...STRICT,
        ...partly("Read", { file_path: "a.txt", limit: 2 }),
      },
    ],
    files: [
      {
        tool: "files",
        input: params("write", "a.txt", { content: "x" }),
        ...STRICT,
        ...partly("files", params("read", "a.txt", { limit: 2 })),
      },
    ],
    anchors: [
      {
        tool: "write_file",
        input: { path: "a.txt", content: "x" },
        ...STRICT,
        ...partly("read_file", { path: "a.txt", limit: 2 }),
      },
    ],
  }),
  merge_conflict: row("It replaces whole texts without a version to merge with.", {
    workspace: [
      {
        tool: "write_file",
        input: async (world: World) => {
          const expectedSha256 = await world.sha("a.txt");
          await world.theyWrite("a.txt", TEXT.replace(LINES[3]!, "theirs"));
          return { path: "a.txt", content: MINE, expectedSha256, onStale: "rebase" };
        },
      },
    ],
    compact: [
      {
        tool: "Edit",
        input: {
          file_path: "quotes.txt",
          old_string: 'before();\nsay("hello there everybody");\nafter();',
          new_string: 'before();\nsay("goodbye now everybody");\nafter();',
        },
        files: { "quotes.txt": "before();\nsay(“hello there everybody”);\nafter();\n" },
        before: (world: World) => world.call("Read", { file_path: "quotes.txt" }),
      },
    ],
    anchors: [
      {
        tool: "write_file",
        options: { onStale: "rebase", strict: true },
        input: async (world: World) => {
          await world.call("read_file", { path: "a.txt" });
          await world.theyWrite("a.txt", TEXT.replace(LINES[3]!, "theirs"));
          return { path: "a.txt", content: MINE };
        },
      },
    ],
  }),
  binary_file: both(
    reading("binary.bin"),
    { ...editing("binary.bin", "x", "y"), tracked: [] },
    row("", {
      workspace: [
        {
          tool: "write_file",
          input: async (world: World) => ({
            path: "binary.bin",
            content: "x",
            expectedSha256: await world.sha("binary.bin"),
          }),
        },
        {
          tool: "apply_patch",
          input: { patch: "*** Begin Patch\n*** Update File: binary.bin\n@@\n-x\n+y\n*** End Patch" },
        },
      ],
    }),
  ),
  not_text: both(
    editing("latin.txt", "x", "€"),
    row("", {
      compact: [
        ...(reading("odd.txt", ODD).compact as readonly Case[]),
        { tool: "Read", input: { file_path: "a.pdf" }, files: { "a.pdf": "%PDF-1.4\n%%EOF\n" } },
      ],
      anchors: reading("odd.txt", ODD).anchors,
    }),
  ),
  file_too_large: both(
    row("", { compact: reading("a.txt", SMALL).compact, anchors: reading("a.txt", SMALL).anchors }),
    writing("big.txt", SMALL, "x".repeat(40)),
    editing("b.txt", "one", "x".repeat(40), SMALL),
    row("", {
      files: [
        {
          tool: "files",
          input: params("write", "big.txt", { content: "x".repeat(40) }),
          surface: () => files({ mode: "sandbox", maxBytes: 30, env: {} }),
        },
        {
          tool: "files",
          input: params("write", "big.txt", { content: "x".repeat(5000) }),
          surface: () => files({ mode: "store", storeBytes: 5000, env: {} }),
        },
      ],
    }),
  ),
  too_many_files: row("One call changes one file.", {
    workspace: [
      {
        tool: "apply_patch",
        input: {
          patch: [
            "*** Begin Patch",
            ...Array.from({ length: 1100 }, (_, n) => `*** Add File: f${n}.txt\n+x`),
            "*** End Patch",
          ].join("\n"),
        },
      },
    ],
  }),
};
