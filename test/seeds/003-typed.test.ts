import { describe, expect, it } from "vitest";
import { call } from "../../src/surfaces/call.ts";
import { files } from "../../src/surfaces/files/index.ts";
import { settingsOf } from "../../src/surfaces/files/settings.ts";
import { inputSchema, outputSchema } from "../../src/surfaces/schema.ts";
import { BACKENDS, memoryWorkspace } from "../support/workspace.ts";
import { desk, edit, LS, read, remove, write } from "./003-support.ts";

describe.each(BACKENDS)("seed 003, typed results, session on %s", (_name, make) => {
  it("every command has its object, and the same text for the model", async () => {
    const { run } = desk(make({}), { typed: true });
    const rows = [
      [write("p", "a\nb\nc\n"), { path: "p", summary: "Updated file p" }, "Updated file p"],
      [LS, { files: ["p"] }, "p"],
      [
        read("p"),
        { lines: ["     1\ta", "     2\tb", "     3\tc"], summary: "Read 3 lines from p (lines 1-3)" },
        "     1\ta\n     2\tb\n     3\tc",
      ],
      [
        read("p", { offset: 2, limit: 1 }),
        { lines: ["     3\tc"], summary: "Read 1 lines from p (lines 3-3)" },
        "     3\tc",
      ],
      [edit("p", "a", "A"), { path: "p", replaced: 1, summary: "Updated file p" }, "Updated file p"],
      [
        edit("p", "c", "C", { dry_run: true }),
        { path: "p", replaced: 1, summary: "(dry_run) Would update file p replacing 1 occurrence(s)" },
        "(dry_run) Would update file p replacing 1 occurrence(s)",
      ],
      [remove("p"), { path: "p", summary: "Deleted file p" }, "Deleted file p"],
      [
        remove("p"),
        { path: "p", summary: "File p did not exist (delete operation was idempotent)" },
        "File p did not exist (delete operation was idempotent)",
      ],
      [write("e", " \n"), { path: "e", summary: "Updated file e" }, "Updated file e"],
      [
        read("e"),
        { lines: [], summary: "System reminder: File exists but has empty contents" },
        "System reminder: File exists but has empty contents",
      ],
    ] as const;
    for (const [params, data, text] of rows) expect(await run(params)).toEqual({ ok: true, data, text });
  });

  it("edit counts what it replaced", async () => {
    const { run } = desk(make({}), { typed: true });
    await run(write("p", "x x x"));
    expect(await run(edit("p", "x", "y", { replace_all: true }))).toMatchObject({ data: { replaced: 3 } });
  });
});

describe("seed 003, configuration", () => {
  it.each([
    ["timeout is 15 s by default", {}, { timeoutMs: 15_000 }],
    ["timeout in seconds, fractions too", { STET_TOOL_TIMEOUT: "2.5" }, { timeoutMs: 2500 }],
    ["a bad timeout is the default", { INSPECT_AGENTS_TOOL_TIMEOUT: "soon" }, { timeoutMs: 15_000 }],
    ["a negative timeout is the default", { INSPECT_AGENTS_TOOL_TIMEOUT: "-1" }, { timeoutMs: 15_000 }],
    ["the older name of the timeout", { INSPECT_AGENTS_TOOL_TIMEOUT: "3" }, { timeoutMs: 3000 }],
    ["our name wins", { STET_TOOL_TIMEOUT: "4", INSPECT_AGENTS_TOOL_TIMEOUT: "3" }, { timeoutMs: 4000 }],
    ["typed results are off by default", {}, { typed: false }],
    ["typed results: 1", { STET_TYPED_RESULTS: "1" }, { typed: true }],
    ["typed results: true", { INSPECT_AGENTS_TYPED_RESULTS: "TRUE" }, { typed: true }],
    ["typed results: yes", { STET_TYPED_RESULTS: "yes" }, { typed: true }],
    ["typed results: on", { STET_TYPED_RESULTS: "on" }, { typed: true }],
    ["typed results: 0", { STET_TYPED_RESULTS: "0" }, { typed: false }],
    ["mode is store by default", {}, { mode: "store" }],
    ["mode sandbox", { STET_FS_MODE: "sandbox" }, { mode: "sandbox" }],
    ["the older name of the mode", { INSPECT_AGENTS_FS_MODE: "sandbox" }, { mode: "sandbox" }],
    ["root", { STET_FS_ROOT: "/repo" }, { root: "/repo" }],
    ["the older name of the root", { INSPECT_AGENTS_FS_ROOT: "/repo" }, { root: "/repo" }],
    ["no cap in store mode", {}, { maxBytes: undefined }],
    ["a cap in store mode when set", { INSPECT_AGENTS_FS_MAX_BYTES: "100" }, { maxBytes: 100 }],
    ["5 MB in sandbox mode", { STET_FS_MODE: "sandbox" }, { maxBytes: 5_000_000 }],
    ["read-only is off by default", {}, { readOnly: false }],
    ["read-only", { STET_FS_READ_ONLY: "1" }, { readOnly: true }],
    ["the older name of read-only", { INSPECT_AGENTS_FS_READ_ONLY: "true" }, { readOnly: true }],
  ])("%s", (_what, env, expected) => {
    const settings: Record<string, unknown> = { ...settingsOf({ env }) };
    for (const [key, value] of Object.entries(expected)) expect(settings[key]).toEqual(value);
  });

  it("options win over the environment", () => {
    expect(
      settingsOf({ typed: false, mode: "store", env: { STET_TYPED_RESULTS: "1", STET_FS_MODE: "sandbox" } }),
    ).toMatchObject({ typed: false, mode: "store" });
  });

  it("a misspelt mode is refused, never taken for the store", () => {
    expect(() => files({ env: { STET_FS_MODE: "sandbx" } })).toThrow(/STET_FS_MODE is "sandbx"/);
  });

  it.each([
    ["STET_FS_READ_ONLY", "maybe", "true or false"],
    ["INSPECT_AGENTS_FS_READ_ONLY", "ture", "true or false"],
    ["STET_TYPED_RESULTS", "zz", "true or false"],
    ["STET_TOOL_TIMEOUT", "abc", "a number greater than 0"],
    ["STET_TOOL_TIMEOUT", "0", "a number greater than 0"],
    ["STET_FS_MAX_BYTES", "5MB", "a number greater than 0"],
    ["STET_FS_MAX_BYTES", "-1", "a number greater than 0"],
  ])("%s=%s is refused", (name, value, expected) => {
    expect(() => files({ env: { [name]: value } })).toThrow(`${name} is "${value}". Set it to ${expected}.`);
    expect(() => files({ env: { [name]: " " } })).not.toThrow();
  });

  it("the environment of the process is the default", () => {
    const before = process.env.STET_TYPED_RESULTS;
    process.env.STET_TYPED_RESULTS = "1";
    try {
      expect(settingsOf({}).typed).toBe(true);
    } finally {
      if (before === undefined) delete process.env.STET_TYPED_RESULTS;
      else process.env.STET_TYPED_RESULTS = before;
    }
  });

  it("a call that takes longer than the timeout is stopped, and changes nothing", async () => {
    const { run, session } = desk(memoryWorkspace({}).backend, { env: { STET_TOOL_TIMEOUT: "0.0000001" } });
    for (const params of [write("p", "x"), read("p"), edit("p", "x", "y"), remove("p"), LS]) {
      expect(await run(params)).toMatchObject({ ok: false, error: { kind: "timeout" } });
    }
    expect(await call(session, files({ env: {} }), "files", { params: LS })).toMatchObject({ data: { result: [] } });
  });
});

describe("seed 003, parameters", () => {
  const { use } = desk(memoryWorkspace({}).backend);

  it.each([
    ["an unknown field that would mean something", { params: { command: "ls", at: 1 } }, /`at`/, "EXTRA_FIELD"],
    ["an unknown field of that kind beside", { command: "ls", at: 1 }, /`at`/, "EXTRA_FIELD"],
    [
      "a field of another command",
      { params: { command: "ls", file_path: "x" } },
      /`ls` takes no `file_path`/,
      "EXTRA_FIELD",
    ],
    ["a missing field", { params: { command: "read" } }, /`read` needs `file_path`/, "MISSING_REQUIRED"],
    [
      "several problems",
      { params: { command: "edit", file_path: "x", content: "y" } },
      /`edit` needs `old_string`; `edit` needs `new_string`; `edit` takes no `content`/,
      "MISSING_REQUIRED",
    ],
    ["an unknown command", { params: { command: "chmod" } }, /params\.command/, "UNKNOWN_SCHEMA_ERROR"],
    ["no command in params", { params: { file_path: "x" } }, /params\.command/, "MISSING_REQUIRED"],
    [
      "no command",
      { file_path: "x" },
      /`command` is required, one of ls, read, write, edit, delete/,
      "MISSING_REQUIRED",
    ],
    ["nothing", {}, /`command` is required/, "MISSING_REQUIRED"],
    ["a wrong type", { params: { command: "read", file_path: 7 } }, /params\.file_path/, "TYPE_MISMATCH"],
    [
      "fields in both places",
      { params: { command: "ls" }, file_path: "x" },
      /`file_path` stands outside of `params`/,
      "EXTRA_FIELD",
    ],
  ])("%s is refused", async (_what, input, expected, code) => {
    const result = await use(input);
    expect(result).toMatchObject({ ok: false, error: { kind: "invalid_input" } });
    expect(result.text).toMatch(/^Invalid parameters: /);
    expect(result.text).toMatch(expected);
    expect(result).toMatchObject({ error: { details: { code } } });
  });

  it.each([
    ["in params", { params: { command: "ls", colour: 1 } }, "`params` has no field `colour`"],
    ["beside the command", { command: "ls", colour: 1 }, "There is no parameter `colour`"],
  ])("an unknown field %s that means nothing is ignored, and told", async (_where, input, words) => {
    expect(await use(input)).toMatchObject({ ok: true, text: `Warning: ${words}; it was ignored.` });
  });

  it("the schema is a plain object with params, a union of one object per command", () => {
    const [tool] = files({ env: {} }).tools;
    const { properties, ...root } = inputSchema(tool) as { properties: { params: { anyOf: Shown[] } } };
    expect(root).toEqual({ type: "object", required: ["params"] });
    const { anyOf, ...rest } = properties.params;
    expect(rest).toEqual({ description: expect.any(String) });
    const optional = ({ properties, required }: Shown) =>
      Object.keys(properties).filter((name) => !required.includes(name));
    expect(anyOf.map((each) => [each.properties.command!.enum, each.required, optional(each)])).toEqual([
      [["ls"], ["command"], ["instance"]],
      [["read"], ["command", "file_path"], ["offset", "limit", "start_column", "instance"]],
      [["write"], ["command", "file_path", "content"], ["instance"]],
      [
        ["edit"],
        ["command", "file_path", "old_string", "new_string"],
        ["replace_all", "expected_count", "dry_run", "instance"],
      ],
      [["delete"], ["command", "file_path"], ["instance"]],
    ]);
    // Not every model API knows these.
    expect(JSON.stringify(anyOf)).not.toMatch(/"(oneOf|allOf|const|discriminator)"|"type":\[/);
  });

  it.each([true, false])("the output schema is an object (typed: %s)", (typed) => {
    const [tool] = files({ env: {}, typed }).tools;
    expect(outputSchema(tool)).toMatchObject({ type: "object" });
  });
});

interface Shown {
  readonly properties: Readonly<Record<string, { readonly enum?: readonly string[] }>>;
  readonly required: readonly string[];
}
