import { existsSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { disk } from "../../src/backends/disk/index.ts";
import { memory } from "../../src/backends/memory/index.ts";
import { offeredTools } from "../../src/surfaces/offer.ts";
import { directoryWith } from "../support/workspace.ts";
import { firstLine } from "./001-004-followable.ts";
import { desk, edit, LS, read, remove, write } from "./003-support.ts";

function sandbox(files: Record<string, string>, options = {}, workspaceOptions = {}) {
  const root = directoryWith(files);
  return { root, ...desk(disk({ root, durability: "fast" }), { mode: "sandbox", ...options }, workspaceOptions) };
}

describe("seed 003, sandbox mode", () => {
  it("read, write and edit work on the directory", async () => {
    const { root, text } = sandbox({ "a.txt": "one\ntwo\n" });
    expect(await text(read("a.txt"))).toBe("     1\tone\n     2\ttwo");
    expect(await text(edit("a.txt", "two", "2"))).toBe("Updated file a.txt");
    expect(await text(write("new/b.txt", "b\n"))).toBe("Updated file new/b.txt");
    expect(readFileSync(join(root, "a.txt"), "utf8")).toBe("one\n2\n");
    expect(readFileSync(join(root, "new/b.txt"), "utf8")).toBe("b\n");
  });

  it("ls lists the names in the root, as `ls -1` does", async () => {
    const { data } = sandbox({ "b.txt": "", "a/in.txt": "", ".hidden": "", "c.txt": "" });
    expect(await data(LS)).toEqual({ result: ["a", "b.txt", "c.txt"] });
  });

  it("ls does not show what the policy denies", async () => {
    const { data } = sandbox({ "b.txt": "", "secret/x": "" }, {}, { policy: { deniedPaths: ["secret"] } });
    expect(await data(LS)).toEqual({ result: ["b.txt"] });
  });

  it("typed results have the same shapes", async () => {
    const { run } = sandbox({ a: "x\n" }, { typed: true });
    expect(await run(LS)).toMatchObject({ data: { files: ["a"] } });
    expect(await run(read("a"))).toMatchObject({
      data: { lines: ["     1\tx"], summary: "Read 1 lines from a (lines 1-1)" },
    });
    expect(await run(edit("a", "x", "y"))).toMatchObject({
      data: { path: "a", replaced: 1, summary: "Updated file a" },
    });
  });

  it("delete is disabled, with the documented error", async () => {
    const { root, run } = sandbox({ a: "x" });
    const result = await run(remove("a"));
    expect(firstLine(result.text)).toBe(
      "delete is disabled in sandbox mode; set INSPECT_AGENTS_FS_MODE=store to delete from the in-memory Files store",
    );
    expect(result).toMatchObject({
      ok: false,
      error: { kind: "unsupported", details: { code: "SandboxUnsupported" } },
    });
    expect(existsSync(join(root, "a"))).toBe(true);
  });

  it("edit refuses several occurrences, unlike the store", async () => {
    const { root, run, text } = sandbox({ a: "b\nb\n" });
    expect(await run(edit("a", "b", "c"))).toMatchObject({ ok: false, error: { kind: "multiple_matches" } });
    expect(readFileSync(join(root, "a"), "utf8")).toBe("b\nb\n");
    await text(edit("a", "b", "c", { replace_all: true }));
    expect(readFileSync(join(root, "a"), "utf8")).toBe("c\nc\n");
  });

  it("expected_count tells how many there are", async () => {
    const { root, refused } = sandbox({ a: "b\nb\n" });
    expect((await refused(edit("a", "b", "c", { expected_count: 3 }))).split("\n")).toEqual([
      "ExpectedCountMismatch: expected 3, got 2",
      "Nothing was changed. old_string is at lines 1 and 2.",
      "Set replace_all to true and expected_count to 2 to replace all of them, or correct old_string.",
    ]);
    expect(await refused(edit("a", "b", "c", { expected_count: 2 }))).toContain("set replace_all");
    expect(readFileSync(join(root, "a"), "utf8")).toBe("b\nb\n");
  });

  it.each([
    [read("d"), "Nothing was read. d is a directory. Name a file."],
    [read("b"), "Nothing was read. The file is binary: it has NUL bytes near its beginning. Do not edit it as text."],
    [write("d", ""), "Nothing was changed. 'd' is a directory, not a file. Name a file."],
    [write(".", ""), "Nothing was changed. The root of the workspace is a directory. Name a file."],
  ])("what has no words of its own begins with what did not happen (%#)", async (params, expected) => {
    expect(await sandbox({ "d/x": "", b: "\0\0" }).refused(params)).toBe(expected);
  });

  it.each([
    ["..", read("../x"), "../x"],
    ["an absolute path", read("/etc/passwd"), "/etc/passwd"],
    ["write", write("../x", "y"), "../x"],
    ["edit", edit("/etc/hosts", "a", "b"), "/etc/hosts"],
  ])("outside of the root is denied: %s", async (_what, params, path) => {
    const { root, refused } = sandbox({});
    expect(firstLine(await refused(params))).toBe(
      `Access denied: path '${path}' is outside the configured filesystem root '${root}'. Only paths within the root are allowed in sandbox mode.`,
    );
  });

  it("absolute paths inside the root are fine", async () => {
    const { root, text } = sandbox({ a: "x" });
    expect(await text(read(join(root, "a")))).toBe("     1\tx");
  });

  it("links are denied, in the last place and on the way", async () => {
    const { root, refused } = sandbox({ "dir/a": "x" });
    symlinkSync("dir/a", join(root, "link"));
    symlinkSync("dir", join(root, "way"));
    const denied = (link: string, leadsTo: string, what = "changed") =>
      `Access denied: '${link}' is a symbolic link. Symbolic links are not allowed in sandbox mode for security reasons.\nNothing was ${what}.\nUse ${leadsTo}, where the path leads.`;
    expect(await refused(read("link"))).toBe(denied("link", "dir/a", "read"));
    expect(await refused(write("link", "y"))).toBe(denied("link", "dir/a"));
    expect(await refused(edit("way/a", "x", "y"))).toBe(denied("way", "dir/a"));
    expect(await refused(write("way/new", "y"))).toBe(denied("way", "dir/new"));
    expect(readFileSync(join(root, "dir/a"), "utf8")).toBe("x");
    expect(existsSync(join(root, "dir/new"))).toBe(false);
    expect(await refused(read("way/new"))).toContain("Use another path: nothing is at dir/new, where this one leads.");
  });

  it.each([write("a", "y"), edit("a", "x", "y"), remove("a")])("read-only refuses $command", async (params) => {
    const { root, run, text } = sandbox({ a: "x" }, { env: { STET_FS_READ_ONLY: "1" } });
    const result = await run(params);
    expect(result.text).toMatch(/^SandboxReadOnly/);
    expect(result).toMatchObject({
      ok: false,
      error: { kind: "permission_denied", details: { code: "SandboxReadOnly" } },
    });
    expect(readFileSync(join(root, "a"), "utf8")).toBe("x");
    expect(await text(read("a"))).toBe("     1\tx");
  });

  it.each([{ readOnly: false }, { readOnly: true }])(
    "a read-only workspace can still be listed and read (%o)",
    async (options) => {
      const made = sandbox({ a: "x" }, { ...options, legacy: true }, { policy: { readOnly: true } });
      expect(offeredTools(made.surface, made.workspace.policy).map(({ name }) => name)).toEqual([
        "files",
        "read_file",
        "ls",
      ]);
      const [tool] = made.surface.tools;
      expect(tool.description).toMatch(options.readOnly ? /^Lists and reads files/ : /^Lists, reads, writes and edits/);
      expect(await made.data(LS)).toEqual({ result: ["a"] });
      expect(await made.text(read("a"))).toBe("     1\tx");
      for (const params of [write("a", "y"), edit("a", "x", "y"), remove("a")]) {
        expect(await made.run(params)).toMatchObject({ ok: false });
      }
      expect(readFileSync(join(made.root, "a"), "utf8")).toBe("x");
    },
  );

  it("files above the cap are not read, nor written", async () => {
    const { refused } = sandbox({ a: "x".repeat(150) }, { maxBytes: 100 });
    expect(await refused(read("a"))).toBe(
      "File exceeds maximum size limit: 150 bytes > 100 bytes. Read a smaller file or increase INSPECT_AGENTS_FS_MAX_BYTES.\nNothing was read.",
    );
    expect(await refused(write("b", "y".repeat(150)))).toContain(
      "File content exceeds maximum size limit: 150 bytes > 100 bytes.",
    );
  });

  it("every refusal says what did not happen, below the words that are fixed", async () => {
    const { root, refused } = sandbox({ a: "x" }, { maxBytes: 100 });
    symlinkSync("a", join(root, "link"));
    const long = "y".repeat(150);
    for (const params of [read("link"), read("a", { offset: 9 }), read("none"), read("../up")])
      expect(await refused(params)).toMatch(/(?:^|\n)Nothing was read\./);
    for (const params of [write("link", "y"), write("b", long), remove("a"), edit("a", "z", "y"), write("../up", "y")])
      expect(await refused(params)).toMatch(/(?:^|\n)Nothing was changed\./);
    for (const params of [{ command: "move" }, { command: "write", file_path: "b" }, { command: "ls", file_path: "b" }])
      expect(await refused(params)).toMatch(/^Invalid parameters: .*\nNothing was done\.\n/);
    const readOnly = sandbox({ a: "x" }, { readOnly: true });
    expect(await readOnly.refused(write("a", "y"))).toMatch(/\nNothing was changed\.\n/);
  });

  it("what the policy denies is named with its rule", async () => {
    const { root, refused } = sandbox({ "keep/a": "x" }, {}, { policy: { deniedPaths: ["keep/**"] } });
    expect(firstLine(await refused(write("keep/a", "y")))).toBe(
      `PolicyDenied: operation 'write' on 'keep/a' denied by rule 'keep/**' under root '${root}'`,
    );
  });

  it("refusals are in the journal", async () => {
    const { refused, workspace } = sandbox({ a: "x" });
    await refused(write("../x", "y"));
    const entries = [];
    for await (const entry of workspace.log()) entries.push(entry);
    expect(entries).toMatchObject([{ outcome: "refused", error: "outside_workspace", tool: "files" }]);
  });

  it("an instance has no meaning here, and the result says so", async () => {
    const { run } = sandbox({ a: "x" });
    expect(await run({ ...read("a"), instance: "red" })).toMatchObject({
      ok: true,
      warnings: [expect.stringContaining("sandbox mode")],
    });
  });

  it("strict asks for a read before a file is changed", async () => {
    const { run, text } = sandbox({ a: "x" }, {}, { strict: true });
    expect(await run(write("a", "y"))).toMatchObject({ ok: false, error: { kind: "unread_file" } });
    await text(read("a"));
    expect(await run(write("a", "y"))).toMatchObject({ ok: true });
  });
});

describe("seed 003, sandbox without a directory", () => {
  it("falls back to the store, and every result says so", async () => {
    const { run } = desk(memory({ files: { a: "x" } }), { mode: "sandbox" });
    for (const params of [write("p", "x"), read("p"), LS]) {
      const result = await run(params);
      expect(result).toMatchObject({
        ok: true,
        warnings: [expect.stringContaining("this call used the store in memory")],
      });
      expect(result.text).toContain("Warning: Sandbox mode is configured, but no root directory is available");
    }
    expect(await run(LS)).toMatchObject({ data: { result: ["p"] } });
    expect(await run(remove("p"))).toMatchObject({ ok: true, data: { result: "Deleted file p" } });
  });

  it("says so in a refusal, too: a file that is only on disk is not called missing without it", async () => {
    const result = await desk(memory(), { mode: "sandbox" }).run(read("src/app.ts"));
    expect(result).toMatchObject({
      ok: false,
      error: { details: { warnings: [expect.stringContaining("this call used the store in memory")] } },
    });
    expect(result.text).toMatch(/^File 'src\/app\.ts' not found\.[\s\S]*\nWarning: Sandbox mode is configured/);
  });

  it("falls back when the configured root cannot be opened", async () => {
    const { run } = desk(memory(), { mode: "sandbox", env: { STET_FS_ROOT: "/no/such/root" } });
    expect(await run(LS)).toMatchObject({ ok: true, warnings: [expect.stringContaining("store in memory")] });
  });

  it("uses the configured root for a session without a directory", async () => {
    const root = directoryWith({ a: "x\n" });
    const { text, use, workspace } = desk(memory(), {
      env: { INSPECT_AGENTS_FS_MODE: "sandbox", INSPECT_AGENTS_FS_ROOT: root },
    });
    expect(await text(read("a"))).toBe("     1\tx");
    await text(edit("a", "x", "y"));
    expect(readFileSync(join(root, "a"), "utf8")).toBe("y\n");
    expect((await use({ params: LS }, "files", workspace.session())).text).toBe("a");
  });

  it("allows there only what the workspace of the session allows", async () => {
    const root = directoryWith({ a: "x\n" });
    const { run } = desk(memory(), { mode: "sandbox", root }, { policy: { allowedActions: ["read", "list"] } });
    expect(await run(read("a"))).toMatchObject({ ok: true });
    expect(await run(write("a", "y"))).toMatchObject({ ok: false, error: { details: { code: "PolicyDenied" } } });
    expect(readFileSync(join(root, "a"), "utf8")).toBe("x\n");
  });

  it("refuses when the configured root is not the workspace", async () => {
    const { root, run, text } = sandbox({ a: "x" });
    expect(await text(read("a"))).toContain("x");
    const other = desk(disk({ root, durability: "fast" }), { mode: "sandbox", root: directoryWith({}) });
    expect((await other.run(LS)).text).toContain("The configured filesystem root is");
    const same = desk(disk({ root, durability: "fast" }), { mode: "sandbox", root });
    expect((await same.run(read("a"))).ok).toBe(true);
    expect((await run(LS)).ok).toBe(true);
  });
});
