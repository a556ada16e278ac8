// Several directories behind one server: an absolute path chooses its own, and `workspace` is for relative ones.
import { existsSync, mkdirSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ServeOptions } from "stet/serve";
import { files, type Surface, surfaceNamed } from "stet/surfaces";
import { beforeEach, describe, expect, it } from "vitest";
import { tempDir } from "../support/temp.ts";
import { workspaceIn } from "../support/workspace.ts";
import { type AnyClient, CLIENTS, textOf } from "./clients.ts";

const connect = CLIENTS[3]![1];

let directory: string;
const at = (path: string) => join(directory, path);

beforeEach(() => {
  directory = realpathSync(tempDir());
  for (const name of ["app", "app/inner", "docs"]) {
    mkdirSync(at(name));
    writeFileSync(at(`${name}/a.md`), `${name}\n`);
  }
  symlinkSync(at("docs"), at("link"));
});

function served(surface: Surface = surfaceNamed("workspace")): ServeOptions {
  const one = (name: string, root: string) => ({
    name,
    workspace: workspaceIn(at(root)),
  });
  return { surface, version: "1", served: [one("app", "app"), one("inner", "app/inner"), one("docs", "link")] };
}

async function ask(client: AnyClient, name: string, input: Record<string, unknown>) {
  const result = await client.callTool({ name, arguments: input });
  return { text: textOf(result), isError: result.isError === true };
}

describe("an absolute path", () => {
  it("needs no workspace, and says which one answered", async () => {
    const client = await connect(served());
    const { tools } = await client.listTools();
    const read = tools.find(({ name }) => name === "read_file")!.inputSchema;
    expect(Object.keys(read.properties!)[0]).toBe("workspace");
    expect(read.required).toEqual(["path"]);
    expect(client.getInstructions()).toContain("absolute paths, which choose their own");
    for (const [path, name] of [
      ["app/a.md", "app"],
      ["docs/a.md", "docs"],
      ["link/a.md", "docs"],
      ["app/inner/a.md", "inner"],
    ] as const) {
      const { text } = await ask(client, "read_file", { path: at(path) });
      expect(text).toMatch(new RegExp(`^Workspace ${name}:\\n`));
    }
    expect((await ask(client, "read_file", { path: at("docs/a.md") })).text).toContain("docs");
  });

  it("may go with the workspace that it is in, also with the outer one", async () => {
    const client = await connect(served());
    const inner = at("app/inner/a.md");
    expect((await ask(client, "read_file", { workspace: "inner", path: inner })).text).toContain("Read a.md");
    expect((await ask(client, "read_file", { workspace: "app", path: inner })).text).toContain("Read inner/a.md");
  });

  it("contradicts another workspace: refused", async () => {
    const client = await connect(served());
    const path = at("docs/a.md");
    const { text, isError } = await ask(client, "create_file", { workspace: "app", path, content: "x" });
    expect(isError).toBe(true);
    expect(text).toContain(
      `\`workspace\` is "app", but ${path} is in "docs". Pass "docs" as \`workspace\`, or leave it out.`,
    );
    expect(readFileSync(path, "utf8")).toBe("docs\n");
  });

  it("paths of two workspaces in one call: refused", async () => {
    const client = await connect(served());
    const [fromPath, toPath] = [at("app/a.md"), at("docs/b.md")];
    const { text, isError } = await ask(client, "move_file", { fromPath, toPath, expectedSha256: "0".repeat(64) });
    expect(isError).toBe(true);
    const moving = "Nothing moves from one to another: create the file there, then delete it here.";
    expect(text).toContain(`${fromPath} is in "app" and ${toPath} is in "docs". ${moving}`);
    for (const from of [fromPath, "a.md"]) {
      const named = { workspace: "app", fromPath: from, toPath, expectedSha256: "0".repeat(64) };
      expect((await ask(client, "move_file", named)).text).toContain(`${toPath} is in "docs". ${moving}`);
    }
    const patch = [
      "*** Begin Patch",
      `*** Delete File: ${fromPath}`,
      `*** Delete File: ${at("docs/a.md")}`,
      "*** End Patch",
    ];
    const patched = await ask(client, "apply_patch", { patch: patch.join("\n") });
    expect([patched.isError, patched.text]).toEqual([
      true,
      expect.stringContaining(`Make a call for each of them. ${moving}`),
    ]);
    expect(readFileSync(fromPath, "utf8")).toBe("app\n");
  });

  it("does not say what a relative path beside it means: refused without a workspace", async () => {
    const client = await connect(served());
    const update = [`*** Update File: ${at("docs/a.md")}`, "@@", "-docs", "+Docs"];
    const patch = ["*** Begin Patch", "*** Delete File: b.md", ...update, "*** End Patch"].join("\n");
    for (const name of ["app", "docs"]) writeFileSync(at(`${name}/b.md`), `${name} b\n`);
    const { text, isError } = await ask(client, "apply_patch", { patch });
    expect([isError, text]).toEqual([
      true,
      expect.stringContaining(
        `${at("docs/a.md")} is in "docs", but b.md does not say in which workspace it is. Pass "docs" as \`workspace\``,
      ),
    ]);
    const move = { fromPath: at("docs/a.md"), expectedSha256: "0".repeat(64) };
    expect((await ask(client, "move_file", { ...move, toPath: "c.md" })).text).toContain("c.md does not say");
    expect((await ask(client, "move_file", { ...move, toPath: "/x/c.md" })).text).toContain("/x/c.md is in none of");
    expect(readFileSync(at("docs/b.md"), "utf8")).toBe("docs b\n");
    expect((await ask(client, "apply_patch", { workspace: "docs", patch })).text).toMatch(/^Workspace docs:\n/);
    expect([existsSync(at("docs/b.md")), existsSync(at("app/b.md"))]).toEqual([false, true]);
    const globbed = await ask(client, "glob", { root: at("docs"), pattern: "*.md" });
    expect(globbed.text).toMatch(/^Workspace docs:\n1 match/);
  });

  it("in a patch, and as a glob", async () => {
    const client = await connect(served());
    const patch = ["*** Begin Patch", `*** Update File: ${at("docs/a.md")}`, "@@", "-docs", "+Docs", "*** End Patch"];
    expect((await ask(client, "apply_patch", { patch: patch.join("\n") })).text).toMatch(/^Workspace docs:\nM a\.md/);
    expect((await ask(client, "glob", { pattern: at("link/*.md") })).text).toMatch(/^Workspace docs:\n1 match/);
  });
});

describe("without one", () => {
  it("a relative path: the workspace is missing", async () => {
    const client = await connect(served());
    const { text, isError } = await ask(client, "read_file", { path: "a.md" });
    expect(isError).toBe(true);
    expect(text).toContain(
      '`workspace` is missing. Pass one of "app", "inner", "docs" as `workspace`, or an absolute path in one of them.',
    );
  });

  it("a path that lies in none: outside", async () => {
    const client = await connect(served());
    for (const path of ["/etc/hostname", at("app2/a.md"), at("")]) {
      const { text, isError } = await ask(client, "read_file", { path });
      expect(isError).toBe(true);
      expect(text).toContain(`${path} is in none of the workspaces "app", "inner", "docs".`);
    }
    const { text } = await ask(client, "read_file", { workspace: "app", path: "/etc/hostname" });
    expect(text).toContain("outside");
  });

  it("names in a store in memory are no paths", async () => {
    const client = await connect(served(files({ mode: "store" })));
    const params = { command: "write", file_path: at("docs/a.md"), content: "x" };
    expect((await ask(client, "files", { workspace: "app", params })).isError).toBe(false);
    const missing = await ask(client, "files", { params });
    expect(missing.isError).toBe(true);
    // There an absolute path is a name like any other, so it is no advice.
    expect(missing.text).toMatch(/Pass one of "app", "inner", "docs" as `workspace`\.$/);
    expect(client.getInstructions()).not.toContain("absolute");
    const [tool] = (await client.listTools()).tools;
    expect(tool!.inputSchema.required).toContain("workspace");
    expect(JSON.stringify(tool!.inputSchema.properties!.workspace)).not.toContain("absolute");
    expect(readFileSync(at("docs/a.md"), "utf8")).toBe("docs\n");
  });
});
