// For each surface what a model does and must be told: it reads, somebody else changes the file, it edits, it is refused.
import { appendFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { directoryWith } from "../support/workspace.ts";
import type { Project } from "./programs.ts";
import type { Received, Script } from "./scripted-model.ts";

/** In JSON every one of these would look different. */
export const OWN_LINES: readonly string[] = [
  'const greeting = "say \\"hi\\"";',
  "const place = 'C:\\\\temp\\\\new';",
  "\tindented(`with a tab`, \"and 'quotes'\");",
  "const name = /^\\s*[\"']?(\\w+)\\n/; // Zürich — 東京",
];
const COUNT = "export let count = 1;";
/** More than may be edited unread on any surface; every line differs. */
const REST = Array.from({ length: 20 }, (_, n) => `export const setting${n} = ${n * 3};`);
const SMALL = "let six = 6;\nlet seven = 7;\n";
const FILE = "notes.ts";
const FROM_OUTSIDE = "// from somebody else";

interface Conversation {
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly read: Call;
  /** Made after the file was changed by somebody else. */
  readonly edit: Call;
  readonly told: RegExp;
  readonly refused: Call;
  /** What did not happen or why, and the repair. */
  readonly refusal: readonly RegExp[];
}

type Call = (received: readonly Received[]) => readonly [tool: string, input: object];

const EDIT = { old_string: "count = 1", new_string: "count = 2" };

export const SURFACES: Readonly<Record<string, Conversation>> = {
  workspace: {
    read: () => ["read_file", { path: FILE }],
    edit: (received) => ["edit_file", { ...editWithFirstSha(received), onStale: "rebase" }],
    told: /^Warning: .*\bchanged\b.*/m,
    refused: (received) => ["edit_file", editWithFirstSha(received)],
    refusal: [
      /^Edit rejected, file unchanged\./,
      /Re-apply your edit with the sha256 below/,
      new RegExp(`^\\+${FROM_OUTSIDE}$`, "m"),
    ],
  },
  tracked: {
    read: () => ["Read", { file_path: FILE }],
    edit: () => ["Edit", { file_path: FILE, ...EDIT }],
    told: /^Warning: .*\bchanged\b.*/m,
    refused: () => ["Edit", { file_path: "unread.ts", old_string: "one", new_string: "1" }],
    refusal: [/unread\.ts/, /\bRead\b/],
  },
  compact: {
    read: () => ["Read", { file_path: FILE }],
    edit: () => ["Edit", { file_path: FILE, ...EDIT }],
    told: /^Warning: .*\bchanged\b.*/m,
    refused: () => ["Edit", { file_path: "small.ts", old_string: "let seven = 8;", new_string: "" }],
    refusal: [/^Edit rejected, file unchanged\./, /let seven = 7;/],
  },
  files: {
    env: { STET_FS_MODE: "sandbox" },
    read: () => ["files", { params: { command: "read", file_path: FILE } }],
    edit: () => ["files", { params: { command: "edit", file_path: FILE, ...EDIT } }],
    told: /^Warning: .*\bchanged\b.*/m,
    refused: () => [
      "files",
      { params: { command: "edit", file_path: FILE, old_string: "const setting99", new_string: "" } },
    ],
    refusal: [/String 'const setting99' not found in file 'notes\.ts'/, /check the exact text/],
  },
  anchors: {
    read: () => ["read_file", { path: FILE, hashes: true }],
    edit: ([read]) => ["edit", replaceLine(anchorOf(read!, COUNT))],
    // Applied with a warning or refused, as the owner has it: told in either case.
    told: /\bchanged\b/,
    refused: () => ["edit", replaceLine("3#abcdef")],
    refusal: [/^Edit rejected, file unchanged\./, /\bread(_file)?\b/i],
  },
};

export function projectFor(surface: string): Project {
  const { args = [], env = {} } = SURFACES[surface]!;
  const text = [...OWN_LINES, COUNT, ...REST, ""].join("\n");
  const root = directoryWith({ [FILE]: text, "unread.ts": "one\n".repeat(200), "small.ts": SMALL });
  const state = process.env.STET_STATE ?? "";
  return {
    root,
    server: { args: [root, "--surface", surface, ...args], env: { STET_STATE: state, ...env } },
  };
}

export function scriptFor(surface: string, { root }: Project): Script {
  const { read, edit, refused } = SURFACES[surface]!;
  return (received) => {
    if (received.length === 1) appendFileSync(join(root, FILE), `${FROM_OUTSIDE}\n`);
    return [read, edit, refused][received.length]?.(received);
  };
}

const PICTURE = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

export function withPicture(project: Project): Project {
  writeFileSync(join(project.root, "dot.png"), Buffer.from(PICTURE, "base64"));
  return project;
}

function editWithFirstSha([read]: readonly Received[]) {
  const expectedSha256 = /sha256=([0-9a-f]{64})/.exec(read!.text)?.[1];
  return { path: FILE, expectedSha256, edits: [{ oldText: "count = 1", newText: "count = 2" }] };
}

function replaceLine(hash: string | undefined) {
  return { path: FILE, operations: [{ op: "replace_line", hash, content: "export let count = 2;" }] };
}

function anchorOf({ text }: Received, line: string): string | undefined {
  const shown = text.split("\n").find((each) => each.endsWith(`|${line}`));
  return /^\d+#\w+/.exec(shown ?? "")?.[0];
}
