// What a path means to storages and to Claude's text editor, where files of the same name lie in the root and below its own name.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openWorkspace } from "stet";
import { anthropicTextEditor } from "stet/adapters/anthropic";
import { deepagentsBackend } from "stet/adapters/deepagents";
import { describe, expect, it } from "vitest";
import { directoryWith } from "../support/workspace.ts";

/** As /app with a directory app/ in it: `at` is both a real path of the root's file and a virtual one of the inner file. */
function doubled() {
  const root = directoryWith({ "main.py": "ROOT main\n" });
  const inner = join(root, root);
  mkdirSync(inner, { recursive: true });
  writeFileSync(join(inner, "main.py"), "INNER main\n");
  writeFileSync(join(inner, "only.py"), "inner only\n");
  const workspace = openWorkspace({ root, durability: "fast" });
  const text = (path: string): string | undefined => (existsSync(path) ? readFileSync(path, "utf8") : undefined);
  const state = () => ({ outer: text(join(root, "main.py")), inner: text(join(inner, "main.py")) });
  return { root, inner, workspace, session: workspace.session(), at: `${root}/main.py`, state };
}

const UNCHANGED = { outer: "ROOT main\n", inner: "INNER main\n" };

describe("what begins with the name of something in the root is that, as it is listed", () => {
  it("with deepagents", async () => {
    const { root, inner, workspace, session, at, state } = doubled();
    const backend = deepagentsBackend(session);
    expect(await backend.glob("**/main.py")).toMatchObject({ files: [{ path: at }, { path: "/main.py" }] });
    expect(await backend.grep("INNER")).toMatchObject({ matches: [{ path: at }] });
    expect(await backend.ls(root)).toMatchObject({ files: [{ path: at }, { path: `${root}/only.py` }] });
    expect(await backend.read(`${root}/only.py`)).toMatchObject({ content: "inner only" });
    expect(await backend.readRaw(at)).toMatchObject({ data: { content: "INNER main\n" } });
    expect(await backend.edit(at, "main", "x")).toMatchObject({ error: expect.stringContaining("Read it first") });
    expect(await backend.read(at)).toMatchObject({ content: "INNER main" });
    expect(await backend.write("/main.py", "x")).toMatchObject({ error: expect.stringContaining("Read it first") });
    expect(await backend.edit(at, "main", "EDITED")).toMatchObject({ occurrences: 1 });
    expect(state()).toEqual({ ...UNCHANGED, inner: "INNER EDITED\n" });
    expect(await backend.write(`${root}/new.py`, "new\n")).toMatchObject({ path: `${root}/new.py` });
    expect([existsSync(join(inner, "new.py")), existsSync(join(root, "new.py"))]).toEqual([true, false]);
    const [file] = await backend.downloadFiles([at]);
    expect(Buffer.from(file!.content!).toString()).toBe("INNER EDITED\n");
    await backend.uploadFiles([[at, Buffer.from("UP\n")]]);
    expect(state()).toEqual({ ...UNCHANGED, inner: "UP\n" });
    await backend.delete(at);
    expect(state()).toEqual({ ...UNCHANGED, inner: undefined });
    await workspace.close();
  });

  it("with Claude's text editor", async () => {
    const { root, inner, workspace, session, at, state } = doubled();
    const editor = anthropicTextEditor(session);
    expect(await editor.run({ command: "view", path: root })).toContain(`11\t${at}`);
    expect(await editor.run({ command: "view", path: at })).toContain("INNER main");
    await editor.run({ command: "str_replace", path: at, old_str: "main", new_str: "EDITED" });
    expect(state()).toEqual({ ...UNCHANGED, inner: "INNER EDITED\n" });
    await editor.run({ command: "create", path: `${root}/new.py`, file_text: "new\n" });
    expect([existsSync(join(inner, "new.py")), existsSync(join(root, "new.py"))]).toEqual([true, false]);
    await workspace.close();
  });
});

describe("where the root has nothing of that name, a path may be a real one", () => {
  it("with Claude's text editor", async () => {
    const { root, workspace } = made({ "main.py": "ROOT main\n" });
    const session = workspace.session();
    expect(await anthropicTextEditor(session).run({ command: "view", path: root })).toContain(`${root}/main.py`);
    await anthropicTextEditor(session).run({ command: "create", path: `${root}/new.py`, file_text: "new\n" });
    expect(readdirSync(root).filter((name) => !name.startsWith("."))).toEqual(["main.py", "new.py"]);
    await workspace.close();
  });

  it("but never with deepagents, whose own rules go by the path as it is written", async () => {
    const { root, workspace } = made({ "main.py": "ROOT main\n" });
    const backend = deepagentsBackend(workspace.session());
    const real = `${root}/main.py`;
    const error = expect.stringMatching(/does not exist|There is no directory/);
    expect(await backend.read("/main.py")).toMatchObject({ content: "ROOT main" });
    for (const path of [real, `/${real}`]) {
      expect(await backend.read(path)).toMatchObject({ error });
      expect(await backend.readRaw(path)).toMatchObject({ error });
      expect(await backend.edit(path, "main", "x")).toMatchObject({ error });
      expect(await backend.delete(path)).toMatchObject({ error });
      expect(await backend.downloadFiles([path])).toMatchObject([{ error: "file_not_found" }]);
    }
    expect(await backend.ls(root)).toMatchObject({ error });
    expect(await backend.grep("ROOT", root)).toMatchObject({ error });
    expect(await backend.glob("*", root)).toMatchObject({ error });
    for (const path of ["/./main.py", "/main.py/.", "//././main.py"]) {
      const said = { error: expect.stringMatching(/another spelling of \/main.py. Use \/main.py in its place/) };
      expect(await backend.read(path)).toMatchObject(said);
      expect(await backend.edit(path, "main", "x")).toMatchObject(said);
    }
    expect(await backend.ls("/.")).toMatchObject({ error: expect.stringContaining("Use / in its place") });
    await backend.write(real, "below\n");
    await backend.uploadFiles([[`${root}/up.py`, Buffer.from("up\n")]]);
    expect(readFileSync(join(root, "main.py"), "utf8")).toBe("ROOT main\n");
    expect(readdirSync(join(root, root))).toEqual(["main.py", "up.py"]);
    await workspace.close();
  });

  it("and one outside is none of the workspace", async () => {
    const { workspace } = made();
    const backend = deepagentsBackend(workspace.session());
    expect(await backend.read("/../../etc/passwd")).toMatchObject({ error: expect.stringContaining("outside") });
    expect(await backend.read(`/${"x".repeat(300)}/a`)).toMatchObject({ error: expect.stringContaining("longer") });
    await workspace.close();
  });
});

function made(files: Record<string, string> = {}) {
  const root = directoryWith(files);
  return { root, workspace: openWorkspace({ root, durability: "fast" }) };
}
