// A refused change is in the journal once, wherever in the call it was refused; a refused read is not an attempt.
import { describe, expect, it } from "vitest";
import { disk } from "../../src/backends/disk/index.ts";
import { Workspace } from "../../src/kernel/workspace.ts";
import { call, files, type Surface, surfaceNamed } from "../../src/surfaces/index.ts";
import { all } from "../../src/testing/assertions.ts";
import { directoryWith } from "../support/workspace.ts";

const SHA = "0".repeat(64);
const edits = [{ oldText: "x", newText: "y" }];
const patch = (...lines: readonly string[]) => ["*** Begin Patch", ...lines, "*** End Patch"].join("\n");
const params = (command: string, file_path: string, rest: object = {}) => ({ params: { command, file_path, ...rest } });

type Row = readonly [name: string, input: unknown, kind: string, paths?: readonly string[]];
const ATTEMPTS: Readonly<Record<string, readonly Row[]>> = {
  workspace: [
    ["create_file", { path: "/etc/x", content: "" }, "outside_workspace", ["/etc/x"]],
    ["create_file", { path: "a", content: "" }, "already_exists", ["a"]],
    ["create_file", { path: "b", content: 1 }, "invalid_input", ["b"]],
    ["write_file", { path: "a", content: "" }, "invalid_input", ["a"]],
    ["write_file", '{"path":"a', "invalid_input", []],
    ["write_file", { path: "a", content: "", expectedSha256: SHA }, "stale_file", ["a"]],
    ["edit_file", { file_path: "../a", edits, expectedSha256: SHA }, "outside_workspace", ["../a"]],
    ["edit_file", { path: "no", edits, expectedSha256: SHA }, "not_found", ["no"]],
    ["delete_file", { path: ".env" }, "permission_denied", [".env"]],
    ["delete_file", { path: "no" }, "not_found", ["no"]],
    ["delete_file", { path: "a", permanent: true }, "unread_file", ["a"]],
    ["restore_file", { trashedPath: "never" }, "not_found", ["never"]],
    ["restore_file", { trashedPath: "/abs" }, "outside_workspace", ["/abs"]],
    ["move_file", { fromPath: "a", toPath: "/abs", expectedSha256: SHA }, "outside_workspace", ["/abs"]],
    ["move_file", { fromPath: "a", toPath: "./a", expectedSha256: SHA }, "command_failed", ["a", "./a"]],
    ["move_file", { fromPath: "a", toPath: ".env", expectedSha256: SHA }, "permission_denied", [".env"]],
    ["apply_patch", { patch: "rubbish" }, "patch_parse_error", []],
    ["apply_patch", { patch: patch("*** Delete File: /abs") }, "outside_workspace", ["/abs"]],
    ["apply_patch", { patch: patch("*** Delete File: a", "*** Delete File: ./a") }, "not_found", ["a"]],
    ["apply_patch", { patch: patch("*** Update File: a", "@@", "-no", "+x") }, "patch_apply_error", ["a"]],
    ["apply_patch", { patch: patch("*** Delete File: no"), atomic: false }, "not_found", ["no"]],
    ["read_file", { path: ".env" }, "permission_denied", [".env"]],
    ["read_file", { path: "/etc/passwd" }, "outside_workspace", ["/etc/passwd"]],
    ["glob", { pattern: "../*" }, "outside_workspace"],
  ],
  tracked: [
    ["Write", { file_path: "a", content: "" }, "unread_file", ["a"]],
    ["Write", {}, "invalid_input", []],
    ["Edit", { file_path: "a", old_string: "", new_string: "y" }, "empty_old_text", ["a"]],
    ["Edit", { file_path: "../a", old_string: "x", new_string: "y" }, "outside_workspace", ["../a"]],
    ["Edit", { file_path: "no", old_string: "x", new_string: "y" }, "not_found", ["no"]],
    ["Glob", { pattern: "../*" }, "outside_workspace"],
  ],
  compact: [
    ["Glob", { pattern: "../*" }, "outside_workspace"],
    ["Write", { file_path: "b" }, "invalid_input", ["b"]],
    ["Edit", { file_path: "no", old_string: "x", new_string: "y" }, "not_found", ["no"]],
    ["Edit", { file_path: "a", old_string: "zzz", new_string: "y" }, "old_text_not_found", ["a"]],
    ["Edit", { file_path: "../a", old_string: "x", new_string: "y" }, "outside_workspace", ["../a"]],
  ],
  anchors: [
    ["edit", { path: "no", operations: [{ op: "delete_line", hash: "abcdef" }] }, "not_found", ["no"]],
    ["edit", { path: "a" }, "invalid_input", ["a"]],
    ["write_file", { path: "../a", content: "" }, "outside_workspace", ["../a"]],
  ],
  files: [
    ["files", params("write", "../a", { content: "" }), "outside_workspace", ["../a"]],
    ["files", params("edit", "no", { old_string: "x", new_string: "y" }), "not_found", ["no"]],
    ["files", params("delete", "a"), "unsupported", ["a"]],
    ["files", params("write", "a"), "invalid_input"],
  ],
};
const READS: Readonly<Record<string, readonly (readonly [string, unknown])[]>> = {
  workspace: [
    ["read_file", { path: "no" }],
    ["read_file", {}],
    ["glob", {}],
    ["list_directory", { path: "no" }],
    ["search_files", { query: "(", mode: "regex" }],
  ],
  files: [["files", params("read", "no")]],
};

const surfaceOf = (name: string): Surface => (name === "files" ? files({ mode: "sandbox" }) : surfaceNamed(name));

describe.each(Object.keys(ATTEMPTS))("refused changes of %s", (name) => {
  const place = new Workspace(disk({ root: directoryWith({ a: "x\n", ".env": "K=1\n" }), durability: "fast" }));

  const rows = ATTEMPTS[name]!.map(([tool, input, kind, paths]) => ({ tool, input, kind, paths }));

  it.each(rows)("$tool $input is journalled once as $kind", async ({ tool, input, kind, paths }) => {
    const before = await all(place.log());
    const result = await call(place.session({ id: "s", agent: "ann" }), surfaceOf(name), tool, input, { call: "c7" });
    expect(result.ok).toBe(false);
    const entries = (await all(place.log())).slice(before.length);
    expect(entries).toMatchObject([{ outcome: "refused", tool, error: kind, session: "s", agent: "ann", call: "c7" }]);
    if (paths !== undefined) expect(entries[0]?.details?.paths).toEqual(paths);
  });

  it("refused reads are not journalled", async () => {
    const before = (await all(place.log())).length;
    for (const [tool, input] of READS[name] ?? [])
      expect((await call(place.session(), surfaceOf(name), tool, input)).ok).toBe(false);
    expect((await all(place.log())).length).toBe(before);
  });
});
