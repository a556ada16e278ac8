// Seed 003, the five older tools, and the forms in which the one tool takes its fields.
import { describe, expect, it } from "vitest";
import { inputSchema } from "../../src/surfaces/schema.ts";
import { BACKENDS } from "../support/workspace.ts";
import { desk } from "./003-support.ts";

/** Name, parameters with the required ones first, how many of them, a call after a file `p` was written, and both results. */
const WRAPPERS = [
  [
    "read_file",
    ["file_path", "offset", "limit", "start_column", "instance"],
    1,
    { file_path: "p", offset: 1, limit: 5 },
    "     2\tb",
    { lines: ["     2\tb"], summary: "Read 1 lines from p (lines 2-2)" },
  ],
  [
    "write_file",
    ["file_path", "content", "instance"],
    2,
    { file_path: "q", content: "x" },
    "Updated file q",
    { path: "q", summary: "Updated file q" },
  ],
  [
    "edit_file",
    ["file_path", "old_string", "new_string", "replace_all", "expected_count", "dry_run", "instance"],
    3,
    { file_path: "p", old_string: "a", new_string: "A" },
    "Updated file p",
    { path: "p", replaced: 1, summary: "Updated file p" },
  ],
  ["ls", ["instance"], 0, {}, "p", { files: ["p"] }],
  [
    "delete_file",
    ["file_path", "instance"],
    1,
    { file_path: "p" },
    "Deleted file p",
    { path: "p", summary: "Deleted file p" },
  ],
] as const;

describe.each(BACKENDS)("seed 003, the older wrapper tools, session on %s", (_name, make) => {
  it.each(WRAPPERS)(
    "%s has the parameters and the results of its command",
    async (name, fields, required, input, text, typed) => {
      const plain = desk(make({}), { legacy: true });
      const tool = plain.surface.tools.find((each) => (each.name as string) === name)!;
      const schema = inputSchema(tool);
      expect(Object.keys(schema.properties as object)).toEqual(fields);
      expect(schema.required ?? []).toEqual(fields.slice(0, required));
      await plain.use({ file_path: "p", content: "a\nb\n" }, "write_file");
      expect(await plain.use(input, name)).toMatchObject({
        ok: true,
        text,
        data: { result: name === "ls" ? ["p"] : text },
      });

      const objects = desk(make({}), { legacy: true, typed: true });
      await objects.use({ file_path: "p", content: "a\nb\n" }, "write_file");
      expect(await objects.use(input, name)).toEqual({ ok: true, text, data: typed });
    },
  );

  it("speak of a mistake like the one tool", async () => {
    const { use } = desk(make({}), { legacy: true });
    expect((await use({ file_path: "p" }, "read_file")).text).toBe(
      "File 'p' not found. Please check the file path and ensure the file exists.",
    );
    const other = { file_path: "p", content: "", command: "ls" };
    expect((await use(other, "write_file")).text).toMatch(/^Invalid parameters: .*`command`/);
    expect((await use({}, "delete_file")).text).toMatch(/^Invalid parameters: .*`file_path`/);
    expect((await use({ instance: "other" }, "ls")).text).toBe("");
  });

  it("are there, after the one tool, only when they are asked for", () => {
    const names = (legacy: boolean) => desk(make({}), { legacy }).surface.tools.map((tool) => tool.name);
    expect(names(true)).toEqual(["files", ...WRAPPERS.map(([name]) => name)]);
    expect(names(false)).toEqual(["files"]);
  });
});

describe.each(BACKENDS)("seed 003, other names of the fields, session on %s", (_name, make) => {
  const TAKEN: readonly (readonly [what: string, tool: string, input: Record<string, unknown>])[] = [
    ["path in params", "files", { params: { command: "read", path: "p" } }],
    ["filename in params", "files", { params: { command: "read", filename: "p" } }],
    ["path in params as a JSON string", "files", { params: '{"command":"read","path":"p","limit":"5"}' }],
    ["file_path before path", "files", { params: { command: "read", file_path: "p" } }],
    ["path beside, in the flat form", "files", { command: "read", path: "p" }],
    ["path of an older tool", "read_file", { path: "p" }],
    [
      "null for everything else, as strict schemas have it",
      "files",
      {
        params: {
          command: "read",
          file_path: "p",
          offset: null,
          limit: null,
          instance: null,
          content: null,
          old_string: null,
          new_string: null,
          replace_all: null,
          expected_count: null,
          dry_run: null,
        },
      },
    ],
    ["null for what is absent", "files", { params: { command: "read", file_path: "p", offset: null }, content: null }],
  ];

  it.each(TAKEN)("%s is taken", async (_what, tool, input) => {
    const { use } = desk(make({}), { legacy: true });
    await use({ file_path: "p", content: "x\n" }, "write_file");
    expect((await use(input, tool)).text).toBe("     1\tx");
  });

  it("old_str and new_str are taken for edit", async () => {
    const { use } = desk(make({}), { legacy: true });
    await use({ file_path: "p", content: "x\n" }, "write_file");
    const params = { command: "edit", path: "p", old_str: "x", new_str: "y" };
    expect((await use({ params })).text).toBe("Updated file p");
    expect((await use({ params: { command: "read", path: "p" } })).text).toBe("     1\ty");
  });

  it.each([
    ["files", { params: { command: "read", file_path: "p", path: "q" } }],
    ["files", { command: "read", file_path: "p", path: "q" }],
    ["read_file", { file_path: "p", path: "q" }],
  ])("a name that is there wins over its other name (%s)", async (tool, input) => {
    const { use } = desk(make({}), { legacy: true });
    await use({ file_path: "p", content: "x\n" }, "write_file");
    expect((await use(input, tool)).text).toBe("     1\tx");
  });
});
