// What the tests of seed 003 share: calls of the files tool whose data must fit its output schema.
import { expect } from "vitest";
import type { Backend } from "../../src/core/backend.ts";
import { Workspace, type WorkspaceOptions } from "../../src/kernel/workspace.ts";
import { call } from "../../src/surfaces/call.ts";
import { type FilesOptions, files } from "../../src/surfaces/files/index.ts";
import { expectFollowable } from "./001-004-followable.ts";

/** The environment of the test process must not decide what a test finds. */
export function desk(
  backend: Backend,
  options: FilesOptions & { readonly legacy?: boolean } = {},
  workspaceOptions?: WorkspaceOptions,
) {
  const workspace = new Workspace(backend, workspaceOptions);
  const session = workspace.session({ id: "mine" });
  const surface = files({ env: {}, ...options });
  const use = async (input: unknown, name = "files", as = session) => {
    const result = await call(as, surface, name, input);
    if (!result.ok) {
      expectFollowable(surface, name, result.error);
      return result;
    }
    const { warnings, ...own } = result.data as Record<string, unknown>;
    expect(warnings).toEqual(result.warnings ?? []);
    surface.tools.find((tool) => tool.name === name)!.output.parse(own);
    return { ...result, data: own as unknown };
  };
  return {
    workspace,
    session,
    surface,
    use,
    run: (params: Record<string, unknown>) => use({ params }),
    async text(params: Record<string, unknown>): Promise<string> {
      const result = await use({ params });
      expect(result.ok, result.text).toBe(true);
      return result.text;
    },
    async data(params: Record<string, unknown>): Promise<unknown> {
      const result = await use({ params });
      expect(result.ok, result.text).toBe(true);
      return result.data;
    },
    async refused(params: Record<string, unknown>): Promise<string> {
      const result = await use({ params });
      expect(result.ok, result.text).toBe(false);
      return result.text;
    },
  };
}

export const write = (file_path: string, content: string) => ({ command: "write", file_path, content });
export const read = (file_path: string, more = {}) => ({ command: "read", file_path, ...more });
export const edit = (file_path: string, old_string: string, new_string: string, more = {}) => ({
  command: "edit",
  file_path,
  old_string,
  new_string,
  ...more,
});
export const remove = (file_path: string) => ({ command: "delete", file_path });
export const LS = { command: "ls" };
