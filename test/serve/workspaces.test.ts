// Several workspaces behind one server: every call names its own, and says which one answered.
import { Refusal } from "stet";
import { createServerFactory, type ServeOptions } from "stet/serve";
import { surfaceNamed } from "stet/surfaces";
import { describe, expect, it } from "vitest";
import { memoryWorkspace } from "../support/workspace.ts";
import { ERAS, textOf } from "./clients.ts";

describe.each(ERAS)("%s", (_name, connect) => {
  it("asks for the workspace first, and names it in the result", async () => {
    const client = await connect(two());
    expect(client.getInstructions()).toContain('2 workspaces: "app", "the docs"');
    const { tools } = await client.listTools();
    const read = tools.find(({ name }) => name === "read_file")!;
    expect(Object.keys(read.inputSchema.properties!)[0]).toBe("workspace");
    expect(read.inputSchema.properties!.workspace).toMatchObject({ type: "string", enum: ["app", "the docs"] });
    expect(read.inputSchema.required).toEqual(["workspace", "path"]);
    const result = await client.callTool({ name: "read_file", arguments: { workspace: "the docs", path: "a.md" } });
    expect(textOf(result)).toMatch(/^Workspace the docs:\nRead a\.md .*\ndocs\n/s);
  });

  it.each([
    [{ path: "a.md" }, "`workspace` is missing."],
    [{ path: "a.md", workspace: null }, "`workspace` is missing."],
    [{ path: "a.md", workspace: "doc" }, 'There is no workspace "doc" here.'],
    [{ path: "a.md", workspace: ["app"] }, 'There is no workspace ["app"] here.'],
  ])("refuses %j in words", async (args, why) => {
    const client = await connect(two());
    await client.listTools();
    const result = await client.callTool({ name: "read_file", arguments: args });
    expect(result.isError).toBe(true);
    expect(textOf(result)).toContain(`${why} Pass one of "app", "the docs" as \`workspace\`.`);
  });

  it("with one, takes its own name and refuses any other", async () => {
    const { served, ...rest } = two();
    const client = await connect({ ...rest, served: [served[0]] });
    const ask = (name: string, workspace: unknown) =>
      client.callTool({ name, arguments: { path: "a.md", workspace } as Record<string, unknown> });
    for (const workspace of ["app", null]) {
      const read = textOf(await ask("read_file", workspace));
      expect([read, /warning|unknown|ignored/i.test(read)]).toEqual([expect.stringContaining("app"), false]);
    }
    for (const workspace of ["the docs", "", 1]) {
      const result = await ask("delete_file", workspace);
      const why = `There is no workspace ${JSON.stringify(workspace)} here. Only "app" is served now.`;
      expect([result.isError, textOf(result)]).toEqual([true, expect.stringContaining(why)]);
    }
    expect((await ask("read_file", "app")).isError).toBeUndefined();
  });

  it("offers what one of them allows, and refuses it in the other", async () => {
    const client = await connect(two());
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toContain("create_file");
    const create = (workspace: string) =>
      client.callTool({ name: "create_file", arguments: { workspace, path: "new.md", content: "x" } });
    const refused = await create("the docs");
    expect(refused.isError).toBe(true);
    expect(textOf(refused)).toContain(
      "create_file is not offered here: it changes files, and the workspace is read-only.",
    );
    expect((await create("app")).isError).toBeUndefined();
  });

  it("keeps reads and resources of one apart from the other", async () => {
    const options = { ...two({}), surface: surfaceNamed("tracked") };
    const client = await connect(options);
    await client.callTool({ name: "Read", arguments: { workspace: "app", file_path: "a.md" } });
    const edit = (workspace: string) =>
      client.callTool({
        name: "Edit",
        arguments: { workspace, file_path: "a.md", old_string: workspace.slice(-3), new_string: "it" },
      });
    expect((await edit("the docs")).isError).toBe(true);
    expect((await edit("app")).isError).toBeUndefined();

    const { resourceTemplates } = await client.listResourceTemplates();
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual([
      "stet://app/{path}",
      "stet://the%20docs/{path}",
    ]);
    const { resources } = await client.listResources();
    expect(resources.map(({ uri }) => uri)).toEqual(["stet://app/a.md", "stet://the%20docs/a.md"]);
    const { contents } = await client.readResource({ uri: "stet://the%20docs/a.md" });
    expect(contents).toMatchObject([{ text: "docs\n" }]);
    for (const uri of ["stet:///a.md", "stet://doc/a.md"])
      await expect(client.readResource({ uri })).rejects.toThrow(
        `${JSON.stringify(uri)} does not name a file here. Use stet://app/{path}, stet://the%20docs/{path}, with a percent-encoded path`,
      );
  });
});

it("refuses workspaces of the same name", () => {
  const { served, ...rest } = two();
  expect(() => createServerFactory({ ...rest, served: [served[0], served[0]] })).toThrow(Refusal);
});

function two(policy: { readOnly?: boolean } = { readOnly: true }): ServeOptions {
  return {
    surface: surfaceNamed("workspace"),
    served: [
      { name: "app", workspace: memoryWorkspace({ "a.md": "app\n" }) },
      { name: "the docs", workspace: memoryWorkspace({ "a.md": "docs\n" }, { policy }) },
    ],
    version: "1",
  };
}
