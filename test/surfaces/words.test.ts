// What a refusal and a warning say: true of what they name, of one as of many, and of the tools that there are.

import { createHash } from "node:crypto";
import type { PolicyInput, WorkspaceOptions } from "stet";
import { anchors, compact, compactSurface, files, type Surface, surfaceNamed, tracked, workspace } from "stet/surfaces";
import { describe, expect, it } from "vitest";
import { type Agent, agentWith } from "../support/agent.ts";

const FILE = ["first();", "const total = a + b;", "middle();", "const other = c - d;", "last();", ""].join("\n");

/** What compact answers when the file was read. */
async function said(name: string, input: object, content = FILE): Promise<string> {
  const agent = agentWith(compact, { "a.ts": content });
  await agent.done("Read", { file_path: "a.ts" });
  return (await agent.call(name, { file_path: "a.ts", ...input })).text;
}

describe("an Edit that finds nothing", () => {
  const edit = { old_string: "const total = x + y;", new_string: "const sum = x;" };

  it("says that nothing is similar only where it has looked", async () => {
    expect(await said("Edit", edit)).toContain("Closest lines in the file:\n  line 2 (~");
    const unlooked = await said("Edit", { ...edit, max_suggestions: 0 });
    expect(unlooked).toMatch(/old_string not found in file\.\nRead the file again and copy the EXACT text/);
    const unlike = await said("Edit", { ...edit, old_string: "@@@@@@@@" });
    expect(unlike).toContain("nothing in it is similar");
  });

  it("tells where the new text stands already", async () => {
    const text = await said("Edit", {
      old_string: "something that was never here",
      new_string: "const other = c - d;",
    });
    expect(text).toContain("Text equal to new_string is at line 4.\nIf line 4 is this change, nothing is left to do.");
    const quiet = await said("Edit", {
      old_string: "never here",
      new_string: "const other = c - d;",
      max_suggestions: 0,
    });
    expect(quiet).toContain("not found in file.\nText equal to new_string is at line 4.");
  });
});

describe("an Edit that finds several places", () => {
  it("names a line once, and a way that works", async () => {
    const text = await said("Edit", { old_string: "ab", new_string: "c" }, "ab ab\n");
    expect(text).toContain("(appears 2 times at line [1])");
    expect(text).toContain("Fix: add text before or after it that only the right place has, or set replace_all");
    expect(await said("Edit", { old_string: "ab", new_string: "c", replace_all: true }, "ab ab\n")).toContain("+c c");
    expect(await said("Edit", { old_string: "x", new_string: "y" }, "x\nx\n")).toContain("2 times at lines [1, 2]");
  });
});

describe("amounts", () => {
  it.each([
    ["Read", { offset: 5 }, "one\n", "a.ts has 1 line."],
    ["Read", { limit: 1 }, "one\ntwo\n", "(line 1 of 2; continue with offset 1)"],
    [
      "Read",
      { limit: 1, pattern: "o" },
      "one\ntwo\n",
      "(the first 1 of at least 2 matching lines; continue with offset 1)",
    ],
    ["Write", { content: "x" }, "", "(1 line, 1 byte)"],
    ["Write", { content: "x\ny\n" }, "", "(2 lines, 4 bytes)"],
    ["Edit", { old_string: "", new_string: "x", insert_at_line: 9 }, "one\n", "Line 9 out of range (file has 1 line)."],
    ["Edit", { old_string: "", new_string: "x", insert_at_line: 9 }, "", "(file has 0 lines). The file is empty: give"],
    [
      "Edit",
      { old_string: "one   two", new_string: "x" },
      "one two\n",
      "it was found at line 1 by whitespace_collapse",
    ],
  ])("%s %j of %j", async (name, input, content, words) => {
    expect(await said(name, input, content)).toContain(words);
  });
});

const FILES = { "a.txt": "one\n", "dir/b.txt": "two\n", "binary.bin": new Uint8Array([1, 0, 2]) };

async function nextOf(surface: Surface, tool: string, input: object, policy: PolicyInput = {}): Promise<unknown> {
  return (await agentWith(surface, FILES, { policy }).refused(tool, input)).suggestedAction;
}

const create = { path: "a.txt", content: "" };
const edit = { path: "b.txt", edits: [{ oldText: "a", newText: "b" }], expectedSha256: "0".repeat(64) };

it.each<readonly [tool: string, input: object, actions: PolicyInput["allowedActions"], next: string]>([
  ["create_file", create, ["read", "create", "edit", "write"], "Use read_file, then edit_file or write_file."],
  ["create_file", create, ["read", "create", "edit"], "Use read_file, then edit_file."],
  ["create_file", create, ["read", "create"], "Choose another path."],
  ["edit_file", edit, ["read", "edit", "create"], "Check the path, or use create_file to make a new file."],
  ["edit_file", edit, ["read", "edit"], "Check the path."],
  ["read_file", { path: "b.txt" }, ["read", "list"], "Check the path; list_directory shows what is there."],
  ["read_file", { path: "b.txt" }, ["read"], "Check the path."],
  ["read_file", { path: "dir" }, ["read"], "Name a file."],
])("workspace: %s %j with %j", async (tool, input, allowedActions, next) => {
  expect(await nextOf(workspace, tool, input, { allowedActions: allowedActions! })).toBe(next);
});

it("compact: the tool that is an English word", async () => {
  const binary = { file_path: "binary.bin", old_string: "a", new_string: "b" };
  const nextUnder = (policy: PolicyInput) => nextOf(compact, "Edit", binary, policy);
  expect(await nextUnder({})).toBe("Do not edit it as text; Write replaces it as a whole.");
  expect(await nextUnder({ allowedActions: ["read", "edit"] })).toBe("Do not edit it as text.");
});

const shaOf = (text: string) => createHash("sha256").update(text).digest("hex");
const OLD = "alpha\nbeta\ngamma\n";
const NEWER = `${OLD}delta\n`;

const agentWithOld = (options?: WorkspaceOptions): Agent => agentWith(workspace, { a: OLD, tiny: "abc\n" }, options);

const WRITERS: readonly (readonly [string, (agent: Agent, content: string) => ReturnType<Agent["call"]>])[] = [
  ["compact", (agent, content) => agent.as(compact).call("Write", { file_path: "a", content })],
  ["tracked", (agent, content) => agent.as(tracked).call("Write", { file_path: "a", content })],
  ["anchors", (agent, content) => agent.as(anchors).call("write_file", { path: "a", content })],
];

it.each(WRITERS)(
  "%s: the text that is there already overwrites nothing, whatever was read before",
  async (_name, write) => {
    const stale = agentWithOld();
    await stale.session.read("a");
    await stale.theyWrite("a", NEWER);
    expect(await write(stale, NEWER)).toMatchObject({ ok: true, data: { warnings: [] } });
    const partly = agentWithOld();
    await partly.session.read("a", { from: 1, to: 1 });
    expect(await write(partly, OLD)).toMatchObject({ ok: true, data: { warnings: [] } });
    expect(await write(partly, NEWER)).toMatchObject({ ok: true, data: { warnings: [] } });
  },
);

it.each(WRITERS)("%s: a newer version that was overwritten is called newer, not never shown", async (_name, write) => {
  const agent = agentWithOld();
  await agent.session.read("a");
  await agent.theyWrite("a", NEWER);
  const { text } = await write(agent, "omega\n");
  expect(text.match(/Warning: .*/g)).toEqual([expect.stringMatching(/^Warning: a had changed since it was read/)]);
});

it("anchors: a file that was not read and stays as it is keeps its anchors", async () => {
  const agent = agentWithOld().as(anchors);
  const same = await agent.call("write_file", { path: "a", content: OLD });
  expect(same).toMatchObject({ ok: true, data: { anchors_invalidated: false, warnings: [] } });
  expect(same.text).toMatch(/^No change in a: 3 lines, 17 bytes\.\nFile version: fv_/);
  expect(same.text).not.toContain("invalid");
  const other = await agent.call("write_file", { path: "a", content: NEWER });
  expect(other.text).toContain("\nAnchors read before are invalid.");
});

it("workspace: a rebased text that adds nothing is not called applied", async () => {
  for (const content of [NEWER, OLD]) {
    const agent = agentWithOld();
    await agent.session.read("a");
    await agent.theyWrite("a", NEWER);
    const stale = { path: "a", content, expectedSha256: shaOf(OLD), onStale: "rebase" };
    const { text } = await agent.call("write_file", stale);
    expect(text).toBe(
      `No change: your content changes nothing in a, sha256=${shaOf(NEWER)}\n` +
        "Warning: a had changed since the version you named; your edit changes nothing in the newer version.",
    );
  }
});

it("strict: a sha256 of a version that the session has not read is told from lines that were never shown", async () => {
  const agent = agentWithOld({ strict: true });
  await agent.session.read("a");
  await agent.theyWrite("a", NEWER);
  const write = { path: "a", content: "omega\n", expectedSha256: shaOf(NEWER) };
  const refused = await agent.call("write_file", write);
  expect(refused.text).toMatch(/a has changed since this session read it.* Read it again first/);
});

it("compact: a strict workspace does not call a small file large", async () => {
  const edit = { file_path: "tiny", old_string: "abc", new_string: "abd" };
  const refused = await agentWithOld({ strict: true }).as(compact).call("Edit", edit);
  expect(refused.text).toBe("Edit rejected, file unchanged. tiny has not been read in this session. Read it first.");
});

it("only text that was not found is laid to a file that has changed since: every other no keeps its own advice", async () => {
  const agent = agentWithOld();
  await agent.session.read("a");
  await agent.theyWrite("a", NEWER);
  const edit = (old_string: string, new_string: string) => ({ file_path: "a", old_string, new_string });
  const same = await agent.as(compact).call("Edit", edit("alpha", "alpha"));
  expect(same).toMatchObject({ ok: false });
  expect(same.text).not.toContain("has changed since");
  expect(same.text).toContain("Give the new text with the change in it.");
  expect((await agent.as(compact).call("Edit", edit("omega", "x"))).text).toContain("has changed since");
});

describe("the gate", () => {
  it("delete and restore do not count as having read", async () => {
    const agent = agentWith(workspace, { a: "1\n" });
    await agent.call("delete_file", { path: "a" });
    await agent.call("restore_file", { trashedPath: "a" });
    const { text } = await agent.as(tracked).refused("Write", { file_path: "a", content: "2\n" });
    expect(text).toBe("refusing to overwrite a: Read it first");
  });

  it("a Read that failed does not count", async () => {
    const agent = agentWith(compact, { "a.pdf": `%PDF-1.7\n${"broken\n".repeat(200)}` });
    expect((await agent.call("Read", { file_path: "a.pdf" })).ok).toBe(false);
    const { kind } = await agent.refused("Edit", { file_path: "a.pdf", old_string: "%PDF-1.7", new_string: "x" });
    expect(kind).toBe("unread_file");
  });
});

describe("files in a configured root", () => {
  it("read-only holds also where it falls back to the store", async () => {
    const agent = agentWith(files({ mode: "sandbox", readOnly: true }), {});
    expect((await agent.call("files", { params: { command: "write", file_path: "a", content: "x" } })).ok).toBe(false);
  });
});

describe("input and results", () => {
  it("an edit with a field that does not exist, and could mean something, is refused", async () => {
    const agent = agentWith(workspace, { a: "x x\n" });
    const edits = [{ oldText: "x", newText: "y", regex: true }];
    const { kind, text } = await agent.refused("edit_file", { path: "a", expectedSha256: await agent.sha("a"), edits });
    expect(kind).toBe("command_failed");
    expect(text).toContain("has no field `regex`, and without it");
  });

  it("whatever a linter says, the result keeps its shape", async () => {
    for (const said of [{}, [{ line: 1, message: "m" }], [{ line: 1, message: "m", severity: "info" }], [7]]) {
      const linter = async () => said as never;
      const surface = compactSurface({ linter });
      const data = await agentWith(surface, {}).data("Write", { file_path: "a", content: "x\n" });
      expect(surface.tools[1].output.safeParse(data).success).toBe(true);
    }
  });

  it("names of the prototype are no surfaces", () => {
    for (const name of ["toString", "constructor", "__proto__"])
      expect(() => surfaceNamed(name)).toThrow(/There is no surface/);
  });
});
