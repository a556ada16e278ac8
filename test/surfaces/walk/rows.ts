// How a kind of refusal is brought about on each surface, or why it cannot be.
import type { FailureKind } from "stet";
import { lineHash } from "stet/edit";
import { type Case, LINES, SURFACES, type SurfaceName, TEXT, type World } from "./world.ts";

/** A sentence says why no call of the surface is refused so. */
export type Row = Readonly<Record<SurfaceName, readonly Case[] | string>>;
export type Rows<Kind extends FailureKind = FailureKind> = Readonly<Record<Kind, Row>>;

export type More = Omit<Case, "tool" | "input">;
export const ZERO = "0".repeat(64);
export const hash = lineHash;
export const params = (command: string, file_path: string, rest: object = {}) => ({
  params: { command, file_path, ...rest },
});

/** The same row for every surface that has no other. */
export function row(rest: readonly Case[] | string, own: Partial<Row> = {}): Row {
  return Object.fromEntries(SURFACES.map((name) => [name, own[name] ?? rest])) as Row;
}

/** Several ways on every surface. */
export function both(...rows: readonly Row[]): Row {
  const all = (name: SurfaceName): Case[] => rows.flatMap((each) => (typeof each[name] === "string" ? [] : each[name]));
  const reason = (name: SurfaceName): string =>
    String(rows.map((each) => each[name]).find((each) => typeof each === "string"));
  return Object.fromEntries(SURFACES.map((name) => [name, all(name).length > 0 ? all(name) : reason(name)])) as Row;
}

export function reading(path: string, more: More = {}): Row {
  return {
    workspace: [{ tool: "read_file", input: { path }, ...more }],
    tracked: [{ tool: "Read", input: { file_path: path }, ...more }],
    compact: [{ tool: "Read", input: { file_path: path }, ...more }],
    files: [{ tool: "files", input: params("read", path), ...more }],
    anchors: [{ tool: "read_file", input: { path }, ...more }],
    filesystem: [{ tool: "read_text_file", input: { path }, ...more }],
  };
}

export function writing(path: string, more: More = {}, content = "new text\n"): Row {
  return {
    workspace: [{ tool: "create_file", input: { path, content }, ...more }],
    tracked: [{ tool: "Write", input: { file_path: path, content }, ...more }],
    compact: [{ tool: "Write", input: { file_path: path, content }, ...more }],
    files: [{ tool: "files", input: params("write", path, { content }), ...more }],
    anchors: [{ tool: "write_file", input: { path, content }, ...more }],
    filesystem: [{ tool: "write_file", input: { path, content }, ...more }],
  };
}

/** With whatever proof the surface asks for: what is refused is the edit itself. */
export function editing(path: string, oldText: string, newText: string, more: More = {}): Row {
  const typed = { file_path: path, old_string: oldText, new_string: newText };
  const read = (tool: string, input: unknown): More => ({
    ...more,
    async before(world: World) {
      await world.call(tool, input);
      await more.before?.(world);
    },
  });
  const edits = [{ oldText, newText }];
  return {
    workspace: [
      {
        tool: "edit_file",
        input: async (world: World) => ({ path, edits, expectedSha256: await world.sha(path).catch(() => ZERO) }),
        ...more,
      },
    ],
    tracked: [{ tool: "Edit", input: typed, ...read("Read", { file_path: path }) }],
    compact: [{ tool: "Edit", input: typed, ...read("Read", { file_path: path }) }],
    files: [{ tool: "files", input: params("edit", path, { old_string: oldText, new_string: newText }), ...more }],
    anchors: [
      {
        tool: "edit",
        input: { path, operations: [{ op: "replace_line", hash: hash(oldText), content: newText }] },
        ...read("read_file", { path, hashes: true }),
      },
    ],
    filesystem: [{ tool: "edit_file", input: { path, edits }, ...more }],
  };
}

export const deleting = (path: string, more: More = {}): Case => ({ tool: "delete_file", input: { path }, ...more });

export const anchored = (operations: unknown, more: More & { readonly path?: string } = {}): Case => {
  const { path = "a.txt", ...rest } = more;
  return {
    tool: "edit",
    input: { path, operations },
    before: (world) => world.call("read_file", { path, hashes: true }),
    ...rest,
  };
};

/** `a.txt` is read as the surface reads, then changed by another agent. */
export function changedByOther(
  read: string,
  input: object,
  content = `another\n${TEXT.replace(LINES[3]!, "gone")}`,
): More {
  return {
    async before(world) {
      await world.call(read, input);
      await world.theyWrite("a.txt", content);
    },
  };
}
