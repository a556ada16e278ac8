// What a caller does who takes the next action of a refusal at its word. Every advice that a refusal gives is here.
import { expect } from "vitest";
import type { Follow, Way } from "./refused.ts";
import { hash } from "./rows.ts";
import { ANCHORS, EDITS } from "./ways-edits.ts";
import { LINES } from "./world.ts";

const [A] = LINES as [string];

const listsRoot =
  (tool: string, input: object): Follow =>
  async (refused) =>
    expect((await refused.call(tool, input)).text).toContain("a.txt");

const listsDirectory =
  (tool: string, input: (path: string) => object): Follow =>
  async (refused) =>
    expect((await refused.call(tool, input(refused.path))).text).toContain("inside.txt");

/** Of what was refused for its path, the same at a path that is right; an edit needs another text there. */
const elsewhere: Follow = async (refused) => {
  const { input, isRead } = refused;
  if (Object.hasOwn(refused.asked, "content")) await refused.again({}, "fresh.txt");
  else if (isRead) await refused.again({}, "b.txt");
  else expect(input).toBeDefined();
};

const below: Follow = (refused) =>
  refused.isRead
    ? refused.again({}, `${refused.path}/inside.txt`)
    : Object.hasOwn(refused.asked, "content")
      ? refused.again({}, `${refused.path}/fresh.txt`)
      : Promise.resolve();

/** With the version that a read tells, in whatever way the call names versions. */
const withVersionRead: Follow = async (refused) => {
  const { sha256, file_version } = await refused.read();
  const { expectedSha256ByPath, expected_file_version, ...asked } = refused.asked;
  const old = asked.old_string as string | undefined;
  await refused.again({
    ...(refused.name === "workspace" && expectedSha256ByPath === undefined && { expectedSha256: sha256 }),
    ...(expectedSha256ByPath !== undefined && { expectedSha256ByPath: { [refused.path]: sha256 } }),
    ...(expected_file_version !== undefined && { expected_file_version: file_version }),
    // The line that was to be changed reads otherwise now.
    ...(old !== undefined && !(await refused.now()).includes(old) && { old_string: "gone" }),
  });
};

const creates =
  (tool: string): Follow =>
  (refused) =>
    refused.call(
      tool,
      tool === "Write" ? { file_path: refused.path, content: "x" } : { path: refused.path, content: "x" },
    );

const madeFirst: Follow = async (refused) => {
  await refused.call("create_directory", { path: refused.said(/no directory '([^']+)'/)[0] });
  if (refused.path.split("/").length === 2) await refused.again();
};

const PATHS: readonly Way[] = [
  [/make the directory with create_directory/, (refused) => madeFirst(refused)],
  [/^Choose another destination/, (refused) => refused.again({ destination: "other.txt" })],
  [/^Read it, or name a directory/, (refused) => refused.read()],
  [/^Read it with read_media_file/, (refused) => refused.call("read_media_file", { path: refused.path })],
  [/list_directory shows what is there/, listsRoot("list_directory", { path: "." })],
  [/Glob finds files|Find it with Glob/, listsRoot("Glob", { pattern: "**/*.txt" })],
  [
    /\bls lists what is there/,
    async (refused) => {
      const { text } = await refused.call("files", { params: { command: "ls" } });
      if (refused.given.surface === undefined) expect(text).toContain("a.txt");
    },
  ],
  [/list_trash/, (refused) => refused.call("list_trash", {})],
  [/create_file to make a new file/, creates("create_file")],
  [/create it with Write/, creates("Write")],
  [/write_file creates a file/, creates("write_file")],
  [/Set createParentDirectories to true/, (refused) => refused.again({ createParentDirectories: true })],
  [/leave out create_dirs/, (refused) => refused.again({ create_dirs: undefined })],
  [/Leave out expected_file_version/, (refused) => refused.again({ expected_file_version: undefined })],
  [
    /Use read_file, then edit_file or write_file/,
    async (refused) => {
      const { sha256 } = await refused.read();
      const { path } = refused;
      const { data } = await refused.call("edit_file", {
        path,
        edits: [{ oldText: A, newText: "x" }],
        expectedSha256: sha256,
      });
      const { afterSha256 } = data as { afterSha256: string };
      await refused.call("write_file", { path, content: "y", expectedSha256: afterSha256 });
    },
  ],
  [
    /Use read_file to see what it holds, then set overwrite to true/,
    async (refused) => {
      await refused.read(String(refused.input.toPath));
      await refused.again({ overwrite: true });
    },
  ],
  [/choose another toPath|give another destination/, (refused) => refused.again({ toPath: "other.txt" })],
  [
    /[Cc]hoose another path/,
    (refused) =>
      refused.given.tool === "apply_patch"
        ? refused.again({ patch: String(refused.input.patch).replace("a.txt", "other.txt") })
        : refused.again({}, "other.txt"),
  ],
  [
    /\*\*\* Update File/,
    async (refused) => {
      await refused.read("a.txt");
      await refused.patched("*** Update File: a.txt", "@@", `-${A}`, "+x");
    },
  ],
  [/Name another destination/, (refused) => refused.patched("*** Move File: a.txt -> other.txt")],
  [/Name a file in it/, below],
  [/Use list_directory to see what is in it, and name a file/, below],
  [/Use list_directory to see what is in it/, listsDirectory("list_directory", (path) => ({ path }))],
  [/Glob (?:lists those of a directory|with this `path`)/, listsDirectory("Glob", (path) => ({ pattern: "*", path }))],
  [/^Name a file\b(?! in it)/, below],
  [/Use read_file for a file/, (refused) => refused.call("read_file", { path: refused.path })],
  [
    /Use a path (?:inside|that does not lead up)|use a path that leads through directories|shorter (?:name|path)/,
    elsewhere,
  ],
  [
    /without the leading "\/"/,
    async (refused) => {
      const path = refused.path.slice(1);
      // What is edited must be read by that name, where the surface asks for it.
      if (path === "a.txt") await refused.read(path);
      const sha = refused.name === "workspace" &&
        refused.given.tool === "edit_file" && { expectedSha256: await refused.world.sha(path) };
      await refused.again({ ...sha }, path);
    },
  ],
  [/^Use (\S+), where the path leads/, (refused) => refused.again({}, refused.said(/Use (\S+), where/)[0])],
  [/^Check the path\.$/, "no call"],
  [/Use the path of the file itself/, "no call"],
  [/^Leave |Leave the files? |or ask the owner/, "no call"],
];

const CONTENT: readonly Way[] = [
  [/Re-read the file to obtain the current sha256/, withVersionRead],
  [/then pass its sha256 as expectedSha256/, withVersionRead],
  [
    /Read the file again and move it if that is still right/,
    async (refused) => {
      await refused.read();
      await refused.again();
    },
  ],
  [/[Rr]ead (?:the file|it) again and re-apply your (?:edit|change)|^Read it first\.$/, withVersionRead],
  [
    /^Pass "" for fresh.txt in expectedSha256ByPath/,
    (refused) => refused.again({ expectedSha256ByPath: { "fresh.txt": "" } }),
  ],
  [
    /^Read these lines first/,
    async (refused) => {
      const [first, last] = refused.said(/lines (\d+)-(\d+)/).map(Number);
      await refused.read(refused.path, [first!, last!]);
      await refused.again();
    },
  ],
  [
    /edit only what you have seen/,
    (refused) => {
      const path = refused.path;
      if (refused.name === "workspace")
        return refused.call("edit_file", {
          path,
          edits: [{ oldText: A, newText: "x" }],
          expectedSha256: refused.input.expectedSha256,
        });
      if (refused.name === "anchors")
        return refused.call("edit", { path, operations: [{ op: "delete_line", hash: hash(A) }] });
      if (refused.name === "filesystem")
        return refused.call("edit_file", { path, edits: [{ oldText: A, newText: "x" }] });
      const typed = { file_path: path, old_string: A, new_string: "x" };
      return refused.name === "files"
        ? refused.call("files", { params: { command: "edit", ...typed } })
        : refused.call("Edit", typed);
    },
  ],
  [
    /make your change to what is there now/,
    async (refused) => {
      const { sha256, file_version } = await refused.read();
      const content = (await refused.now()).replace(A, "mine");
      const version = refused.name === "anchors" ? { expected_file_version: file_version } : { expectedSha256: sha256 };
      await refused.again({ content, ...version });
    },
  ],
  [
    /^Read line 2, copy it exactly into the old text, and write the new text from that/,
    async (refused) => {
      const line = (await refused.now()).split("\n")[1]!;
      await refused.edited({
        from: `before();\n${line}\nafter();`,
        to: `before();\n${line.replace("hello", "good")}\n`,
      });
    },
  ],
  [/Set allowBinary to true/, (refused) => refused.again({ allowBinary: true })],
  [/Write replaces it as a whole|\bWrite replaces a whole file/, creates("Write")],
  [
    /\bwrite replaces a whole file/,
    (refused) => refused.call("files", { params: { command: "write", file_path: refused.path, content: "x" } }),
  ],
  [
    /use delete_file, then create_file/,
    async (refused) => {
      await refused.call("delete_file", { path: refused.path });
      await creates("create_file")(refused);
    },
  ],
  [
    /^(?:The file is empty: use|Use) (?:write_file|Write|write) to /,
    async (refused) => {
      const { path } = refused;
      if (refused.name === "files")
        await refused.call("files", { params: { command: "write", file_path: path, content: "x" } });
      else if (refused.name === "workspace")
        await refused.call("write_file", { path, content: "x", expectedSha256: refused.input.expectedSha256 });
      else await creates(refused.name === "filesystem" ? "write_file" : "Write")(refused);
    },
  ],
  [/Use only ASCII in the new text/, (refused) => refused.edited({ to: "e" })],
  [/name the file's encoding/, (refused) => refused.edited({}, { encoding: "windows-1252" })],
  [
    /Write less|breaking the content into smaller files|write less/,
    (refused) =>
      Object.hasOwn(refused.asked, "content") ? refused.again({ content: "x" }) : refused.edited({ to: "x" }),
  ],
  [/Read a range of lines/, (refused) => refused.read(refused.path, [1, 1])],
  [
    /search in it/,
    async (refused) => {
      const { text } = await refused.call("Grep", { pattern: "value3", path: refused.path, output_mode: "content" });
      expect(text).toContain("compute(21)");
    },
  ],
  [
    /several patches of at most 1000 files/,
    (refused) => refused.patched(...String(refused.input.patch).split("\n").slice(1, 2001)),
  ],
  [/Use one of them: the same `instance`/, "no call"],
  [/^Do not edit it as text\.$|^Read another file, or convert/, "no call"],
];

/** A call that is wrong in itself comes with the input put right. */
const putRight: Follow = (refused) => {
  const { right, tool } = refused.given;
  expect(right, "the input put right").toBeDefined();
  return refused.call(tool, right);
};

const CALLS: readonly Way[] = [
  [
    /with the (?:arguments|parameters) put right|^Correct (?:the operation|line \d+ of the patch)|^Leave one of them out|^Correct it; a backslash|^Use a name such as/,
    putRight,
  ],
  [/use mode "text"/, (refused) => refused.again({ mode: "text" })],
  [/^Correct the pattern/, (refused) => refused.again({ pattern: "\\(" })],
  [/^Correct the query/, (refused) => refused.again({ query: "\\(" })],
  [/Use a simpler pattern/, (refused) => refused.again({ pattern: "{a,b}*" })],
  [/^Wait a moment|^Try again|^Call again|^Resolve the path again|^Free some space|^Look at the disk/, "no call"],
  [
    /^Tell the owner|^Have the owner|^Read the file before you change it again|^It cannot be brought back|^Go on without/,
    "no call",
  ],
];

const WAYS: readonly Way[] = [...PATHS, ...CONTENT, ...EDITS, ...ANCHORS, ...CALLS];

/** Undefined: words that nothing here follows. */
export function waysOf(next: string): readonly Follow[] | undefined {
  const ways = WAYS.filter(([words]) => words.test(next)).map(([, follow]) => follow);
  return ways.length === 0 ? undefined : ways.filter((follow) => follow !== "no call");
}
