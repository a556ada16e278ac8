// Several directories behind one server: a change that is refused before it is clear which one it is for is in a journal all the same.
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ServeOptions } from "stet/serve";
import { surfaceNamed } from "stet/surfaces";
import { expect, it } from "vitest";
import { all } from "../support/assertions.ts";
import { tempDir } from "../support/temp.ts";
import { workspaceIn } from "../support/workspace.ts";
import { type AnyClient, CLIENTS, textOf } from "./clients.ts";

const connect = CLIENTS[3]![1];

function twoOf(names: readonly string[]) {
  const directory = tempDir();
  const at = (path: string) => join(directory, path);
  const opened = names.map((name) => {
    mkdirSync(at(name));
    writeFileSync(at(`${name}/a.txt`), "line\n");
    return { name, workspace: workspaceIn(at(name)) };
  });
  const served = opened as unknown as ServeOptions["served"];
  const options: ServeOptions = { surface: surfaceNamed("workspace"), version: "1", served };
  const refused = async (n: number) => all(opened[n]!.workspace.log({ outcomes: ["refused"] }));
  return { at, options, refused };
}

async function ask(client: AnyClient, name: string, input: Record<string, unknown>): Promise<string> {
  const result = await client.callTool({ name, arguments: input });
  expect(result.isError).toBe(true);
  return textOf(result);
}

it("is in that of the first workspace, in the words of the answer; what was only to be read is not", async () => {
  const { at, options, refused } = twoOf(["app", "docs"]);
  const client = await connect(options);
  const asked: [tool: string, input: Record<string, unknown>, kind: string, paths: string[]][] = [
    ["write_file", { path: "a.txt", content: "x" }, "invalid_input", ["a.txt"]],
    ["write_file", { path: at("docs/a.txt"), workspace: "app", content: "x" }, "invalid_input", [at("docs/a.txt")]],
    [
      "move_file",
      { fromPath: at("app/a.txt"), toPath: at("docs/b.txt") },
      "invalid_input",
      ["a.txt", at("docs/b.txt")],
    ],
    ["delete_file", { path: "a.txt", workspace: "none" }, "invalid_input", ["a.txt"]],
    ["delete_file", { path: "/etc/passwd" }, "outside_workspace", ["/etc/passwd"]],
    ["read_file", { path: "/etc/passwd" }, "outside_workspace", ["/etc/passwd"]],
  ];
  for (const [tool, input] of asked) await ask(client, tool, input);
  await ask(client, "read_file", { path: "a.txt" });
  expect(await refused(1)).toEqual([]);
  const entries = await refused(0);
  expect(entries).toMatchObject(
    asked.map(([tool, , error, paths]) => ({
      agent: "a-client",
      tool,
      call: expect.anything(),
      error,
      details: { paths },
    })),
  );
  expect(entries).toHaveLength(asked.length);
  expect(existsSync(at("docs/b.txt"))).toBe(false);
});

it("a refusal of one workspace is in its own journal; its answer says which one answered", async () => {
  const { at, options, refused } = twoOf(["app", "docs"]);
  const client = await connect(options);
  const edit = { expectedSha256: "0".repeat(64), edits: [{ oldText: "no", newText: "x" }] };
  const text = await ask(client, "edit_file", { path: at("docs/a.txt"), ...edit });
  expect(text).toMatch(/^Workspace docs:\n/);
  expect([await refused(0), await refused(1)]).toMatchObject([[], [{ details: { paths: ["a.txt"] } }]]);
});

it("one workspace, called by another name: in its journal too", async () => {
  const { options, refused } = twoOf(["app"]);
  await ask(await connect(options), "delete_file", { path: "a.txt", workspace: "docs" });
  expect(await refused(0)).toMatchObject([{ tool: "delete_file", details: { paths: ["a.txt"] } }]);
});
