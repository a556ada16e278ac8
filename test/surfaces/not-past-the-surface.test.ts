// Ways around the tools' contracts that were tried and must stay closed.
import { describe, expect, it } from "vitest";
import { memory } from "../../src/backends/memory/index.ts";
import { Workspace } from "../../src/kernel/workspace.ts";
import { bind, compactSurface, files, surfaceNamed, tracked, workspace } from "../../src/surfaces/index.ts";
import { directoryWith, memoryWorkspace } from "../support/workspace.ts";

describe("the gate", () => {
  it("delete and restore do not count as having read", async () => {
    const session = memoryWorkspace({ a: "1\n" }).session();
    const tool = bind(workspace, session);
    await tool.delete_file({ path: "a" });
    await tool.restore_file({ trashedPath: "a" });
    expect(await bind(tracked, session).Write({ file_path: "a", content: "2\n" })).toMatchObject({
      ok: false,
      text: "refusing to overwrite a: Read it first",
    });
  });

  it("a Read that failed does not count", async () => {
    const session = memoryWorkspace({ "a.pdf": `%PDF-1.7\n${"broken\n".repeat(200)}` }).session();
    const tool = bind(compactSurface(), session);
    expect((await tool.Read({ file_path: "a.pdf" })).ok).toBe(false);
    expect(await tool.Edit({ file_path: "a.pdf", old_string: "%PDF-1.7", new_string: "x" })).toMatchObject({
      ok: false,
      error: { kind: "unread_file" },
    });
  });
});

describe("files in a configured root", () => {
  it("has the path rules of the workspace", async () => {
    const root = directoryWith({ "secret.txt": "KEY\n", a: "1\n" });
    const session = new Workspace(memory(), { policy: { deniedPaths: ["secret*"] } }).session();
    const tool = bind(files({ mode: "sandbox", root }), session);
    expect((await tool.files({ params: { command: "read", file_path: "secret.txt" } })).ok).toBe(false);
    expect((await tool.files({ params: { command: "read", file_path: "a" } })).ok).toBe(true);
  });

  it("read-only holds also where it falls back to the store", async () => {
    const tool = bind(files({ mode: "sandbox", readOnly: true }), memoryWorkspace({}).session());
    expect((await tool.files({ params: { command: "write", file_path: "a", content: "x" } })).ok).toBe(false);
  });
});

describe("input and results", () => {
  it("an edit with a field that does not exist, and could mean something, is refused", async () => {
    const session = memoryWorkspace({ a: "x x\n" }).session();
    const tool = bind(workspace, session);
    const { data } = await tool.read_file({ path: "a" });
    const edits = [{ oldText: "x", newText: "y", regex: true }];
    const result = await tool.edit_file({ path: "a", expectedSha256: data.sha256, edits: edits as never });
    expect(result).toMatchObject({ ok: false, error: { kind: "command_failed" } });
    expect(result.text).toContain("has no field `regex`, and without it");
  });

  it("a change of encoding is said", async () => {
    const session = memoryWorkspace({ a: "plain\n" }).session();
    const { warnings } = (await bind(compactSurface(), session).Write({
      file_path: "a",
      content: "wide\n",
      encoding: "utf-16le",
    })) as { warnings?: readonly string[] };
    expect(warnings?.join()).toMatch(/was utf-8 and is utf-16le now/);
  });

  it("whatever a linter says, the result keeps its shape", async () => {
    for (const said of [{}, [{ line: 1, message: "m" }], [{ line: 1, message: "m", severity: "info" }], [7]]) {
      const linter = async () => said as never;
      const surface = compactSurface({ linter });
      const result = await bind(surface, memoryWorkspace({}).session()).Write({ file_path: "a", content: "x\n" });
      expect(result.ok).toBe(true);
      expect(surface.tools[1].output.safeParse(result.data).success).toBe(true);
    }
  });

  it("names of the prototype are no surfaces", () => {
    for (const name of ["toString", "constructor", "__proto__"])
      expect(() => surfaceNamed(name)).toThrow(/There is no surface/);
  });
});
