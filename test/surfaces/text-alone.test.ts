// A model has the text of a result and nothing else: after every tool the next call is made of what that text says.
import { anchorIndex } from "stet/edit";
import { surfaceNamed, surfaceNames } from "stet/surfaces";
import { describe, expect, it } from "vitest";
import { type Agent, agentWith } from "../support/agent.ts";
import { FILESYSTEM } from "./filesystem-walks.ts";
import { asked, numberIn, type Step, type Walk } from "./walks.ts";

const lines = (count: number): string =>
  Array.from({ length: count }, (_, n) => `const line${n + 1} = ${n};\n`).join("");
const FILES = { "a.ts": "const one = 1;\nconst two = 2;\n", "src/long.ts": lines(2500), "x.bin": Buffer.from([0, 1]) };
const FIRST_LINE = anchorIndex(FILES["a.ts"]).anchor(1);
const A = { path: "a.ts" };
const LONG = { path: "src/long.ts" };
const FILE_A = { file_path: "a.ts" };
const FILE_LONG = { file_path: "src/long.ts" };
const ONE = { old_string: "one", new_string: "eins" };
const TWO = { old_string: "two", new_string: "zwei" };
const READ_A: Step = ["Read", FILE_A];
const TRASHED: readonly Step[] = [["delete_file", A]];

/** Takes the place of a proof that only a read can give. */
const proof = { expectedSha256: "of a read" } as const;

const WALKS: Readonly<Record<string, Readonly<Record<string, readonly Walk[]>>>> = {
  workspace: {
    read_file: [
      { input: A, next: (text) => editFile("one", text), answer: /^Edited a\.ts/ },
      {
        input: { ...LONG, maxBytes: 500 },
        next: (text) => ["read_file", { ...LONG, maxBytes: 500, startLine: numberIn(text, /startLine=(\d+)/) }],
        answer: /^const line\d+ = \d+;$/m,
      },
      {
        input: { path: "x.bin", allowBinary: true },
        next: (text) => ["move_file", { fromPath: "x.bin", toPath: "y.bin", expectedSha256: shaIn(text) }],
        answer: /^Moved x\.bin/,
      },
    ],
    list_directory: [{ input: { path: "src" }, next: readListed, answer: /^Read src\/long\.ts/ }],
    glob: [
      { input: { pattern: "src/*.ts" }, next: readListed, answer: /^Read src\/long\.ts/ },
      {
        input: { pattern: "**/*.ts", maxResults: 1 },
        next: (text) => ["glob", { pattern: "**/*.ts", [asked(text, /raise (maxResults)/)]: 9 }],
        answer: /^2 matches/,
      },
    ],
    search_files: [
      {
        input: { query: "line1717 =", mode: "text" },
        next: (text) => [
          "read_file",
          { path: asked(text, /^(src\/\S+)$/m), startLine: numberIn(text, /^(\d+): /m), endLine: 1717 },
        ],
        answer: /^const line1717 = 1716;/m,
      },
      {
        input: { query: "const", mode: "text", maxResults: 1 },
        next: (text) => ["search_files", { query: "const", mode: "text", [asked(text, /raise (maxResults)/)]: 9999 }],
        answer: /^2502 matches/,
      },
    ],
    create_file: [
      {
        input: { path: "b.ts", content: "b\n" },
        next: (text) => ["write_file", { path: "b.ts", content: "c\n", expectedSha256: shaIn(text) }],
        answer: /^Wrote b\.ts/,
      },
    ],
    write_file: [changedByProof({ content: "const two = 3;\n" })],
    edit_file: [changedByProof({ edits: [{ oldText: "one", newText: "eins" }] })],
    move_file: [
      {
        before: [["create_file", { path: "b.ts", content: "b\n" }]],
        input: { fromPath: "a.ts", toPath: "b.ts", overwrite: true, ...proof },
        next: (text) => ["restore_file", { trashedPath: asked(text, /trash as (\S+)/), targetPath: "c.ts" }],
        answer: /^Restored c\.ts — 2 bytes/,
      },
    ],
    delete_file: [{ input: A, next: (text) => restoreOf(text, /trashedPath "([^"]+)"/), answer: /^Restored a\.ts/ }],
    list_trash: [{ before: TRASHED, input: {}, next: (text) => restoreOf(text, /^(\S+) /), answer: /^Restored a\.ts/ }],
    restore_file: [
      {
        before: TRASHED,
        input: { trashedPath: "a.ts" },
        next: (text) => editFile("one", text),
        answer: /^Edited a\.ts/,
      },
    ],
    apply_patch: [
      {
        input: { patch: "*** Begin Patch\n*** Update File: a.ts\n@@\n-const one = 1;\n+const one = 7;\n*** End Patch" },
        next: (text) => editFile("two", text),
        answer: /^Edited a\.ts/,
      },
      {
        input: { patch: "*** Begin Patch\n*** Delete File: a.ts\n*** End Patch" },
        next: (text) => restoreOf(text, /trash as (\S+)/),
        answer: /^Restored a\.ts/,
      },
    ],
    audit_log: [
      {
        before: [...TRASHED, ["restore_file", { trashedPath: "a.ts" }]],
        input: { maxResults: 1 },
        next: (text) => ["audit_log", { beforeSeq: numberIn(text, /beforeSeq=(\d+)/) }],
        answer: /: delete a\.ts \(without proof\)$/,
      },
      {
        before: TRASHED,
        input: {},
        next: (text) => restoreOf(text, /in the trash as (\d+)/),
        answer: /^Restored a\.ts/,
      },
      {
        before: TRASHED,
        input: {},
        next: (text) => ["audit_log", { sessionId: asked(text, /\(session (\S+)\)/) }],
        answer: /: delete a\.ts \(without proof; in the trash as 1\)$/,
      },
    ],
  },
  tracked: {
    Read: [
      { input: FILE_A, next: () => ["Edit", { ...FILE_A, ...ONE }], answer: /^replaced 1/ },
      {
        input: FILE_LONG,
        next: (text) => ["Read", { ...FILE_LONG, offset: numberIn(text, /offset (\d+)/) }],
        answer: /^2001\tconst line2001 = 2000;\n[\s\S]*2500\t/,
      },
    ],
    Write: [
      {
        input: { file_path: "b.ts", content: "one\n" },
        next: () => ["Edit", { file_path: "b.ts", ...ONE }],
        answer: /^replaced 1/,
      },
    ],
    Edit: [
      {
        before: [READ_A],
        input: { ...FILE_A, ...ONE },
        next: () => ["Edit", { ...FILE_A, ...TWO }],
        answer: /^replaced/,
      },
    ],
    Glob: [
      {
        input: { pattern: "long.ts" },
        next: (text) => ["Read", { file_path: text, limit: 1 }],
        answer: /^1\tconst line1/,
      },
      {
        input: { pattern: "*.ts", limit: 1 },
        next: (text) => ["Glob", { pattern: "*.ts", [asked(text, /raise (limit)/)]: 9 }],
        answer: /^\S+\n\S+$/,
      },
    ],
    Grep: [
      { input: { pattern: "line1717 " }, next: (text) => readHit(text, 0), answer: /^1717\tconst line1717/ },
      {
        input: { pattern: "line", head_limit: 1 },
        next: (text) => ["Grep", { pattern: "line", [asked(text, /raise (head_limit)/)]: 9999 }],
        answer: /:2500:const line2500/,
      },
    ],
  },
  compact: {
    Read: [
      {
        input: FILE_LONG,
        next: () => ["Edit", { ...FILE_LONG, old_string: "= 77;", new_string: "= 7;" }],
        answer: /^Edited/,
      },
      {
        input: FILE_LONG,
        next: (text) => ["Read", { ...FILE_LONG, offset: numberIn(text, /offset (\d+)/) }],
        answer: /^\s*2001\tconst line2001 = 2000;\n[\s\S]*2500\t/,
      },
    ],
    Write: [
      {
        input: { file_path: "b.ts", content: "one\n" },
        next: (text) => ["Read", { file_path: asked(text, /Created (\S+)/) }],
        answer: /one/,
      },
    ],
    Edit: [{ input: { ...FILE_A, ...ONE }, next: () => ["Edit", { ...FILE_A, ...TWO }], answer: /^Edited/ }],
    Glob: [
      {
        input: { pattern: "**/long.ts" },
        next: (text) => ["Read", { file_path: text, limit: 1 }],
        answer: /const line1 /,
      },
      {
        input: { pattern: "**/*.ts", max_results: 1 },
        next: (text) => ["Glob", { pattern: "**/*.ts", [asked(text, /raise (max_results)/)]: 9 }],
        answer: /^\S+\n\S+$/,
      },
    ],
    Grep: [
      { input: { pattern: "line1717 " }, next: (text) => readHit(text, -1), answer: /1717\tconst line1717/ },
      {
        input: { pattern: "line", max_results: 1700 },
        next: (text) => ["Grep", { pattern: "line", max_results: 1700, offset: numberIn(text, /offset (\d+)/) }],
        answer: /^src\/long\.ts:1701:const line1701 [\s\S]*:2500:/,
      },
    ],
  },
  files: {
    files: [
      ...(["read", "edit", "delete"] as const).map((command) => ({
        before: [["files", { command: "write", file_path: "f", content: "one\n" }] as Step],
        input: { command: "ls" },
        next: (text: string): Step => ["files", { command, file_path: text, ...(command === "edit" && ONE) }],
        answer: /one|^Updated file f|^Deleted file f/,
      })),
      {
        before: [["files", { command: "write", file_path: "f", content: lines(2500) }]],
        input: { command: "read", file_path: "f" },
        next: (text) => ["files", { command: "read", file_path: "f", offset: numberIn(text, /offset (\d+)/) }],
        answer: /^\s*2001\tconst line2001 [\s\S]* 2500\t/,
      },
    ],
  },
  anchors: {
    read_file: [
      {
        input: { ...A, hashes: true },
        next: (text) => editLine(text, "const one = 1;"),
        answer: /^1 operation applied/,
      },
      {
        input: { ...A, hashes: true },
        next: (text) => ["write_file", { ...A, content: "b\n", expected_file_version: versionIn(text) }],
        answer: /^Wrote a\.ts/,
      },
      {
        input: LONG,
        next: (text) => ["read_file", { ...LONG, offset: numberIn(text, /offset (\d+)/) }],
        answer: /^201\tconst line201 = 200;/,
      },
    ],
    edit: [
      {
        before: [["read_file", { ...A, hashes: true }]],
        input: { ...A, operations: [{ op: "insert_after", hash: FIRST_LINE, content: "const three = 3;" }] },
        next: (text) => editLine(text, "const three = 3;"),
        answer: /^1 operation applied/,
      },
    ],
    write_file: [
      {
        input: { path: "b.ts", content: "const four = 4;\n" },
        next: (text) => editLine(text, "const four = 4;", "b.ts"),
        answer: /^1 operation applied/,
      },
    ],
  },
  filesystem: FILESYSTEM,
};

describe.each(surfaceNames)("%s", (name) => {
  const surface = surfaceNamed(name);
  const walks = WALKS[name]!;

  it("has a walk for every tool", () => {
    expect(Object.keys(walks).sort()).toEqual(surface.tools.map((tool) => tool.name).sort());
  });

  const all = Object.entries(walks).flatMap(([tool, each]) => each.map((walk): [string, Walk] => [tool, walk]));
  it.each(all)("after %s", async (tool, { before = [], input, next, answer }) => {
    const agent: Agent = agentWith(surface, FILES);
    for (const step of before) await agent.done(...step);
    const said = await agent.text(tool, await proven(input, agent));
    expect(await agent.text(...next(said))).toMatch(answer);
  });
});

async function proven(input: Record<string, unknown>, agent: Agent) {
  if (input.expectedSha256 !== proof.expectedSha256) return input;
  return { ...input, expectedSha256: shaIn(await agent.text("read_file", { path: input.path ?? input.fromPath })) };
}

function changedByProof(change: Record<string, unknown>): Walk {
  return { input: { ...A, ...change, ...proof }, next: (text) => editFile("two", text), answer: /^Edited a\.ts/ };
}

function editFile(oldText: string, text: string): Step {
  return ["edit_file", { ...A, expectedSha256: shaIn(text), edits: [{ oldText, newText: "new" }] }];
}

function restoreOf(text: string, pattern: RegExp): Step {
  return ["restore_file", { trashedPath: asked(text, pattern) }];
}

function readListed(text: string): Step {
  return ["read_file", { path: asked(text, /^(src\/\w+\.ts)/m), endLine: 1 }];
}

/** From `path:line:text`; offsets begin at 1 or, one less, at 0. */
function readHit(text: string, shift: number): Step {
  return ["Read", { file_path: asked(text, /^(.+?):\d+:/), offset: numberIn(text, /^.+?:(\d+):/) + shift, limit: 1 }];
}

function editLine(text: string, line: string, path = "a.ts"): Step {
  const shown = text.split("\n").find((each) => each.endsWith(`|${line}`)) ?? "";
  const hash = asked(shown, /(\d+#\w+)/);
  return ["edit", { path, operations: [{ op: "replace_line", hash, content: "const replaced = 0;" }] }];
}

function versionIn(text: string): string {
  return asked(text, /(fv_\w+)/);
}

function shaIn(text: string): string {
  return asked(text, /sha256=([0-9a-f]{64})/);
}
