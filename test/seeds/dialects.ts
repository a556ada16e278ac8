// The verbs of the four surfaces without a sha256, so that a promise of all of them is one table.
import type { WorkspaceOptions } from "stet";
import { lineHash } from "stet/edit";
import { anchors, compact, files, type Surface, tracked } from "stet/surfaces";
import { type Agent, agentOnDisk, agentWith } from "../support/agent.ts";

type Call = readonly [tool: string, input: Readonly<Record<string, unknown>>];

export interface Dialect {
  readonly surface: Surface;
  /** The first lines, or all. */
  read(path: string, limit?: number): Call;
  write(path: string, content: string, more?: object): Call;
  /** Replaces the whole of one line. */
  edit(path: string, line: string, by: string, more?: object): Call;
}

const pascal = (surface: Surface): Dialect => ({
  surface,
  read: (file_path, limit) => ["Read", { file_path, ...(limit !== undefined && { limit }) }],
  write: (file_path, content, more) => ["Write", { file_path, content, ...more }],
  edit: (file_path, old_string, new_string, more) => ["Edit", { file_path, old_string, new_string, ...more }],
});

const unified: Dialect = {
  surface: files({ mode: "sandbox", env: {} }),
  read: (file_path, limit) => ["files", { command: "read", file_path, ...(limit !== undefined && { limit }) }],
  write: (file_path, content) => ["files", { command: "write", file_path, content }],
  edit: (file_path, old_string, new_string) => ["files", { command: "edit", file_path, old_string, new_string }],
};

const hashed: Dialect = {
  surface: anchors,
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

/** In memory, but for a sandbox, which is a directory. */
export function agentOf(
  { surface }: Dialect,
  given: Readonly<Record<string, string>>,
  options: WorkspaceOptions = {},
): Agent {
  return (surface.name === "files" ? agentOnDisk : agentWith)(surface, given, options);
}
