import { type FilesOptions, files, inputSchema } from "stet/surfaces";
import { describe, expect, it } from "vitest";
import { type Agent, agentIn, agentOnDisk, agentWith } from "../support/agent.ts";
import { directoryWith, workspaceIn } from "../support/workspace.ts";

const LS = { command: "ls" };
const read = (file_path: string, more = {}) => ({ command: "read", file_path, ...more });
const write = (file_path: string, content: string) => ({ command: "write", file_path, content });
const edit = (file_path: string, old_string: string, new_string: string) => ({
  command: "edit",
  file_path,
  old_string,
  new_string,
});
const remove = (file_path: string) => ({ command: "delete", file_path });

/** The environment of the test process must not decide what a test finds. */
const surfaceOf = (options: FilesOptions) => files({ env: {}, ...options });
const names = async ({ done }: Agent) => (await done("files", LS)).data.result;

describe("seed 003, the older names of the keys", () => {
  const env = (name: string, value: string) => ({ env: { [`INSPECT_AGENTS_${name}`]: value } });

  it("TOOL_TIMEOUT: a call stops after so many seconds", async () => {
    const surface = surfaceOf(env("TOOL_TIMEOUT", "0.0000001"));
    expect((await agentWith(surface, {}).refused("files", write("p", "x"))).kind).toBe("timeout");
    expect(surface.tools[0].deadlineMs).toBeCloseTo(0.0001);
    expect(surfaceOf({}).tools[0].deadlineMs).toBe(15_000);
    for (const value of ["soon", "-1"]) expect(surfaceOf(env("TOOL_TIMEOUT", value)).tools[0].deadlineMs).toBe(15_000);
  });

  it("TYPED_RESULTS: results are objects", async () => {
    const typed = async (value: string) =>
      (await agentWith(surfaceOf(env("TYPED_RESULTS", value)), {}).done("files", LS)).data;
    for (const value of ["1", "TRUE", "yes", "on"]) expect(await typed(value)).toEqual({ files: [] });
    expect(await typed("0")).toEqual({ result: [] });
  });

  it("FS_MODE: the directory of a workspace; options win", async () => {
    const mode = env("FS_MODE", "sandbox");
    expect(await names(agentOnDisk(surfaceOf(mode), { a: "" }))).toEqual(["a"]);
    expect(await names(agentOnDisk(surfaceOf({ ...mode, mode: "store" }), { a: "" }))).toEqual([]);
    expect(await names(agentOnDisk(surfaceOf({}), { a: "" }))).toEqual([]);
  });

  it("FS_MAX_BYTES: the largest file that is written, and that an edit leaves", async () => {
    const { done, refused } = agentWith(surfaceOf(env("FS_MAX_BYTES", "1200")), {});
    expect((await refused("files", write("p", "x".repeat(1500)))).text).toBe(
      "File content exceeds maximum size limit: 1,500 bytes > 1,200 bytes. Consider breaking the content into smaller files or increase INSPECT_AGENTS_FS_MAX_BYTES.\nNothing was changed.",
    );
    await done("files", write("p", "x".repeat(1199)));
    expect((await refused("files", edit("p", "x", "yyy"))).text).toContain("1,201 bytes > 1,200 bytes");
    await done("files", edit("p", "x", "yy"));
  });

  it.each([write("a", "y"), edit("a", "x", "y"), remove("a")])(
    "FS_READ_ONLY: $command is refused in a sandbox, and reads go on",
    async (params) => {
      const surface = surfaceOf({ mode: "sandbox", ...env("FS_READ_ONLY", "true") });
      const { done, refused, content } = agentOnDisk(surface, { a: "x" });
      const failure = await refused("files", params);
      expect(failure).toMatchObject({ kind: "permission_denied", details: { code: "SandboxReadOnly" } });
      expect(failure.text).toMatch(/^SandboxReadOnly/);
      expect(await content("a")).toBe("x");
      await done("files", read("a"));
    },
  );

  it.each([
    ["STET_FS_MODE", "sandbx", "store or sandbox"],
    ["STET_FS_READ_ONLY", "maybe", "true or false"],
    ["INSPECT_AGENTS_FS_READ_ONLY", "ture", "true or false"],
    ["STET_TYPED_RESULTS", "zz", "true or false"],
    ["STET_TOOL_TIMEOUT", "abc", "a number greater than 0"],
    ["STET_FS_MAX_BYTES", "-1", "a number greater than 0"],
  ])("%s=%s is refused, and a blank one is none", (name, value, expected) => {
    expect(() => files({ env: { [name]: value } })).toThrow(`${name} is "${value}". `);
    expect(() => files({ env: { [name]: value } })).toThrow(expected);
    expect(() => files({ env: { [name]: " " } })).not.toThrow();
  });

  it("the environment of the process is the default", () => {
    const before = process.env.STET_TOOL_TIMEOUT;
    process.env.STET_TOOL_TIMEOUT = "2.5";
    try {
      expect(files().tools[0].deadlineMs).toBe(2500);
    } finally {
      if (before === undefined) delete process.env.STET_TOOL_TIMEOUT;
      else process.env.STET_TOOL_TIMEOUT = before;
    }
  });
});

describe("seed 003, the directory of a sandbox", () => {
  const sandbox = surfaceOf({ mode: "sandbox" });

  it("ls does not show what the policy denies", async () => {
    const given = { "b.txt": "", "secret/x": "" };
    expect(await names(agentOnDisk(sandbox, given, { policy: { deniedPaths: ["secret"] } }))).toEqual(["b.txt"]);
  });

  it("one that is not there is told, and the store stands in", async () => {
    const { done } = agentWith(surfaceOf({ mode: "sandbox", root: "/no/such/root" }), {});
    expect((await done("files", LS)).warnings).toEqual([expect.stringContaining("store in memory")]);
  });

  it("one that is not the workspace is refused, the workspace itself is not", async () => {
    const root = directoryWith({ a: "x" });
    const other = agentIn(workspaceIn(root), surfaceOf({ mode: "sandbox", root: directoryWith({}) }));
    expect((await other.refused("files", LS)).text).toContain("The configured filesystem root is");
    await agentIn(workspaceIn(root), surfaceOf({ mode: "sandbox", root })).done("files", read("a"));
  });

  it.each([
    [read("d"), "Nothing was read. d is a directory. Name a file."],
    [read("b"), "Nothing was read. The file is binary: it has NUL bytes near its beginning. Do not edit it as text."],
    [write(".", ""), "Nothing was changed. The root of the workspace is a directory. Name a file."],
  ])("what has no words of its own begins with what did not happen (%#)", async (params, expected) => {
    expect((await agentOnDisk(sandbox, { "d/x": "", b: "\0\0" }).refused("files", params)).text).toBe(expected);
  });
});

/** Name, parameters with the required ones first, how many of these, and a call after a file `p` was written. */
const OLDER = [
  ["read_file", ["file_path", "offset", "limit", "instance"], 1, { file_path: "p", offset: 1 }],
  ["write_file", ["file_path", "content", "instance"], 2, { file_path: "q", content: "x" }],
  [
    "edit_file",
    ["file_path", "old_string", "new_string", "replace_all", "expected_count", "dry_run", "instance"],
    3,
    { file_path: "p", old_string: "a", new_string: "A" },
  ],
  ["ls", ["instance"], 0, {}],
  ["delete_file", ["file_path", "instance"], 1, { file_path: "p" }],
] as const;

it.each(OLDER)("seed 003, %s has the parameters of its command", async (name, fields, required, input) => {
  const surface = surfaceOf({ legacy: true } as FilesOptions);
  const schema = inputSchema(surface.tools.find((each) => (each.name as string) === name)!);
  expect(Object.keys(schema.properties as object)).toEqual(fields);
  expect(schema.required ?? []).toEqual(fields.slice(0, required));
  const { done } = agentWith(surface, {});
  await done("files", write("p", "a\nb\n"));
  await done(name, input);
});
