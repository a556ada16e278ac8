// A shell works beside the tools: what it changes is neither tracked nor hidden.
import { chmodSync, existsSync, readFileSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { firstLine } from "./001-004-followable.ts";
import { beside } from "./001-support.ts";

const FILES = { "bar.txt": "one\ntwo\nthree\n" };
const edit = (old_string: string, new_string: string, file_path = "bar.txt") => ({ file_path, old_string, new_string });

describe("seed 001, a shell beside the tools", () => {
  it("a file that a shell made was not read", async () => {
    const { sh, refused } = beside({});
    sh("echo foo > bar.txt");
    expect(await refused("Edit", edit("foo", "x"))).toBe("refusing to edit bar.txt: Read it first");
    expect(await refused("Write", { file_path: "bar.txt", content: "x" })).toBe(
      "refusing to overwrite bar.txt: Read it first",
    );
  });

  it("reading with a shell does not mark", async () => {
    const { sh, refused } = beside(FILES);
    expect(sh("cat bar.txt")).toBe(FILES["bar.txt"]);
    expect(await refused("Edit", edit("two", "2"))).toBe("refusing to edit bar.txt: Read it first");
  });

  it.each([
    ["echo >>", "echo four >> bar.txt", "one\n2\nthree\nfour\n"],
    ["sed -i", "sed -i s/one/uno/ bar.txt", "uno\n2\nthree\n"],
    ["mv", "printf 'zero\\ntwo\\n' > new && mv new bar.txt", "zero\n2\n"],
  ])("after %s an Edit whose text is still there is applied, with a warning", async (_what, script, expected) => {
    const { sh, text, use, root } = beside(FILES);
    await text("Read", { file_path: "bar.txt" });
    sh(script);
    const result = await use("Edit", edit("two", "2"));
    expect(result.text).toMatch(/^replaced 1 occurrence\(s\) in bar.txt\nWarning: bar.txt has changed since/);
    expect(readFileSync(join(root, "bar.txt"), "utf8")).toBe(expected);
  });

  it("git checkout", async () => {
    const { run, text, refused, use, root } = beside(FILES);
    const git = (...args: string[]) => run("git", "-c", "user.name=t", "-c", "user.email=t@example.org", ...args);
    git("init", "-q");
    git("add", "bar.txt");
    git("commit", "-qm", "first");
    await text("Read", { file_path: "bar.txt" });
    await text("Edit", edit("two", "2"));
    git("checkout", "-q", "--", "bar.txt");
    expect(await refused("Edit", edit("2\n", "II\n"))).toMatch(/^old_string not found in bar.txt\n/);
    expect(await use("Edit", edit("two", "II"))).toMatchObject({
      ok: true,
      warnings: [expect.stringContaining("has changed since")],
    });
    expect(readFileSync(join(root, "bar.txt"), "utf8")).toBe("one\nII\nthree\n");
  });

  const TOLD = `
The file has changed since you read it: read it again and re-apply your edit.

What changed since the version you saw:
--- a/bar.txt
+++ b/bar.txt
@@ -1,3 +1,`;

  it("text that the shell took away is not found, what changed is told, and the file stays", async () => {
    const { sh, text, use, root } = beside(FILES);
    await text("Read", { file_path: "bar.txt" });
    sh("sed -i s/two/zwei/ bar.txt");
    const result = await use("Edit", edit("two", "2"));
    expect(result.text).toBe(
      `old_string not found in bar.txt\nEdit rejected, file unchanged. The old text is not in the file, and nothing like it is.${TOLD}3 @@\n one\n-two\n+zwei\n three\n`,
    );
    expect(result).toMatchObject({
      error: {
        kind: "old_text_not_found",
        message: expect.stringMatching(/^old_string not found in bar\.txt\n/),
        details: { currentSha256: expect.any(String), diff: expect.stringContaining("+zwei") },
      },
    });
    expect(readFileSync(join(root, "bar.txt"), "utf8")).toBe("one\nzwei\nthree\n");
  });

  it("text that the shell doubled is ambiguous, and what changed is told", async () => {
    const { sh, text, refused } = beside(FILES);
    await text("Read", { file_path: "bar.txt" });
    sh("echo two >> bar.txt");
    expect(await refused("Edit", edit("two", "2"))).toBe(
      `old_string matched 2 times in bar.txt; add context to make it unique or set replace_all=true\nEdit rejected, file unchanged. It is at lines 2 and 4.${TOLD}4 @@\n one\n two\n three\n+two\n`,
    );
  });

  it("Write over a changed file warns, and what it replaced can be recalled", async () => {
    const { sh, text, use, workspace } = beside(FILES);
    await text("Read", { file_path: "bar.txt" });
    sh("echo by the shell > bar.txt");
    const { data } = await use("Read", { file_path: "bar.txt" }, workspace.session());
    const written = await use("Write", { file_path: "bar.txt", content: "mine\n" });
    expect(written).toMatchObject({
      ok: true,
      warnings: [
        "bar.txt had changed since it was read; that newer content was overwritten and is kept in the history.",
      ],
    });
    const { sha256 } = data as { sha256: string };
    const kept = await workspace.backend.recall(sha256 as never);
    expect(Buffer.concat((kept?.parts ?? []) as Uint8Array[]).toString()).toBe("by the shell\n");
  });

  it.each(["Edit", "Write"])("strict refuses %s of a changed file, with what changed", async (tool) => {
    const { sh, text, use, root } = beside(FILES, { strict: true });
    await text("Read", { file_path: "bar.txt" });
    sh("sed -i s/one/uno/ bar.txt");
    const input = tool === "Edit" ? edit("two", "2") : { file_path: "bar.txt", content: "x" };
    const result = await use(tool, input);
    expect(result).toMatchObject({
      ok: false,
      error: { kind: "stale_file", details: { diff: expect.stringContaining("-one\n+uno\n") } },
    });
    expect(result.text).toContain("-one\n+uno\n");
    expect(readFileSync(join(root, "bar.txt"), "utf8")).toBe("uno\ntwo\nthree\n");
    await text("Read", { file_path: "bar.txt" });
    expect((await use(tool, input)).ok).toBe(true);
  });

  it("the warning stays until the file is read again", async () => {
    const { sh, text, use } = beside(FILES);
    await text("Read", { file_path: "bar.txt" });
    sh("sed -i s/one/uno/ bar.txt");
    expect(await use("Edit", edit("two", "2"))).toHaveProperty("warnings");
    expect(await use("Edit", edit("three", "3"))).toHaveProperty("warnings");
    await text("Read", { file_path: "bar.txt" });
    expect(await use("Edit", edit("uno", "1"))).not.toHaveProperty("warnings");
  });

  it("rm: the path is new, and Write needs no Read", async () => {
    const { sh, text, root } = beside(FILES);
    sh("rm bar.txt");
    expect(await text("Write", { file_path: "bar.txt", content: "new\n" })).toBe("wrote 4 bytes to bar.txt");
    expect(readFileSync(join(root, "bar.txt"), "utf8")).toBe("new\n");
  });
});

describe("seed 001, canonical paths", () => {
  function linked() {
    const opened = beside({ "real.txt": "one\ntwo\n", "dir/in.txt": "two\n" });
    symlinkSync("real.txt", join(opened.root, "link.txt"));
    symlinkSync("dir", join(opened.root, "linkdir"));
    return opened;
  }

  it.each([
    ["link.txt", "real.txt"],
    ["real.txt", "link.txt"],
    ["linkdir/in.txt", "dir/in.txt"],
    ["dir/in.txt", "linkdir/in.txt"],
  ])("reading %s opens %s", async (readAs, editAs) => {
    const { text, refused } = linked();
    expect(await refused("Edit", edit("two", "2", editAs))).toBe(`refusing to edit ${editAs}: Read it first`);
    await text("Read", { file_path: readAs });
    expect(await text("Edit", edit("two", "2", editAs))).toBe(`replaced 1 occurrence(s) in ${editAs}`);
  });

  it("a gate cannot be slipped past by another name", async () => {
    const { refused, root } = linked();
    expect(await refused("Write", { file_path: "link.txt", content: "x" })).toBe(
      "refusing to overwrite link.txt: Read it first",
    );
    expect(readFileSync(join(root, "real.txt"), "utf8")).toBe("one\ntwo\n");
  });

  it("absolute paths inside the root are fine, and share the mark", async () => {
    const { text, refused, root } = linked();
    const absolute = join(root, "real.txt");
    expect(await refused("Edit", edit("two", "2", absolute))).toBe(`refusing to edit ${absolute}: Read it first`);
    await text("Read", { file_path: absolute });
    expect(await text("Edit", edit("two", "2", "link.txt"))).toBe("replaced 1 occurrence(s) in link.txt");
    expect(firstLine(await refused("Read", { file_path: "/etc/passwd" }))).toBe(
      "resolve path: path is outside workspace root",
    );
  });

  it("a link out of the workspace, a dangling link and a loop are refused", async () => {
    const { refused, root } = linked();
    symlinkSync("/etc/passwd", join(root, "out"));
    symlinkSync("nowhere", join(root, "dangling"));
    symlinkSync("loop", join(root, "loop"));
    const first = async (tool: string, input: object) => firstLine(await refused(tool, { ...input }));
    expect(await first("Read", { file_path: "out" })).toBe("resolve path: path is outside workspace root");
    expect(await first("Read", { file_path: "dangling" })).toBe("stat: dangling: no such file or directory");
    expect(await first("Write", { file_path: "dangling", content: "x" })).toBe(
      "resolve path: 'dangling' is a symbolic link that leads nowhere",
    );
    expect(existsSync(join(root, "nowhere"))).toBe(false);
    expect(await refused("Read", { file_path: "loop" })).toMatch(/^resolve path: /);
  });

  it("Write keeps the mode of the file, and makes directories 0755", async () => {
    const { text, root } = linked();
    chmodSync(join(root, "real.txt"), 0o750);
    await text("Read", { file_path: "real.txt" });
    await text("Write", { file_path: "real.txt", content: "x" });
    await text("Write", { file_path: "a/b/new", content: "x" });
    expect(statSync(join(root, "real.txt")).mode & 0o777).toBe(0o750);
    expect(statSync(join(root, "a/b")).mode & 0o755).toBe(0o755 & ~process.umask());
  });
});
