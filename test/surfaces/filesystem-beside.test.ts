// The same calls to `filesystem` and to the server that it stands in for, where that is installed with the bench: what
// both do reads the same but for paths and times, and what one refuses the other does too.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { expect, it } from "vitest";
import { INFO } from "../serve/clients.ts";
import { closing } from "../serve/http-support.ts";
import { CLEAN_ENV, PROGRAM } from "../support/stdio.ts";
import { directoryWith } from "../support/workspace.ts";

const bench = fileURLToPath(new URL("../../bench/", import.meta.url));
const REFERENCE = ["", "mcp/"]
  .map((place) => join(bench, place, "node_modules/@modelcontextprotocol/server-filesystem/dist/index.js"))
  .find((path) => existsSync(path));
if (REFERENCE === undefined) console.warn("Skipped, because the reference server is not installed: npm ci in bench/");

const FILES = {
  "a.txt": "one\ntwo\nthree\nfour\n",
  "B.txt": "A\nB",
  "empty.txt": "",
  "f.py": "def f():\n    if x and y:\n        return 1\n    return 2\n",
  "large.dat": "A".repeat(5000),
  "sub/b.md": "# b\n",
  "sub/deep/c.txt": "c\n",
  "x.bin": Buffer.from([0, 1, 255]),
  "x.png": Buffer.from([0x89, 0x50, 0x4e, 0x47]),
  "x.mp3": Buffer.from([1, 2]),
};
const edit = (path: string, ...pairs: readonly (readonly [string, string])[]) => ({
  path,
  edits: pairs.map(([oldText, newText]) => ({ oldText, newText })),
});

type Args = Readonly<Record<string, unknown>>;

/** In this order; @ is the directory. */
const SAME: readonly (readonly [tool: string, args: Args])[] = [
  ["read_text_file", { path: "@/a.txt" }],
  ["read_file", { path: "@/a.txt" }],
  ["read_text_file", { path: "@/a.txt", head: 2 }],
  ["read_text_file", { path: "@/B.txt", tail: 1 }],
  ["read_text_file", { path: "@/empty.txt" }],
  ["read_media_file", { path: "@/x.png" }],
  ["read_media_file", { path: "@/x.mp3" }],
  ["read_media_file", { path: "@/x.bin" }],
  ["read_multiple_files", { paths: ["@/a.txt", "@/empty.txt", "@/B.txt"] }],
  ["list_directory", { path: "@" }],
  ["list_directory_with_sizes", { path: "@" }],
  ["list_directory_with_sizes", { path: "@/sub/deep", sortBy: "size" }],
  ["directory_tree", { path: "@" }],
  ["directory_tree", { path: "@", excludePatterns: ["deep", "*.txt"] }],
  ["search_files", { path: "@", pattern: "*.txt" }],
  ["search_files", { path: "@", pattern: "**/*.{md,txt}", excludePatterns: ["sub"] }],
  ["search_files", { path: "@", pattern: "**/*.txt", excludePatterns: ["deep"] }],
  ["search_files", { path: "@", pattern: "nothing" }],
  ["list_allowed_directories", {}],
  ["create_directory", { path: "@/n/m" }],
  ["create_directory", { path: "@/n/m" }],
  ["write_file", { path: "@/n/new.txt", content: "new\n" }],
  ["write_file", { path: "@/n/new.txt", content: "newer" }],
  ["move_file", { source: "@/n/new.txt", destination: "@/n/moved.txt" }],
  ["directory_tree", { path: "@/o" }],
  ["edit_file", { ...edit("@/a.txt", ["two", "2"]), dryRun: true }],
  ["edit_file", edit("@/a.txt", ["two", "2"], ["2\nthree", "2\n3"])],
  ["edit_file", edit("@/B.txt", ["B", "```\n"])],
  ["edit_file", edit("@/f.py", ["x and y", "y"])],
  ["read_multiple_files", { paths: ["@/a.txt", "@/B.txt", "@/f.py"] }],
];

const REFUSED: readonly (readonly [tool: string, args: Args])[] = [
  ["read_text_file", { path: "@/none.txt" }],
  ["read_text_file", { path: "@/sub" }],
  ["read_text_file", { path: "/etc/hosts" }],
  ["read_text_file", { path: "@/a.txt", head: 1, tail: 1 }],
  ["read_multiple_files", { paths: [] }],
  ["list_directory", { path: "@/a.txt" }],
  ["write_file", { path: "@/none/a.txt", content: "" }],
  ["write_file", { path: "@/sub", content: "" }],
  ["edit_file", edit("@/a.txt", ["absent", "x"])],
  ["edit_file", edit("@/none.txt", ["a", "b"])],
  ["move_file", { source: "@/a.txt", destination: "@/f.py" }],
  ["move_file", { source: "@/sub", destination: "@/o" }],
  ["move_file", { source: "@/none", destination: "@/p" }],
  ["create_directory", { path: "@/a.txt" }],
];

it.skipIf(REFERENCE === undefined)("answers as the reference server does", { timeout: 60_000 }, async () => {
  const [theirs, ours] = [directoryWith(FILES), directoryWith(FILES)];
  const reference = await started([REFERENCE!, theirs]);
  const stet = await started([PROGRAM, "mcp", "--surface", "filesystem", ours]);
  for (const [tool, args] of SAME)
    expect(await answer(stet, ours, tool, args), `${tool} ${JSON.stringify(args)}`).toEqual(
      await answer(reference, theirs, tool, args),
    );
  for (const [tool, args] of REFUSED)
    for (const [client, root] of [
      [stet, ours],
      [reference, theirs],
    ] as const)
      expect(await answer(client, root, tool, args), `${tool} ${JSON.stringify(args)}`).toMatchObject({
        isError: true,
      });
});

async function started(args: string[]): Promise<Client> {
  const client = new Client(INFO);
  const env = { ...process.env, ...CLEAN_ENV } as Record<string, string>;
  await client.connect(new StdioClientTransport({ command: process.execPath, args, env, stderr: "ignore" }));
  await client.listTools();
  return closing(client);
}

async function answer(client: Client, root: string, name: string, args: Args): Promise<unknown> {
  const given = JSON.parse(JSON.stringify(args).replaceAll('"@', `"${root}`)) as Record<string, unknown>;
  const said = JSON.stringify(await client.callTool({ name, arguments: given })).replaceAll(root, "@");
  return JSON.parse(said.replace(/(created|modified|accessed): .*?\\n/g, "$1: then\\n"));
}
