// Calls of the compact surface with every answer held against its schema, on a workspace with the given files.
import { expect } from "vitest";
import type { Backend } from "../../src/core/backend.ts";
import type { Failure } from "../../src/core/failure.ts";
import { Workspace, type WorkspaceOptions } from "../../src/kernel/workspace.ts";
import { call } from "../../src/surfaces/call.ts";
import { compact } from "../../src/surfaces/compact/index.ts";
import type { Surface } from "../../src/surfaces/tool.ts";
import { expectFollowable } from "./001-004-followable.ts";

type Files = Readonly<Record<string, string | Uint8Array>>;
type Make = (files: Files) => Backend;
type Input = Readonly<Record<string, unknown>>;

interface Answer {
  // biome-ignore lint/suspicious/noExplicitAny: each test knows the tool that it called
  readonly data: any;
  readonly text: string;
  readonly warnings: readonly string[];
}

export function opened(make: Make, files: Files, options: WorkspaceOptions = {}, surface: Surface = compact) {
  const workspace = new Workspace(make(files), options);
  return { workspace, ...callsOf(workspace, surface) };
}

export function callsOf(workspace: Workspace, surface: Surface = compact) {
  const session = workspace.session();
  const { directory } = workspace.backend;
  return {
    session,
    absolute: (path: string) => (directory === undefined ? `/${path}` : `${directory}/${path}`),
    async ok(name: string, input: Input): Promise<Answer> {
      const result = await call(session, surface, name, input);
      if (!result.ok) throw new Error(result.text);
      const tool = surface.tools.find((each) => each.name === name);
      const { warnings, ...own } = result.data as Record<string, unknown>;
      expect([tool?.output.parse(own), warnings]).toEqual([own, result.warnings ?? []]);
      return { data: own, text: result.text, warnings: result.warnings ?? [] };
    },
    async refused(name: string, input: Input): Promise<Failure & { readonly text: string }> {
      const result = await call(session, surface, name, input);
      if (result.ok) throw new Error(`${name} was expected to refuse: ${result.text}`);
      expectFollowable(surface, name, result.error);
      return { ...result.error, text: result.text };
    },
    async bytes(path: string): Promise<string> {
      const { version } = await workspace.session().readBytes(path);
      return Buffer.concat(version.parts as Uint8Array[]).toString("latin1");
    },
  };
}

export const numberedLines = (count: number): string =>
  Array.from({ length: count }, (_, index) => `line ${index + 1}\n`).join("");
