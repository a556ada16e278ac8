// What costs the tools of `filesystem` most: as in worst-cases.mjs.
export function worstOfFilesystem({ size, lines, half }) {
  const A = { path: "a" };
  const big = { a: lines };
  const edit = (oldText, newText = "x") => ({ oldText, newText });
  const longGlob = { path: ".", pattern: "*a".repeat(size / 2) };
  return [
    ["read_file", "lines", big, A, "ok"],
    ["read_text_file", "the last of blank lines", { a: "\n".repeat(size) }, { path: "a", tail: 9 }, "ok"],
    ["read_media_file", "bytes", { a: Buffer.alloc(size, 255) }, A, "ok"],
    ["read_multiple_files", "the same file", big, { paths: ["a", "a"] }, "ok"],
    ["write_file", "other lines", big, { path: "a", content: half }, "ok"],
    ["edit_file", "not found", big, { path: "a", edits: [edit(half)] }, "old_text_not_found"],
    ["edit_file", "one after the other", big, { path: "a", edits: inTurn(200) }, "ok"],
    ["create_directory", "long path", {}, { path: "a/".repeat(size / 2) }, "invalid_path", true],
    ["list_directory", "a file", big, A, "not_a_directory"],
    ["list_directory_with_sizes", "one file", big, { path: "." }, "ok"],
    ["directory_tree", "one file", big, { path: "." }, "ok"],
    ["move_file", "a file", big, { source: "a", destination: "b" }, "ok"],
    ["search_files", "long pattern", big, longGlob, "pattern_too_complex", true],
    ["get_file_info", "a file", big, A, "ok"],
    ["list_allowed_directories", "all", {}, {}, "ok"],
  ];
}

/** Each finds what the one before it left. */
function inTurn(count) {
  return Array.from({ length: count }, (_, n) => ({
    oldText: n === 0 ? "line 7 of this" : `edit ${n - 1};`,
    newText: `edit ${n};`,
  }));
}
