// Seed 004, parameters of the edit tool: `path`, its deprecated alias, and which fields go with which operation.
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { anchors, anchorsSurface } from "../../src/surfaces/anchors/index.ts";
import { bind } from "../../src/surfaces/bind.ts";
import { inputSchema } from "../../src/surfaces/schema.ts";
import { BACKENDS } from "../support/workspace.ts";
import { desk, hash, text } from "./004-desk.ts";

const before = text("alpha", "beta", "gamma");
const after = text("alpha", "BETA", "gamma");
const operations = [{ op: "replace_line" as const, hash: hash("beta"), content: "BETA" }];
const files = { "app/foo.ts": before, "app/bar.ts": before };
const [readTool, editTool] = anchors.tools;

describe.each(BACKENDS)("parameters on %s", (_name, make) => {
  it('WHEN edit is called with path "/app/foo.ts" and valid operations THEN it proceeds normally', async () => {
    const { done, content, workspace } = desk(make, files);
    await done("edit", { path: join(workspace.backend.directory ?? "/", "app/foo.ts"), operations });
    expect(await content("app/foo.ts")).toBe(after);
  });

  it("WHEN edit is called without path and without file_path THEN a parameter validation error says that path is required", async () => {
    const failure = await desk(make, files).refused("edit", { operations });
    expect(failure.kind).toBe("invalid_input");
    expect(failure.text).toContain("required parameter `path` is missing");
    expect(failure.details).toMatchObject({ error: "missing_parameter", suggested_action: "provide_path" });
  });

  it("WHEN edit is called with file_path and no path THEN it succeeds with a deprecation warning in the response", async () => {
    const { done, content } = desk(make, files);
    const { data, warnings, text: said } = await done("edit", { file_path: "app/foo.ts", operations });
    expect(await content("app/foo.ts")).toBe(after);
    expect(warnings).toEqual(["`file_path` is deprecated: use `path` instead."]);
    expect(data.deprecation_warnings).toEqual(warnings);
    expect(said).toContain("`file_path` is deprecated: use `path` instead.");
  });

  it("WHEN edit is called with both path and file_path THEN path takes precedence", async () => {
    const { done, content } = desk(make, files);
    const { warnings } = await done("edit", { path: "app/foo.ts", file_path: "app/bar.ts", operations });
    expect([await content("app/foo.ts"), await content("app/bar.ts")]).toEqual([after, before]);
    expect(warnings.join()).toContain("deprecated");
  });

  it("a host may reject file_path", async () => {
    const { refused, content } = desk(make, files, {}, anchorsSurface({ filePath: "reject" }));
    const failure = await refused("edit", { file_path: "app/foo.ts", operations });
    expect(failure).toMatchObject({ kind: "invalid_input", details: { suggested_action: "provide_path" } });
    expect(await content("app/foo.ts")).toBe(before);
  });

  const MIXED: readonly (readonly [what: string, operation: object, says: string])[] = [
    ["start_hash on a replace_line", { op: "replace_line", start_hash: hash("beta"), content: "x" }, '"start_hash"'],
    ["hash on a replace_range", { op: "replace_range", hash: hash("beta"), content: "x" }, '"hash"'],
    [
      "end_hash on an insert_after",
      { op: "insert_after", hash: hash("beta"), end_hash: hash("beta"), content: "x" },
      '"end_hash"',
    ],
    [
      "occurrence on a delete_range",
      { op: "delete_range", start_hash: hash("alpha"), end_hash: hash("beta"), occurrence: 1 },
      '"occurrence"',
    ],
    ["no content for a replace_line", { op: "replace_line", hash: hash("beta") }, '"content"'],
    ["no hash", { op: "delete_line" }, '"hash"'],
    [
      "a field that does not exist",
      { op: "delete_line", hash: hash("beta"), new_text: "x" },
      "`operations[0]` has no field `new_text`",
    ],
    ["an operation that does not exist", { op: "replace", hash: hash("beta"), content: "x" }, "operations[0].op"],
    ["occurrence 0", { op: "delete_line", hash: hash("beta"), occurrence: 0 }, "operations[0].occurrence"],
  ];
  it.each(MIXED)("%s causes validation failure", async (_what, operation, says) => {
    const { refused, content } = desk(make, files);
    const failure = await refused("edit", { path: "app/foo.ts", operations: [operation] });
    expect(failure).toMatchObject({ kind: "invalid_input", details: { error: "schema_invalid" } });
    expect(failure.text).toContain(says);
    expect(await content("app/foo.ts")).toBe(before);
  });

  const LENIENT = [
    ["operations as a JSON string", { path: "app/foo.ts", operations: JSON.stringify(operations) }],
    [
      "null for absent fields",
      { path: "app/foo.ts", operations: [{ ...operations[0], occurrence: null, start_hash: null }], dry_run: null },
    ],
    ["numbers in quotes", { path: "app/foo.ts", operations: [{ ...operations[0], occurrence: "1", line: "2" }] }],
    ["one operation instead of a list", { path: "app/foo.ts", operations: operations[0] }],
    ["one operation as a JSON string", { path: "app/foo.ts", operations: JSON.stringify(operations[0]) }],
    ["one operation beside the path", { path: "app/foo.ts", ...operations[0] }],
    ["one operation beside an older name of the path", { file_path: "app/foo.ts", operations: null, ...operations[0] }],
    ["an anchor as it is shown", { path: "app/foo.ts", operations: [{ ...operations[0], hash: `2#${hash("beta")}` }] }],
  ] as const;
  it.each(LENIENT)("takes %s", async (_what, input) => {
    const { done, content } = desk(make, files);
    await done("edit", input);
    expect(await content("app/foo.ts")).toBe(after);
  });

  it("takes a range beside the path, and refuses an operation beside operations", async () => {
    const { done, refused, content } = desk(make, files);
    const range = { op: "delete_range", start_hash: hash("alpha"), end_hash: hash("beta") };
    const twice = await refused("edit", { path: "app/foo.ts", operations, ...range });
    expect(twice.text).toContain("There are no parameters `op`, `start_hash`, `end_hash`, and without them");
    expect(await content("app/foo.ts")).toBe(before);
    await done("edit", { path: "app/foo.ts", ...range });
    expect(await content("app/foo.ts")).toBe(before.replace("alpha\nbeta\n", ""));
  });

  it("what says why the call is made is ignored, and told", async () => {
    const { done, content } = desk(make, files);
    const { text } = await done("edit", { path: "app/foo.ts", operations, instruction: "change beta" });
    expect(text).toContain("Warning: There is no parameter `instruction`; it was ignored.");
    expect(await content("app/foo.ts")).toBe(after);
  });

  it("the tools are typed functions when they are bound to a session", async () => {
    const { session, content } = desk(make, files);
    const tool = bind(anchors, session);
    const read = await tool.read_file({ path: "app/foo.ts", hashes: true });
    const done = await tool.edit({ path: "app/foo.ts", operations, expected_file_version: read.data.file_version });
    expect(done.data.anchors_valid_through).toBe(1);
    expect(await content("app/foo.ts")).toBe(after);
  });

  it("lowEntropy tolerant takes a unique brace as anchor, the default refuses it", async () => {
    const tolerant = desk(make, { "a.txt": text("one", "}", "two") }, {}, anchorsSurface({ lowEntropy: "tolerant" }));
    await tolerant.done("edit", {
      path: "a.txt",
      operations: [{ op: "insert_before", hash: hash("}"), content: "x" }],
    });
    expect(await tolerant.content("a.txt")).toBe(text("one", "x", "}", "two"));
  });
});

describe("the schema that models see", () => {
  it("path is a required string, file_path is not shown", () => {
    const schema = inputSchema(editTool) as { required: string[]; properties: Record<string, { type?: string }> };
    expect(schema.required).toEqual(["path", "operations"]);
    expect(schema.properties.path?.type).toBe("string");
    expect(Object.keys(schema.properties)).toEqual([
      "path",
      "operations",
      "expected_file_version",
      "safety_check",
      "dry_run",
    ]);
  });

  it("defaults: safety_check strict, dry_run false, offset 0, limit 200, hashes false", () => {
    const defaults = (tool: typeof editTool | typeof readTool) =>
      Object.fromEntries(
        Object.entries((inputSchema(tool) as { properties: Record<string, { default?: unknown }> }).properties)
          .filter(([, field]) => "default" in field)
          .map(([name, field]) => [name, field.default]),
      );
    expect(defaults(editTool)).toEqual({ safety_check: "strict", dry_run: false });
    expect(defaults(readTool)).toEqual({ offset: 0, limit: 200, hashes: false });
  });

  it("the root is a plain object and the operations are flat", () => {
    for (const tool of anchors.tools) {
      const schema = inputSchema(tool);
      expect(schema.type).toBe("object");
      expect(JSON.stringify(schema)).not.toMatch(/"(oneOf|anyOf|allOf)"/);
    }
  });
});
