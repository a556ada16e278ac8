// The four surfaces behind one set of verbs, so that a promise of all of them is one table.
import { lineHash } from "../../src/edit/anchors/index.ts";
import type { Session } from "../../src/kernel/session.ts";
import { Workspace, type WorkspaceOptions } from "../../src/kernel/workspace.ts";
import { anchors } from "../../src/surfaces/anchors/index.ts";
import { call } from "../../src/surfaces/call.ts";
import { compact } from "../../src/surfaces/compact/index.ts";
import { files } from "../../src/surfaces/files/index.ts";
import type { Surface, ToolResult } from "../../src/surfaces/tool.ts";
import { tracked } from "../../src/surfaces/tracked/index.ts";
import type { BACKENDS } from "../support/workspace.ts";

type Make = (typeof BACKENDS)[number][1];
type Input = Readonly<Record<string, unknown>>;

interface Dialect {
  surface(directory: string | undefined): Surface;
  /** The first `lines` lines, or all. */
  read(path: string, lines?: number): readonly [tool: string, input: Input];
  write(path: string, content: string, more?: Input): readonly [tool: string, input: Input];
  /** Replaces the whole of one line. */
  edit(path: string, line: string, by: string, more?: Input): readonly [tool: string, input: Input];
}

const pascal = (surface: Surface): Dialect => ({
  surface: () => surface,
  read: (file_path, limit) => ["Read", { file_path, ...(limit !== undefined && { limit }) }],
  write: (file_path, content, more) => ["Write", { file_path, content, ...more }],
  edit: (file_path, old_string, new_string, more) => ["Edit", { file_path, old_string, new_string, ...more }],
});

const unified: Dialect = {
  surface: (directory) => files({ mode: directory === undefined ? "store" : "sandbox", env: {} }),
  read: (file_path, limit) => ["files", { command: "read", file_path, ...(limit !== undefined && { limit }) }],
  write: (file_path, content) => ["files", { params: { command: "write", file_path, content } }],
  edit: (file_path, old_string, new_string) => [
    "files",
    { params: { command: "edit", file_path, old_string, new_string } },
  ],
};

const hashed: Dialect = {
  surface: () => anchors,
  read: (path, limit) => ["read_file", { path, hashes: true, ...(limit !== undefined && { limit }) }],
  write: (path, content, more) => ["write_file", { path, content, ...more }],
  edit: (path, line, by, more) => [
    "edit",
    { path, operations: [{ op: "replace_line", hash: lineHash(line), content: by }], ...more },
  ],
};

export const DIALECTS: readonly (readonly [name: string, dialect: Dialect])[] = [
  ["tracked", pascal(tracked)],
  ["compact", pascal(compact)],
  ["files", unified],
  ["anchors", hashed],
];

/** Files are made, and changed behind the caller's back, by another session with the same tools. */
export async function desk(make: Make, dialect: Dialect, given: Readonly<Record<string, string>>, options = {}) {
  const workspace = new Workspace(make({}), options as WorkspaceOptions);
  const surface = dialect.surface(workspace.backend.directory);
  const theirs = workspace.session({ id: "theirs" });
  const mine = workspace.session({ id: "mine" });
  const use = (who: Session, [tool, input]: readonly [string, Input]): Promise<ToolResult<unknown>> =>
    call(who, surface, tool, input);
  const theyWrite = async (path: string, content: string): Promise<void> => {
    await use(theirs, dialect.read(path));
    const result = await use(theirs, dialect.write(path, content));
    if (!result.ok) throw new Error(result.text);
  };
  for (const [path, content] of Object.entries(given)) await theyWrite(path, content);
  return {
    workspace,
    theyWrite,
    use: (made: readonly [string, Input]) => use(mine, made),
    async read(path: string, lines?: number): Promise<ToolResult<unknown>> {
      const result = await use(mine, dialect.read(path, lines));
      if (!result.ok) throw new Error(result.text);
      return result;
    },
  };
}
