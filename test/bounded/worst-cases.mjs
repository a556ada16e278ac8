// For every tool of every surface the inputs that cost it most, as far as they are known, for files of `size` bytes.
import { createHash } from "node:crypto";
import { deflateSync } from "node:zlib";
import { worstOfFilesystem } from "./worst-filesystem.mjs";

/** `given` files are there before the call; `read` ones the session has read; `is` is the kind of refusal, or "ok". */
export function worstCases(size, surface) {
  const [workspace, tracked, compact, files, anchors] = ["workspace", "tracked", "compact", "files", "anchors"].map(
    (name) => name === surface,
  );
  const lines = distinctLines(size);
  const blank = "\n".repeat(size);
  const words = "foo ".repeat(size / 4);
  const half = lines.slice(0, size / 2).replaceAll("of", "oF");
  const many = (count, make) => Array.from({ length: count }, (_, n) => make(n));
  const envelope = (body) => `*** Begin Patch\n${body}*** End Patch`;
  const edits = (text, list) => ({ path: "a", edits: list, expectedSha256: sha(text) });
  const big = { a: lines };
  // Less than what runs in a worker for its length alone.
  const short = "  }\n".repeat(25_000);
  // As much as checks look at.
  const alternating = "alpha beta gamma\ndelta epsilon zeta\n".repeat(14_000);
  const again = { file_path: "a", content: "alpha beta gamma\n".repeat(29_000) };
  return [
    workspace && ["read_file", "lines", { a: lines }, { path: "a" }, "ok", true],
    workspace && ["read_file", "blank lines", { a: blank }, { path: "a", startLine: size - 9 }, "ok"],
    workspace && ["read_file", "not UTF-8", { a: Buffer.alloc(size, "caf\xe9 \xfc\n", "latin1") }, { path: "a" }, "ok"],
    workspace && ["read_file", "long path", {}, { path: "a/".repeat(size / 2) }, "outside_workspace", true],
    workspace && ["list_directory", "depth", { a: "" }, { path: ".", recursive: true, maxDepth: 1e9 }, "ok", true],
    workspace && ["search_files", "all hits", { a: "x\n".repeat(size / 2) }, searchAll(), "ok", true],
    workspace && ["search_files", "all hits in one line", { a: "x".repeat(size) }, searchAll(), "ok", true],
    workspace && [
      "search_files",
      "globs",
      { a: "x" },
      { ...searchAll(), excludeGlobs: many(50_000, (n) => `${n}`) },
      "command_failed",
      true,
    ],
    workspace && [
      "search_files",
      "long pattern",
      { a: "x" },
      { query: "(x|y)".repeat(size / 5), mode: "regex" },
      "command_failed",
    ],
    workspace && ["glob", "long pattern", { a: "x" }, { pattern: "*a".repeat(size / 2) }, "command_failed", true],
    workspace && ["create_file", "JSON", {}, { path: "a.json", content: `[${"1,".repeat(size / 2 - 2)}1]` }, "ok"],
    workspace && ["create_file", "YAML", {}, { path: "a.yaml", content: aliases() }, "ok", true],
    workspace && ["create_file", "notebook", {}, { path: "a.ipynb", content: notebook(500_000) }, "ok"],
    workspace && [
      "create_file",
      "TOML",
      {},
      { path: "a.toml", content: many(30_000, (n) => `k${n} = ${n}`).join("\n") },
      "ok",
    ],
    workspace && [
      "write_file",
      "other lines",
      big,
      { path: "a", content: lines.replaceAll("of", "Of"), expectedSha256: sha(lines) },
      "ok",
      true,
    ],
    workspace && [
      "write_file",
      "blank lines",
      { a: blank },
      { path: "a", content: "a\n".repeat(size / 2), expectedSha256: sha(blank) },
      "ok",
    ],
    workspace && [
      "edit_file",
      "every word",
      { a: words },
      edits(words, [{ oldText: "foo", newText: "bar", replaceAll: true }]),
      "command_failed",
      true,
    ],
    workspace && [
      "edit_file",
      "100,000 places",
      { a: lines },
      edits(lines, [{ oldText: "0 of", newText: "0 off", replaceAll: true }]),
      "ok",
    ],
    workspace && [
      "edit_file",
      "100,000 edits",
      big,
      edits(
        lines,
        many(100_000, (n) => ({ oldText: `line ${n} of`, newText: "x" })),
      ),
      "command_failed",
      true,
    ],
    workspace && [
      "edit_file",
      "1,000 edits",
      big,
      edits(
        lines,
        many(1000, (n) => ({ oldText: `line ${n * 9} of`, newText: "x" })),
      ),
      "ok",
    ],
    workspace && ["edit_file", "not found", big, edits(lines, [{ oldText: half, newText: "x" }]), "old_text_not_found"],
    workspace && ["delete_file", "lines", big, { path: "a", expectedSha256: sha(lines) }, "ok", true],
    workspace && ["restore_file", "long path", {}, { trashedPath: "a/".repeat(size / 2) }, "outside_workspace"],
    workspace && ["move_file", "lines", big, { fromPath: "a", toPath: "b", expectedSha256: sha(lines) }, "ok"],
    workspace && [
      "apply_patch",
      "many hunks",
      big,
      { patch: envelope(`*** Update File: a\n${many(9000, (n) => `@@\n-line ${2 * n} of this\n+x\n`).join("")}`) },
      "ok",
    ],
    workspace && [
      "apply_patch",
      "one long hunk",
      { a: blank },
      { patch: envelope(`*** Update File: a\n@@\n${" \n".repeat(size / 4)}-\n+x\n`) },
      "file_too_large",
      true,
    ],
    workspace && [
      "apply_patch",
      "headers",
      big,
      {
        patch: envelope(
          `*** Update File: a\n${many(100, (n) => `@@ none ${n}\n-line ${2 * n} of this\n+x\n`).join("")}`,
        ),
      },
      "ok",
    ],
    workspace && [
      "apply_patch",
      "many files",
      {},
      { patch: envelope(many(size / 40, (n) => `*** Add File: f${n}\n+a\n`).join("")) },
      "command_failed",
    ],
    workspace && [
      "apply_patch",
      "hunks of one file",
      { a: "x\n" },
      { patch: `--- a/a\n+++ b/a\n${"@@ -1 +1 @@\n-x\n+y\n".repeat(size / 18)}` },
      "command_failed",
      true,
    ],
    workspace && ["apply_patch", "no patch", {}, { patch: "x\n".repeat(size / 2) }, "patch_parse_error", true],
    workspace && ["audit_log", "all", big, { maxResults: 1e9, includeDiff: true }, "ok"],
    workspace && ["list_trash", "all", big, { maxResults: 1e9 }, "ok"],
    tracked && ["Read", "blank lines", { a: blank }, { file_path: "a", offset: size - 9 }, "ok", true],
    tracked && ["Write", "blank lines", big, { file_path: "a", content: blank }, "ok", true, ["a"]],
    tracked && [
      "Edit",
      "every word",
      { a: words },
      { file_path: "a", old_string: "foo", new_string: "bar", replace_all: true },
      "invalid_input",
      true,
      ["a"],
    ],
    tracked && [
      "Edit",
      "not found",
      big,
      { file_path: "a", old_string: half, new_string: "x" },
      "old_text_not_found",
      false,
      ["a"],
    ],
    tracked && ["Glob", "long pattern", { a: "x" }, { pattern: "*a".repeat(size / 2) }, "pattern_too_complex"],
    tracked && ["Grep", "long pattern", { a: "x" }, { pattern: "(x|y)".repeat(size / 5) }, "pattern_too_complex"],
    tracked && ["Grep", "all hits in one line", { a: "x".repeat(size) }, { pattern: "x" }, "ok"],
    compact && ["Read", "PDF", { "a.pdf": unpackingTo(8 * size) }, { file_path: "a.pdf" }, "not_text", true],
    compact && [
      "Read",
      "drawing",
      { "a.svg": `<svg${" a".repeat(size / 2 - 100)}><g/></svg>` },
      { file_path: "a.svg" },
      "ok",
    ],
    compact && ["Read", "picture", { "a.png": Buffer.alloc(size, 255) }, { file_path: "a.png" }, "ok"],
    compact && [
      "Read",
      "photograph of small parts",
      { "a.jpg": Buffer.concat([Buffer.from([255, 216]), Buffer.alloc(size - 2, Buffer.from([255, 224, 0, 2]))]) },
      { file_path: "a.jpg" },
      "binary_file",
      true,
    ],
    compact && [
      "Read",
      "TIFF of many entries",
      { "a.tiff": Buffer.concat([Buffer.from("II*\0\x08\0\0\0"), Buffer.alloc(size - 8, Buffer.from([1, 1, 3, 0]))]) },
      { file_path: "a.tiff" },
      "binary_file",
      true,
    ],
    compact && [
      "Read",
      "all matches in UTF-16",
      { a: Buffer.from(`\ufeff${"a\n".repeat(size / 4 - 1)}`, "utf16le") },
      { file_path: "a", pattern: "a", limit: 1e9 },
      "ok",
      true,
    ],
    compact && ["Read", "all matches", { a: blank }, { file_path: "a", pattern: "^$", limit: 1e9 }, "ok", true],
    compact && [
      "Write",
      "other lines",
      big,
      { file_path: "a", content: lines.replaceAll("of", "Of") },
      "ok",
      false,
      ["a"],
    ],
    compact && [
      "Edit",
      "nearly",
      big,
      { file_path: "a", old_string: "line 7 of thus\nline 8 of thus\nlime 9 of that\n", new_string: "x" },
      "old_text_not_found",
      true,
      ["a"],
    ],
    compact && [
      "Edit",
      "half of it, nearly",
      big,
      { file_path: "a", old_string: half, new_string: "x" },
      "old_text_not_found",
      false,
      ["a"],
    ],
    compact && [
      "Edit",
      "short lines, nearly",
      { a: short },
      { file_path: "a", old_string: `${"  }\n".repeat(3800)}\n}`, new_string: "x", fuzzy_threshold: 0.5 },
      "old_text_not_found",
      true,
      ["a"],
    ],
    compact && ["Write", "the same line again", { a: alternating }, again, "ok", true, ["a"]],
    compact && [
      "Edit",
      "every word",
      { a: words },
      { file_path: "a", old_string: "foo", new_string: "bar", replace_all: true },
      "invalid_input",
      false,
      ["a"],
    ],
    compact && ["Glob", "long pattern", { a: "x" }, { pattern: "*a".repeat(size / 2) }, "pattern_too_complex"],
    compact && [
      "Grep",
      "all hits",
      { a: "x\n".repeat(size / 2) },
      { pattern: "x", max_results: 10_000, context: 20 },
      "ok",
    ],
    compact && ["Grep", "all hits in one line", { a: "x".repeat(size) }, { pattern: "x" }, "ok"],
    compact && [
      "Grep",
      "a count across lines",
      { a: "x\n".repeat(size / 16) },
      { pattern: "x", output_mode: "count", multiline: true },
      "ok",
      true,
    ],
    files && ["files", "write", {}, { command: "write", file_path: "a", content: blank }, "ok", true],
    anchors && ["read_file", "lines", { a: lines.slice(0, 2 ** 21) }, { path: "a", hashes: true }, "ok"],
    anchors && [
      "edit",
      "operations",
      big,
      { path: "a", operations: many(100_000, (n) => ({ op: "delete_line", hash: `${n}#aaaaaa` })) },
      "invalid_input",
      true,
    ],
    anchors && [
      "edit",
      "blank lines",
      { a: blank },
      { path: "a", operations: [{ op: "delete_line", hash: "1#aaaaaa" }] },
      "file_too_large",
      true,
    ],
    anchors && ["write_file", "lines", {}, { path: "a", content: lines }, "ok", true],
    ...(surface === "filesystem" ? worstOfFilesystem({ size, lines, half }) : []),
  ]
    .filter(Boolean)
    .map(([tool, name, given, input, is, quick = false, read = []]) => ({ tool, name, given, input, is, quick, read }));
}

function distinctLines(size) {
  const made = [];
  for (let n = 0, length = 0; length < size; n++) {
    const line = `line ${n} of this\n`;
    made.push(line);
    length += line.length;
  }
  return made.join("").slice(0, size);
}

function searchAll() {
  return { query: "x", mode: "text", maxResults: 1e9, contextLines: 1e9 };
}

/** Each of these names the one before it nine times: written out, more than there are atoms. */
function aliases() {
  const level = (n) => `a${n + 1}: &a${n + 1} [${Array(9).fill(`*a${n}`).join(",")}]\n`;
  return `a0: &a0 [x,x,x,x,x,x,x,x,x]\n${Array.from({ length: 30 }, (_, n) => level(n)).join("")}`;
}

function notebook(size) {
  const cell = { cell_type: "code", source: ["a\n"], outputs: [], metadata: {} };
  return JSON.stringify({ cells: Array(Math.floor(size / JSON.stringify(cell).length)).fill(cell) });
}

/** A page of blanks behind two filters: some kilobytes that unpack to `size`. */
function unpackingTo(size) {
  const content = deflateSync(deflateSync(Buffer.alloc(size, " "), { level: 9 }), { level: 9 });
  const stream = `<</Length ${content.length}/Filter[/FlateDecode/FlateDecode]>>stream\n`;
  const objects = [
    "<</Type/Catalog/Pages 2 0 R>>",
    "<</Type/Pages/Count 1/Kids[3 0 R]>>",
    "<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Resources<<>>/Contents 4 0 R>>",
    Buffer.concat([Buffer.from(stream), content, Buffer.from("\nendstream")]),
  ];
  const parts = [Buffer.from("%PDF-1.7\n")];
  const offsets = [];
  let at = parts[0].length;
  for (const [n, object] of objects.entries()) {
    const part = Buffer.concat([Buffer.from(`${n + 1} 0 obj\n`), Buffer.from(object), Buffer.from("\nendobj\n")]);
    offsets.push(`${String(at).padStart(10, "0")} 00000 n \n`);
    parts.push(part);
    at += part.length;
  }
  const table = `xref\n0 5\n0000000000 65535 f \n${offsets.join("")}trailer<</Size 5/Root 1 0 R>>\nstartxref\n${at}\n%%EOF`;
  return Buffer.concat([...parts, Buffer.from(table)]);
}

function sha(text) {
  return createHash("sha256").update(text).digest("hex");
}
