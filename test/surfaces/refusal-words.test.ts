// Refusals that a model can act on: what did not happen, why and where, and a next action that works.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { workspace } from "stet/surfaces";
import { describe, expect, it } from "vitest";
import { agentOnDisk, agentWith, patchOf, surfaceOnFiles } from "../support/agent.ts";

const shaOf = (text: string) => createHash("sha256").update(text).digest("hex");
const OTHER = "0".repeat(64);
const params = (command: string, file_path: string, more: object = {}) => ({ params: { command, file_path, ...more } });

const BELOW = "Nothing can lie below a file: use a path that leads through directories.";

const CODE = "alpha\nbeta one\ngamma\nbeta one\ndelta delta\n";

describe("a file that is too large", () => {
  const agentWithLargeFile = () => agentWith(workspace, { a: CODE }, { policy: { maxFileBytes: 30 } });
  const operations = [{ op: "delete_line", hash: "abcdef" }];

  it.each([
    ["anchors", "edit", { path: "a", operations }],
    ["tracked", "Edit", { file_path: "a", old_string: "alpha", new_string: "x" }],
    ["compact", "Edit", { file_path: "a", old_string: "alpha", new_string: "x" }],
  ])("%s: it is not to be written with less, but changed another way", async (surface, tool, input) => {
    const { suggestedAction } = await agentWithLargeFile().as(surfaceOnFiles(surface)).refused(tool, input);
    expect(suggestedAction).toBe(
      "It is too large to be changed by these tools: leave it as it is, change it another way, such as a command in a shell, or have the owner allow larger files.",
    );
  });

  it("is told from one that would be", async () => {
    const { text } = await agentWithLargeFile()
      .as(surfaceOnFiles("anchors"))
      .refused("write_file", { path: "new", content: CODE });
    expect(text).toContain("new would have 42 bytes; the limit is 30. Write less, or several files in place of one.");
  });
});

describe("words of refusals", () => {
  const FILES = { "src/server.ts": CODE, a: "x x\n", one: "only\n", "d/f": "1\n" };

  const rows: readonly (readonly [surface: string, tool: string, input: object, kind: string, text: string])[] = [
    [
      "tracked",
      "Write",
      { file_path: "one/x", content: "" },
      "not_a_directory",
      `resolve path: 'one' is not a directory\nNothing was written.\n${BELOW}`,
    ],
    [
      "tracked",
      "Read",
      { file_path: "one/" },
      "not_a_directory",
      "resolve path: 'one' is not a directory\nNothing was read.\nName the file without a slash at the end, or a directory.",
    ],
    [
      "workspace",
      "create_file",
      { path: "one/x", content: "" },
      "not_found",
      `Create rejected, nothing written. 'one' is not a directory. ${BELOW}`,
    ],
    [
      "workspace",
      "read_file",
      { path: "src/serve.ts" },
      "not_found",
      "Nothing was read. src/serve.ts does not exist. Did you mean src/server.ts? Check the path; list_directory shows what is there.",
    ],
    [
      "workspace",
      "list_directory",
      { path: "sr" },
      "not_found",
      "Nothing was listed. There is no directory sr. Did you mean src? Check the path; list_directory shows what is there.",
    ],
    [
      "workspace",
      "edit_file",
      { path: "a", expectedSha256: shaOf("x x\n"), edits: [{ oldText: "x", newText: "y" }] },
      "multiple_matches",
      "Edit rejected, file unchanged. The old text is in 2 places, line 1 (2 times). Add lines before or after it that only the right place has, or set expectedOccurrences.",
    ],
    [
      "workspace",
      "move_file",
      { fromPath: "a", toPath: "./a", expectedSha256: OTHER },
      "command_failed",
      "Move rejected, nothing moved. a and ./a are the same file, so there is nothing to move. Leave it where it is, or give another destination.",
    ],
    [
      "workspace",
      "apply_patch",
      { patch: patchOf("*** Move File: a -> ./a") },
      "command_failed",
      "Patch rejected, no file changed. The patch moves a onto itself, at line 2 of it. Name another destination, or use *** Update File to change the file where it is.",
    ],
    [
      "workspace",
      "apply_patch",
      { patch: patchOf("*** Delete File: a", "*** Update File: a", "@@", "-x", "+y") },
      "not_found",
      "Patch rejected, no file changed. Line 3 of the patch names a, but line 2 has deleted it. Keep one of the two sections, or delete the file and then add it whole.",
    ],
    [
      "workspace",
      "apply_patch",
      { patch: patchOf("*** Move File: a -> c", "*** Delete File: a") },
      "not_found",
      "Patch rejected, no file changed. Line 3 of the patch names a, but line 2 has moved it to c. Name c instead.",
    ],
    [
      "workspace",
      "apply_patch",
      { patch: patchOf("*** Add File: new/b", "+x", "*** Add File: new", "+y") },
      "command_failed",
      "Patch rejected, no file changed. new cannot be a file and, for new/b, a directory. Choose another path for one of them.",
    ],
    [
      "workspace",
      "apply_patch",
      { patch: patchOf("*** Delete File: src/serve.ts") },
      "not_found",
      "Patch rejected, no file changed. The patch changes src/serve.ts, which does not exist. Did you mean src/server.ts? Check the path.",
    ],
    [
      "workspace",
      "apply_patch",
      { patch: patchOf("*** Update File: src/server.ts", "@@", "-betta one", "+y") },
      "patch_apply_error",
      'Patch rejected, no file changed. Hunk 1 of src/server.ts (line 3 of the patch) does not fit the file: its lines are not in the file; they begin with "betta one". Nearest: line 2, 88 % alike (line 2: the file has `beta one`, the old text `betta one`).\nRead src/server.ts again and write the hunk with the file\'s exact lines.',
    ],
    [
      "tracked",
      "Read",
      { file_path: "src/serve.ts" },
      "not_found",
      "stat: src/serve.ts: no such file or directory\nNothing was read. Did you mean src/server.ts?\nCheck the path; Glob finds files by name.",
    ],
    [
      "tracked",
      "Grep",
      { pattern: "x", path: "SRC" },
      "not_found",
      "stat: SRC: no such file or directory\nNothing was searched. Did you mean src?\nCheck the path; Glob finds files by name.",
    ],
  ];

  it.each(rows)("%s %s %j", async (surface, tool, input, kind, text) => {
    const refused = await agentWith(workspace, FILES).as(surfaceOnFiles(surface)).refused(tool, input);
    expect(refused.text).toBe(text);
    expect(refused.kind).toBe(kind);
    expect(refused.suggestedAction).toBeTruthy();
  });

  it.each([
    ["compact", "Read", { file_path: "src/serve.ts" }],
    ["compact", "Edit", { file_path: "src/serve.ts", old_string: "a", new_string: "b" }],
    ["compact", "Grep", { pattern: "a", path: "src/serve.ts" }],
    ["anchors", "read_file", { path: "src/serve.ts" }],
    ["anchors", "edit", { path: "src/serve.ts", operations: [{ op: "delete_line", hash: "abcdef" }] }],
  ])("%s %s of a missing file names the one that is near", async (surface, tool, input) => {
    expect((await agentWith(workspace, FILES).as(surfaceOnFiles(surface)).refused(tool, input)).text).toContain(
      "Did you mean src/server.ts?",
    );
  });

  it.each([
    ["tracked", "Edit", { file_path: "one", old_string: "never there", new_string: "only\n" }],
    ["compact", "Edit", { file_path: "one", old_string: "never there", new_string: "only\n" }],
    ["workspace", "edit_file", { path: "one", edits: [{ oldText: "never there", newText: "only\n" }] }],
  ])("%s: a file that is all new text already has had this edit", async (surface, tool, input) => {
    const agent = agentWith(workspace, FILES);
    if (surface !== "workspace") await agent.as(surfaceOnFiles(surface)).done("Read", { file_path: "one" });
    const refused = await agent.as(surfaceOnFiles(surface)).refused(tool, {
      ...input,
      ...(surface === "workspace" && { expectedSha256: shaOf("only\n") }),
    });
    expect(refused.details?.cause ?? refused.kind).toBe("already_applied");
    const why =
      "Edit rejected, file unchanged. The old text is not in the file, and the new text already is, at line 1.";
    const next = "Nothing is left to do here; go on with the next change.";
    const first = "old_string not found in one\n";
    expect(refused.text).toBe(surface === "tracked" ? `${first}${why}\n${next}` : `${why} ${next}`);
  });

  it("workspace: an edit made again is told where its new text is, if that is one place and not within words", async () => {
    const again = async (text: string, oldText: string, newText: string) => {
      const { refused } = agentWith(workspace, { a: text });
      return refused("edit_file", { path: "a", edits: [{ oldText, newText }], expectedSha256: shaOf(text) });
    };
    const { text, details } = await again("one\ntwo\nTHREE\n", "three", "THREE");
    expect(text).toContain("Text equal to the new text is at line 3.");
    expect(text).toContain("If line 3 is this change, nothing is left to do. Else: ");
    expect(details).toMatchObject({ newTextAt: { startLine: 3, endLine: 3 } });
    for (const other of ["one\nTHREE\nTHREE\n", "one\nTHREEFOLD\n", "one\n"])
      expect((await again(other, "three", "THREE")).text).not.toContain("equal to the new text");
  });

  it("a write that changes nothing warns of nothing", async () => {
    const { done } = agentWith(workspace, FILES);
    const same = { path: "src/server.ts", content: CODE, expectedSha256: shaOf(CODE) };
    expect(await done("write_file", same)).toHaveProperty("warnings", []);
    const other = await agentWith(workspace, FILES).done("write_file", { ...same, content: "z\n" });
    expect(other.warnings).toEqual([
      "src/server.ts was overwritten as a whole although its lines 1-5 were never shown to this session.",
    ]);
    const one = await done("write_file", { path: "one", content: "z\n", expectedSha256: shaOf("only\n") });
    expect(one.warnings).toEqual([
      "one was overwritten as a whole although its line 1 was never shown to this session.",
    ]);
  });

  it.each([
    ["workspace", "create_file", { path: "new", content: "" }],
    ["workspace", "apply_patch", { patch: patchOf("*** Delete File: a") }],
    ["tracked", "Edit", { file_path: "a", old_string: "x", new_string: "y" }],
    ["compact", "Write", { file_path: "a", content: "y" }],
    ["anchors", "write_file", { path: "a", content: "y" }],
  ])("%s %s in a read-only workspace is denied as such", async (surface, tool, input) => {
    const refused = await agentWith(workspace, FILES, { policy: { readOnly: true } })
      .as(surfaceOnFiles(surface))
      .refused(tool, input);
    expect(refused.kind).toBe("permission_denied");
    expect(refused.text).toContain(`${tool} is not offered here: it changes files, and the workspace is read-only.`);
    expect(refused.suggestedAction).toMatch(/^Use only \w+, .*or ask the owner/);
    expect(refused.suggestedAction).not.toContain(tool);
  });

  it("files: a read-only workspace is said to be one", async () => {
    const refused = await agentOnDisk(workspace, FILES, { policy: { readOnly: true } })
      .as(surfaceOnFiles("files"))
      .refused("files", params("write", "n", { content: "" }));
    expect(refused.kind).toBe("permission_denied");
    expect(refused.text).toContain("\nNothing was changed. The workspace is read-only.\n");
  });
});

describe("refusals of a rebase", () => {
  const BEFORE = "l1\nl2\nl3\n";
  const AFTER = "l1\nl2 theirs\nl3\n";
  const sha = shaOf(BEFORE);
  const TOLD = `

What changed since the version you saw:
--- a/f
+++ b/f
@@ -1,3 +1,3 @@
 l1
-l2
+l2 theirs
 l3

The sha256 is ${shaOf(AFTER)} now.`;

  it.each([
    ["edit_file", { path: "f", edits: [{ oldText: "l2\n", newText: "m\n" }], expectedSha256: sha }, "stale_file"],
    [
      "edit_file",
      { path: "f", edits: [{ oldText: "l", newText: "m", replaceAll: true }], expectedSha256: sha },
      "stale_file",
    ],
    ["write_file", { path: "f", content: "l1\nl2 mine\nl3\n", expectedSha256: sha }, "stale_file"],
    ["delete_file", { path: "f", expectedSha256: sha }, "stale_file"],
    ["move_file", { fromPath: "f", toPath: "g", expectedSha256: sha }, "stale_file"],
    [
      "apply_patch",
      { patch: patchOf("*** Update File: f", "@@", "-l2", "+m"), expectedSha256ByPath: { f: sha } },
      "stale_file",
    ],
    ["apply_patch", { patch: patchOf("*** Delete File: f"), expectedSha256ByPath: { f: sha } }, "stale_file"],
  ])("%s %j carries the diff and the current sha256", async (tool, input, kind) => {
    const agent = agentOnDisk(workspace, { f: BEFORE }, { onStale: "rebase" });
    await agent.done("read_file", { path: "f" });
    writeFileSync(join(agent.root, "f"), AFTER);
    const refused = await agent.refused(tool, input);
    expect(refused.kind).toBe(kind);
    expect(refused.details).toMatchObject({ expectedSha256: sha, currentSha256: shaOf(AFTER) });
    expect(refused.text.endsWith(TOLD)).toBe(true);
  });

  it("the sha256 is not handed out with a diff that was cut", async () => {
    const agent = agentOnDisk(workspace, { f: BEFORE }, { limits: { staleDiffBytes: 20 } });
    await agent.done("read_file", { path: "f" });
    writeFileSync(join(agent.root, "f"), AFTER);
    const refused = await agent.refused("write_file", { path: "f", content: "x", expectedSha256: sha });
    expect(refused.text).toContain("truncated");
    expect(refused.text).not.toContain(shaOf(AFTER));
  });
});

it.each([
  ["workspace", "read_file", { path: "way/out/x" }],
  ["tracked", "Read", { file_path: "way/out/x" }],
])("%s: the link that leads outside is named, also on the way", async (surface, tool, input) => {
  const agent = agentOnDisk(workspace, { "way/a": "" });
  symlinkSync("/etc", join(agent.root, "way/out"));
  expect((await agent.as(surfaceOnFiles(surface)).refused(tool, input)).text).toContain(
    "'way/out/x' leads outside the workspace, because 'way/out' is a symbolic link.",
  );
});

describe("what is no file", () => {
  const agent = agentOnDisk(workspace, { a: "" });
  execFileSync("mkfifo", [join(agent.root, "pipe")]);

  it.each([
    ["workspace", "read_file", { path: "pipe" }],
    ["workspace", "write_file", { path: "pipe", content: "", expectedSha256: OTHER }],
    ["tracked", "Write", { file_path: "pipe", content: "" }],
    ["compact", "Edit", { file_path: "pipe", old_string: "a", new_string: "b" }],
    ["anchors", "read_file", { path: "pipe" }],
    ["files", "files", params("read", "pipe")],
  ])("%s %s %j: a pipe is called one, and nobody is sent to list it", async (surface, tool, input) => {
    const { text } = await agent.as(surfaceOnFiles(surface)).refused(tool, input);
    expect(text).toContain("'pipe' is a named pipe, not a regular file. Use a regular file.");
  });

  it.each([
    ["list_directory", { path: "pipe" }],
    ["glob", { pattern: "*", root: "pipe" }],
    ["search_files", { query: "x", mode: "text", root: "pipe" }],
  ])("%s of a pipe", async (tool, input) => {
    expect((await agent.refused(tool, input)).text).toMatch(
      /pipe is neither a file nor a directory, but a pipe, a socket or a device\. Name a directory or a regular file\.$/,
    );
  });
});
