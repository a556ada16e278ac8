// MCP servers, and how each is asked for the same ten things. undefined: it has no tool for that.
import { join } from "node:path";
import { peer, program } from "../mcp/servers.mjs";
import { ABSENT, CREATED, FILE, LATER, NEW, OLD, SEARCHED } from "./project.mjs";

/** @typedef {readonly [tool: string, input: object] | undefined} Ask */
/** @typedef {(last: string, first: string) => Ask} MakeAsk the words of the last answer, and of the first that read the file */

/** @type {readonly { id: string, stet: boolean, start(root: string): { command: string, args: string[], env: Record<string, string> }, asks(root: string): Record<string, MakeAsk> }[]} */
export const servers = [
  surface("workspace", () => {
    const edit = (
      /** @type {string} */ oldText,
      /** @type {string} */ newText,
      /** @type {string} */ from,
      more = {},
    ) =>
      /** @type {const} */ ([
        "edit_file",
        { path: FILE, edits: [{ oldText, newText }], expectedSha256: shaIn(from), ...more },
      ]);
    return {
      list: () => ["list_directory", { path: "src" }],
      tree: () => ["list_directory", { path: ".", recursive: true }],
      find: () => ["glob", { pattern: "**/*.test.ts" }],
      search: () => ["search_files", { query: SEARCHED, mode: "text" }],
      read: () => ["read_file", { path: FILE }],
      page: () => ["read_file", { path: FILE, startLine: 41, endLine: 60 }],
      edit: (_last, first) => edit(OLD, NEW, first),
      refused: (last) => edit(ABSENT, NEW, last),
      changed: (_last, first) => edit(LATER.old, LATER.new, first, { onStale: "rebase" }),
      create: () => ["create_file", CREATED],
    };
  }),
  surface("tracked", () => claudeLike({ page: { offset: 41, limit: 20 }, all: { pattern: "**/*", limit: 1000 } })),
  surface("compact", () => claudeLike({ page: { offset: 40, limit: 20 }, all: { pattern: "**/*" } })),
  surface(
    "files",
    () => {
      const files = (/** @type {object} */ params) => /** @type {const} */ (["files", { params }]);
      const edit = (/** @type {string} */ old_string, /** @type {string} */ new_string) =>
        files({ command: "edit", file_path: FILE, old_string, new_string });
      return {
        ...NOTHING,
        read: () => files({ command: "read", file_path: FILE }),
        page: () => files({ command: "read", file_path: FILE, offset: 40, limit: 20 }),
        edit: () => edit(OLD, NEW),
        refused: () => edit(ABSENT, NEW),
        changed: () => edit(LATER.old, LATER.new),
        create: () => files({ command: "write", file_path: CREATED.path, content: CREATED.content }),
      };
    },
    { STET_FS_MODE: "sandbox" },
  ),
  surface("anchors", () => {
    const edit = (/** @type {string | undefined} */ hash, /** @type {string} */ text) =>
      /** @type {const} */ (["edit", { path: FILE, operations: [{ op: "replace_line", hash, content: text }] }]);
    return {
      ...NOTHING,
      read: () => ["read_file", { path: FILE, hashes: true }],
      page: () => ["read_file", { path: FILE, hashes: true, offset: 40, limit: 20 }],
      edit: (_last, first) => edit(hashOf(first, OLD), `export const ${NEW}`),
      refused: () => edit("41#0000000", `export const ${NEW}`),
      changed: (_last, first) => edit(hashOf(first, LATER.old), `export const ${LATER.new}`),
      create: () => ["write_file", CREATED],
    };
  }),
  {
    id: "mcp-fs",
    stet: false,
    start: (root) => peer().start(root),
    asks(root) {
      const at = (/** @type {string} */ path) => join(root, path);
      const edit = (/** @type {string} */ oldText, /** @type {string} */ newText) =>
        /** @type {const} */ (["edit_file", { path: at(FILE), edits: [{ oldText, newText }] }]);
      return {
        ...NOTHING,
        list: () => ["list_directory", { path: at("src") }],
        tree: () => ["directory_tree", { path: root, excludePatterns: [".stet"] }],
        find: () => ["search_files", { path: root, pattern: "**/*.test.ts" }],
        read: () => ["read_text_file", { path: at(FILE) }],
        page: () => ["read_text_file", { path: at(FILE), head: 20 }],
        edit: () => edit(OLD, NEW),
        refused: () => edit(ABSENT, NEW),
        changed: () => edit(LATER.old, LATER.new),
        create: () => ["write_file", { path: at(CREATED.path), content: CREATED.content }],
      };
    },
  },
];

/** @type {Record<string, MakeAsk>} */
const NOTHING = Object.fromEntries(["list", "tree", "find", "search"].map((name) => [name, () => undefined]));

/** @param {string} name @param {(root: string) => Record<string, MakeAsk>} asks @param {Record<string, string>} [env] */
function surface(name, asks, env = {}) {
  const start = (/** @type {string} */ root) => ({
    command: process.execPath,
    args: [program, "mcp", root, "--surface", name],
    env,
  });
  return { id: `stet ${name}`, stet: true, start, asks };
}

/** @param {{ page: object, all: object }} how @returns {Record<string, MakeAsk>} */
function claudeLike({ page, all }) {
  const edit = (/** @type {string} */ old_string, /** @type {string} */ new_string) =>
    /** @type {const} */ (["Edit", { file_path: FILE, old_string, new_string }]);
  return {
    list: () => ["Glob", { pattern: "src/*" }],
    tree: () => ["Glob", all],
    find: () => ["Glob", { pattern: "**/*.test.ts" }],
    search: () => ["Grep", { pattern: SEARCHED }],
    read: () => ["Read", { file_path: FILE }],
    page: () => ["Read", { file_path: FILE, ...page }],
    edit: () => edit(OLD, NEW),
    refused: () => edit(ABSENT, NEW),
    changed: () => edit(LATER.old, LATER.new),
    create: () => ["Write", { file_path: CREATED.path, content: CREATED.content }],
  };
}

/** @param {string} text */
function shaIn(text) {
  return /sha256=([0-9a-f]{64})/.exec(text)?.[1];
}

/** @param {string} text @param {string} part */
function hashOf(text, part) {
  return /^\d+#\w+/.exec(text.split("\n").find((line) => line.includes(part)) ?? "")?.[0];
}
