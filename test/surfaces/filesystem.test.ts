// The surface `filesystem` as its users have it: the built program, spoken to by the official clients.
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { Client as ClientV2 } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as StdioClientTransportV1 } from "@modelcontextprotocol/sdk/client/stdio.js";
import { filesystem } from "stet/surfaces";
import { describe, expect, it } from "vitest";
import { INFO } from "../serve/clients.ts";
import { closing } from "../serve/http-support.ts";
import { agentWith } from "../support/agent.ts";
import { CLEAN_ENV, PROGRAM } from "../support/stdio.ts";
import { directoryWith } from "../support/workspace.ts";

const FILES = { "a.txt": "one\ntwo\nthree\n", "sub/b.md": "# b\n", "x.png": Buffer.from([0x89, 0x50, 0x4e, 0x47]) };

interface Answer {
  readonly isError?: boolean;
  readonly content: readonly { readonly type: string; readonly text?: string }[];
  readonly structuredContent?: { readonly content?: unknown };
}

function command(roots: readonly string[], more: readonly string[] = []) {
  const args = [PROGRAM, "mcp", "--surface", "filesystem", ...more, ...roots];
  return { command: process.execPath, args, env: { ...process.env, ...CLEAN_ENV } as Record<string, string> };
}

/** A client that has the schemas, and so holds every result against its own. */
async function started(roots: readonly string[], more: readonly string[] = [], client = new ClientV1(INFO)) {
  await client.connect(new StdioClientTransportV1(command(roots, more)));
  return talking(closing(client));
}

async function talking(client: Pick<ClientV1, "listTools"> & { callTool(call: never): Promise<unknown> }) {
  const { tools } = await client.listTools();
  const ask = async (name: string, args: object): Promise<Answer> =>
    (await client.callTool({ name, arguments: args } as never)) as Answer;
  const told = async (name: string, args: object): Promise<string> => {
    const answer = await ask(name, args);
    expect(answer.isError, answer.content[0]?.text).toBeUndefined();
    return answer.content[0]!.text!;
  };
  const refused = async (name: string, args: object): Promise<string> => {
    const { isError, content, structuredContent } = await ask(name, args);
    expect([isError, structuredContent], content[0]?.text).toEqual([true, undefined]);
    return content[0]!.text!;
  };
  return { tools, ask, told, refused };
}

function stet(root: string, ...args: readonly string[]): string {
  const options = { cwd: root, env: { ...process.env, ...CLEAN_ENV }, encoding: "utf8", stdio: "pipe" } as const;
  return execFileSync(process.execPath, [PROGRAM, ...args], options);
}

const CALLS: readonly (readonly [tool: string, args: Readonly<Record<string, unknown>>])[] = [
  ["read_file", { path: "a.txt" }],
  ["read_text_file", { path: "a.txt", head: 1 }],
  ["read_multiple_files", { paths: ["a.txt", "no.txt"] }],
  ["list_directory", { path: "." }],
  ["list_directory_with_sizes", { path: ".", sortBy: "size" }],
  ["directory_tree", { path: ".", excludePatterns: ["sub"] }],
  ["search_files", { path: ".", pattern: "**/*.md" }],
  ["get_file_info", { path: "a.txt" }],
  ["list_allowed_directories", {}],
  ["create_directory", { path: "new" }],
  ["write_file", { path: "new/c.txt", content: "c\n" }],
  ["edit_file", { path: "new/c.txt", edits: [{ oldText: "c", newText: "d" }], dryRun: true }],
  ["move_file", { source: "new/c.txt", destination: "new/d.txt" }],
];

describe.each(["v1", "v2"])("structured content, official client %s", (version) => {
  const start = async (root: string) => {
    if (version === "v1") return started([root]);
    const client = new ClientV2(INFO);
    await client.connect(new StdioClientTransport(command([root])));
    return talking(closing(client) as never);
  };

  it("every tool declares `content`, and answers it as the string that its text is", async () => {
    const { tools, ask } = await start(directoryWith(FILES));
    expect(tools.map(({ name }) => name).sort()).toEqual([...CALLS.map(([name]) => name), "read_media_file"].sort());
    for (const { name, outputSchema } of tools) expect([name, outputSchema?.required]).toEqual([name, ["content"]]);
    for (const [tool, args] of CALLS) {
      const { content, structuredContent } = await ask(tool, args);
      expect(content, tool).toEqual([{ type: "text", text: expect.any(String) }]);
      expect(structuredContent, tool).toEqual({ content: content[0]!.text });
    }
  });

  it("media are blocks in both", async () => {
    const { ask } = await start(directoryWith({ ...FILES, "x.bin": Buffer.from([0]), "s.mp3": Buffer.from([1]) }));
    const kinds = ["x.png", "s.mp3", "x.bin"].map(async (path) => {
      const { content, structuredContent } = await ask("read_media_file", { path });
      expect(structuredContent).toEqual({ content });
      return content[0]!.type;
    });
    expect(await Promise.all(kinds)).toEqual(["image", "audio", "resource"]);
  });
});

it("an empty file is an empty text, and warnings never stand in what a program takes for a file", async () => {
  const root = directoryWith({ "empty.txt": "", "latin.txt": Buffer.from([0x63, 0xe9, 0x0a]) });
  const { ask } = await started([root]);
  expect(await ask("read_text_file", { path: "empty.txt" })).toMatchObject({ structuredContent: { content: "" } });
  const latin = await ask("read_text_file", { path: "latin.txt" });
  expect(latin.content[0]!.text).toContain("Warning: ");
  expect(latin.structuredContent).toEqual({ content: "c\\xE9\n" });
});

describe("what another changed", () => {
  it("since this session read it is refused, with who and what; after another read it is changed", async () => {
    const root = directoryWith(FILES);
    const [mine, theirs] = [
      await started([root]),
      await started([root], [], new ClientV1({ name: "them", version: "1" })),
    ];
    await mine.told("read_text_file", { path: "a.txt" });
    await theirs.told("write_file", { path: "a.txt", content: "one\nTWO\nthree\n" });
    const edit = { path: "a.txt", edits: [{ oldText: "three", newText: "3" }] };
    for (const [tool, args] of [
      ["edit_file", edit],
      ["write_file", { path: "a.txt", content: "" }],
      ["move_file", { source: "a.txt", destination: "b.txt" }],
    ] as const) {
      const text = await mine.refused(tool, args);
      expect(text).toMatch(/changed by them .*with write_file/);
      expect(text).toContain("-two\n+TWO\n");
    }
    expect(readFileSync(join(root, "a.txt"), "utf8")).toBe("one\nTWO\nthree\n");
    await mine.told("read_text_file", { path: "a.txt" });
    await mine.told("edit_file", edit);
    expect(readFileSync(join(root, "a.txt"), "utf8")).toBe("one\nTWO\n3\n");
  });

  it("another program counts too", async () => {
    const root = directoryWith(FILES);
    const { told, refused } = await started([root]);
    await told("read_multiple_files", { paths: ["a.txt"] });
    writeFileSync(join(root, "a.txt"), "one\n2\nthree\n");
    expect(await refused("write_file", { path: "a.txt", content: "mine\n" })).toContain("-two\n+2\n");
  });

  it("what was never read is changed as it is, kept, and taken back by stet undo", async () => {
    const root = directoryWith(FILES);
    const { told } = await started([root]);
    await told("write_file", { path: "a.txt", content: "gone\n" });
    await told("move_file", { source: "a.txt", destination: "b.txt" });
    expect(stet(root, "log")).toMatch(/move_file[\s\S]*write_file|write_file[\s\S]*move_file/);
    stet(root, "undo", "--agent", INFO.name, "--yes");
    expect(readFileSync(join(root, "a.txt"), "utf8")).toBe("one\ntwo\nthree\n");
    expect(existsSync(join(root, "b.txt"))).toBe(false);
  });
});

describe("edit_file", () => {
  const PYTHON = "def f():\n    if x and y:\n        return 1\n    return 2\n";

  it("makes each edit on what the one before it left, or none", async () => {
    const root = directoryWith(FILES);
    const { told, refused } = await started([root]);
    const [first, next] = [
      { oldText: "two", newText: "2" },
      { oldText: "2\nthree", newText: "2\n3" },
    ];
    const missed = await refused("edit_file", { path: "a.txt", edits: [first, next, { oldText: "4", newText: "" }] });
    expect(missed).toContain("Edit 3: ");
    expect(readFileSync(join(root, "a.txt"), "utf8")).toBe("one\ntwo\nthree\n");
    const dry = await told("edit_file", { path: "a.txt", edits: [first, next], dryRun: true });
    expect(readFileSync(join(root, "a.txt"), "utf8")).toBe("one\ntwo\nthree\n");
    expect(await told("edit_file", { path: "a.txt", edits: [first, next] })).toBe(dry);
    expect(dry).toMatch(/^```diff\nIndex: [\s\S]*\n-two\n-three\n\+2\n\+3\n```\n\n$/);
    expect(readFileSync(join(root, "a.txt"), "utf8")).toBe("one\n2\n3\n");
  });

  it("refuses what is there twice and names the lines; an empty text is nowhere", async () => {
    const root = directoryWith({ "a.txt": "a = 1\nb\na = 1\n" });
    const { refused } = await started([root]);
    const edit = (oldText: string) => refused("edit_file", { path: "a.txt", edits: [{ oldText, newText: "x" }] });
    expect(await edit("a = 1")).toContain("lines 1 and 3");
    expect(await edit("")).toContain("is empty");
    expect(readFileSync(join(root, "a.txt"), "utf8")).toBe("a = 1\nb\na = 1\n");
  });

  it("overlooks indentation where one place and one shift are meant, indents like the file, and says so", async () => {
    const root = directoryWith({ "f.py": PYTHON });
    const { told, refused } = await started([root]);
    const edit = (oldText: string, newText: string) => ({ path: "f.py", edits: [{ oldText, newText }] });
    const slips = edit("  if x and y:  \n return 1", "  if x or y:\n return 3");
    expect(await refused("edit_file", slips)).toContain("no single shift explains that");
    const shifted = edit("if x and y:  \n    return 1", "if x or y:\n    return 3");
    expect(await told("edit_file", shifted)).toMatch(/\nWarning: .*not there to the letter/);
    expect(readFileSync(join(root, "f.py"), "utf8")).toBe(PYTHON.replace("and", "or").replace("1", "3"));
  });

  it("keeps line ends and bytes that are no text", async () => {
    const before = Buffer.from("one\r\ntwo \xe9\r\n", "latin1");
    const root = directoryWith({ "w.txt": before });
    const { told } = await started([root]);
    await told("edit_file", { path: "w.txt", edits: [{ oldText: "one\ntwo", newText: "1\n2" }] });
    expect(readFileSync(join(root, "w.txt"), "latin1")).toBe("1\r\n2 \xe9\r\n");
  });
});

describe("directories", () => {
  it("are made and listed; what is in them is moved one by one", async () => {
    const root = directoryWith(FILES);
    const { told, refused } = await started([root]);
    await told("create_directory", { path: join(root, "one/two") });
    await told("create_directory", { path: "one/two" });
    await told("write_file", { path: "one/a.txt", content: "a\n" });
    expect(await told("list_directory", { path: "one" })).toBe("[FILE] a.txt\n[DIR] two");
    expect(await refused("move_file", { source: "one", destination: "other" })).toContain("one by one");
    expect(existsSync(join(root, "other"))).toBe(false);
    await told("move_file", { source: "one/a.txt", destination: "one/two/a.txt" });
    expect(readFileSync(join(root, "one/two/a.txt"), "utf8")).toBe("a\n");
  });

  it("none is made where a file is, nor outside, nor where the policy denies it", async () => {
    const { refused } = await started([directoryWith(FILES)]);
    expect(await refused("create_directory", { path: "a.txt" })).toContain("already exists");
    expect(await refused("create_directory", { path: "../x" })).toContain("outside");
    expect(await refused("create_directory", { path: ".git/hooks/x" })).toContain("No directory was made.");
    expect(await refused("write_file", { path: "none/x", content: "" })).toContain("create_directory");
  });

  it("without a place for them: nothing is claimed, and the first file brings them", async () => {
    const agent = agentWith(filesystem, FILES);
    expect(await agent.text("create_directory", { path: "new" })).toBe(
      "new comes with the first file that is written in it: only files are kept here.",
    );
    await agent.done("write_file", { path: "new/a.txt", content: "" });
    expect(await agent.text("list_directory", { path: "new" })).toBe("[FILE] a.txt");
  });
});

describe("what the owner decides", () => {
  it("secrets are neither read nor listed", async () => {
    const root = directoryWith({ ...FILES, ".env": "KEY=1\n" });
    const { told, refused } = await started([root]);
    for (const tool of ["read_text_file", "read_media_file", "get_file_info"])
      expect(await refused(tool, { path: ".env" })).not.toContain("KEY");
    expect(await told("read_multiple_files", { paths: [".env"] })).toMatch(/^\.env: Error - /);
    expect(await told("search_files", { path: ".", pattern: "**" })).not.toContain(".env");
    expect(await told("directory_tree", { path: "." })).not.toContain(".env");
  });

  it("read-only: no tool that changes anything", async () => {
    const { tools } = await started([directoryWith(FILES)], ["--read-only"]);
    expect(tools.filter(({ annotations }) => annotations?.readOnlyHint !== true)).toEqual([]);
    expect(tools).toHaveLength(10);
  });

  it("several directories: absolute paths choose, and all are told", async () => {
    const [one, two] = [directoryWith({ "a.txt": "1\n" }), directoryWith({ "a.txt": "2\n" })];
    const { told } = await started([one, two]);
    expect(
      (await told("list_allowed_directories", {}))
        .split("\n")
        .slice(1)
        .map((each) => basename(each)),
    ).toEqual([basename(one), basename(two)]);
    expect(await told("read_text_file", { path: join(two, "a.txt") })).toBe("2\n");
    expect(await told("write_file", { path: join(one, "b.txt"), content: "" })).toContain("Successfully wrote");
    expect(readdirSync(one).filter((name) => name.endsWith(".txt"))).toEqual(["a.txt", "b.txt"]);
  });
});
