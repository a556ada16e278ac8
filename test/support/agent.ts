// An agent that calls the tools of one surface. Data is held to the tool's schema, advice to what the tools offer.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { CallOptions, Failure, Session, Workspace, WorkspaceOptions } from "stet";
import { call, files as filesSurface, type Surface, surfaceNamed, type ToolResult } from "stet/surfaces";
import { expect } from "vitest";
import type { z } from "zod";
import { textAt } from "./assertions.ts";
import { expectFollowable } from "./followable.ts";
import { directoryWith, memoryWorkspace, workspaceIn } from "./workspace.ts";

export interface Done<Data> {
  readonly data: Data;
  readonly text: string;
  readonly warnings: readonly string[];
}

type NameOf<S extends Surface> = S["tools"][number]["name"] | (string & {});
type DataOf<S extends Surface, N> = string extends S["tools"][number]["name"]
  ? // biome-ignore lint/suspicious/noExplicitAny: each test knows the tool that it called
    any
  : z.output<Extract<S["tools"][number], { name: N }>["output"]>;

export type Refused = Failure & { readonly text: string; readonly details: Record<string, unknown> };

export interface Agent<S extends Surface = Surface> {
  readonly session: Session;
  readonly workspace: Workspace;
  /** A call, whatever comes of it. */
  call(tool: string, input: unknown, options?: Omit<CallOptions, "tool">): Promise<ToolResult<unknown>>;
  /** A call that must succeed. */
  done<N extends NameOf<S>>(tool: N, input: unknown): Promise<Done<DataOf<S, N>>>;
  /** The data of a call that must succeed. */
  data<N extends NameOf<S>>(tool: N, input: unknown): Promise<DataOf<S, N>>;
  /** What the model reads of a call that must succeed. */
  text(tool: NameOf<S>, input: unknown): Promise<string>;
  /** A call that must be refused. */
  refused(tool: NameOf<S>, input: unknown): Promise<Refused>;
  /** The file as it is now; null where there is none. */
  content(path: string): Promise<string | null>;
  /** Its bytes, a character for each. */
  bytes(path: string): Promise<string>;
  /** Its sha256, which the agent has from a read of all of it. */
  sha(path: string): Promise<string>;
  /** The same session with the tools of another surface, which may be given by its name. */
  as<Other extends Surface>(other: Other): Agent<Other>;
  as(other: string): Agent;
  /** Another agent of the workspace, with the same tools. */
  another(id: string): Agent<S>;
  /** Another agent writes the file, however it was before. */
  theyWrite(path: string, content: string): Promise<void>;
}

interface OnDisk {
  readonly root: string;
  /** A program that knows nothing of the workspace writes the file. */
  outside(path: string, content: string): void;
}

type Files = Readonly<Record<string, string | Uint8Array>>;

export function agentIn<S extends Surface>(workspace: Workspace, surface: S, id = "mine"): Agent<S> {
  return agentOf(workspace.session({ id, agent: id }), surface);
}

/** The agent whose session this is. */
export function agentOf<S extends Surface>(session: Session, surface: S): Agent<S> {
  const { workspace } = session;
  const use = (name: string, input: unknown, options?: Omit<CallOptions, "tool">) =>
    call(session, surface, name, input, options);
  const done = async (name: string, input: unknown): Promise<Done<never>> => {
    const result = await use(name, input);
    if (!result.ok) throw new Error(`${name} refused: ${result.text}`);
    const { warnings, ...data } = result.data as Record<string, unknown>;
    const tool = surface.tools.find((each) => each.name === name);
    expect([tool?.output.parse(data), warnings]).toEqual([data, result.warnings ?? []]);
    return { data: data as never, text: result.text, warnings: result.warnings ?? [] };
  };
  return {
    session,
    workspace,
    call: use,
    done,
    data: async (name, input) => (await done(name, input)).data,
    text: async (name, input) => (await done(name, input)).text,
    async refused(name, input) {
      const result = await use(name, input);
      if (result.ok) throw new Error(`${name} did not refuse: ${result.text}`);
      expectFollowable(surface, name, result.error);
      return { ...result.error, details: result.error.details ?? {}, text: result.text };
    },
    content: (path) => textAt(workspace.backend, path),
    async bytes(path) {
      const { version } = await workspace.session().readBytes(path);
      return Buffer.concat(version.parts as Uint8Array[]).toString("latin1");
    },
    async sha(path) {
      const read = await session.read(path).catch(() => undefined);
      return read?.sha ?? (await session.readBytes(path)).version.sha;
    },
    as: (other: Surface | string) => agentOf(session, typeof other === "string" ? surfaceNamed(other) : other) as never,
    another: (other) => agentIn(workspace, surface, other),
    async theyWrite(path, content) {
      const theirs = workspace.session({ id: "theirs", agent: "theirs" });
      await theirs.write(path, content, { proof: { by: "waived" }, tool: "shell", strict: false });
    },
  };
}

/** By its name; `files` with the files of the workspace in the place of a store. */
export function surfaceOnFiles(name: string): Surface {
  return name === "files" ? filesSurface({ mode: "sandbox", env: {} }) : surfaceNamed(name);
}

/** In a workspace in memory with these files. */
export function agentWith<S extends Surface>(surface: S, files: Files, options?: WorkspaceOptions): Agent<S> {
  return agentIn(memoryWorkspace(files, options), surface);
}

/** In a directory with these files; nothing waits for the device. */
export function agentOnDisk<S extends Surface>(
  surface: S,
  files: Files,
  options?: WorkspaceOptions,
): Agent<S> & OnDisk {
  const root = directoryWith(files);
  const outside = (path: string, content: string) => writeFileSync(join(root, path), content);
  return { root, outside, ...agentIn(workspaceIn(root, options), surface) };
}

/** A patch of these lines, as apply_patch takes it. */
export const patchOf = (...lines: readonly string[]): string =>
  ["*** Begin Patch", ...lines, "*** End Patch"].join("\n");
