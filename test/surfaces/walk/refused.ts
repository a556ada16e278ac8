// A refused call and what a caller can do about it, in the parameters of each surface.
import type { Failure } from "stet";
import type { ToolResult } from "stet/surfaces";
import { params } from "./rows.ts";
import type { Case, SurfaceName, World } from "./world.ts";

type Input = Readonly<Record<string, unknown>>;

/** `follow`: what is done by a caller who reads these words. */
export type Way = readonly [words: RegExp, follow: Follow | "no call"];
export type Follow = (refused: Refused) => Promise<unknown>;

export class Refused {
  readonly name: SurfaceName;
  readonly world: World;
  readonly given: Case;
  readonly input: Input;
  readonly error: Failure;
  readonly text: string;

  constructor(name: SurfaceName, world: World, given: Case, input: unknown, result: { error: Failure; text: string }) {
    this.name = name;
    this.world = world;
    this.given = given;
    this.input = input as Input;
    this.error = result.error;
    this.text = result.text;
  }

  /** Where the parameters are: on `files` one level down. */
  get asked(): Input {
    return this.name === "files" ? (this.input.params as Input) : this.input;
  }

  get path(): string {
    const { path, file_path, fromPath, source } = this.asked;
    return String(path ?? file_path ?? fromPath ?? source ?? this.error.path);
  }

  get isRead(): boolean {
    return /^read|^Read|^ls$/.test(String(this.asked.command ?? this.given.tool));
  }

  /** A call that must succeed. */
  async call(tool: string, input: unknown): Promise<ToolResult<unknown> & { ok: true }> {
    const result = await this.world.call(tool, input);
    if (result.ok) return result;
    throw new Error(`followed: ${this.text}\n${tool} ${JSON.stringify(input)}\nrefused: ${result.text}`);
  }

  /** The same call with other parameters; `undefined` leaves one out. */
  again(other: Input = {}, path = this.path): Promise<ToolResult<unknown>> {
    const key = ["path", "file_path", "fromPath", "source"].find((name) => Object.hasOwn(this.asked, name));
    const asked = { ...this.asked, ...(key !== undefined && { [key]: path }), ...other };
    const input = Object.fromEntries(Object.entries(asked).filter(([, value]) => value !== undefined));
    return this.call(this.given.tool, this.name === "files" ? { params: input } : input);
  }

  /** The same edit with another old or new text. */
  edited({ from, to }: { readonly from?: string; readonly to?: string }, other: Input = {}) {
    if (this.name === "workspace" || this.name === "filesystem") {
      const [edit] = this.input.edits as Input[];
      const texts = { ...(from !== undefined && { oldText: from }), ...(to !== undefined && { newText: to }) };
      return this.again({ edits: [{ ...edit, ...texts, ...other }] });
    }
    if (this.name === "anchors") return this.operated((operation) => ({ ...operation, content: to }));
    const texts = { ...(from !== undefined && { old_string: from }), ...(to !== undefined && { new_string: to }) };
    return this.again({ ...texts, ...other });
  }

  /** The same batch of operations on anchors, changed. */
  operated(change: (operation: Input) => Input) {
    return this.again({ operations: (this.input.operations as Input[]).map(change) });
  }

  patched(...lines: readonly string[]) {
    return this.call("apply_patch", { patch: ["*** Begin Patch", ...lines, "*** End Patch"].join("\n") });
  }

  /** As the surface reads; lines from 1 on. */
  async read(path = this.path, lines?: readonly [first: number, last: number]): Promise<Input> {
    const [first = 1, last = 1] = lines ?? [];
    const limit = last - first + 1;
    const range = (offset: object, whole: object) => (lines === undefined ? {} : { ...offset, ...whole });
    const calls: Readonly<Record<SurfaceName, readonly [tool: string, input: object]>> = {
      workspace: ["read_file", { path, ...range({ startLine: first }, { endLine: last }) }],
      tracked: ["Read", { file_path: path, ...range({ offset: first }, { limit }) }],
      compact: ["Read", { file_path: path, ...range({ offset: first - 1 }, { limit }) }],
      files: ["files", params("read", path, range({ offset: first - 1 }, { limit }))],
      filesystem: ["read_text_file", { path, ...range({ head: last }, {}) }],
      anchors: ["read_file", { path, hashes: true, ...range({ offset: first - 1 }, { limit }) }],
    };
    return (await this.call(...calls[this.name])).data as Input;
  }

  /** What the refusal says, by a pattern that it must fit. */
  said(words: RegExp): readonly string[] {
    const found = words.exec(this.text);
    if (found === null) throw new Error(`does not say ${words}: ${this.text}`);
    return found.slice(1);
  }

  async now(path = this.path): Promise<string> {
    return (await this.world.workspace.session().read(path)).body;
  }
}
