// What the tests of seed 001 share: a session with files, calls whose data must fit the output schema, and a real shell.
import { execFileSync } from "node:child_process";
import { expect } from "vitest";
import { disk } from "../../src/backends/disk/index.ts";
import type { Backend } from "../../src/core/backend.ts";
import { Workspace, type WorkspaceOptions } from "../../src/kernel/workspace.ts";
import { call } from "../../src/surfaces/call.ts";
import { tracked } from "../../src/surfaces/tracked/index.ts";
import { directoryWith } from "../support/workspace.ts";
import { expectFollowable } from "./001-004-followable.ts";

/** `use(tool, input)` calls a tool; `text` and `refused` are the two outcomes most tests ask about. */
export function caller(backend: Backend, options?: WorkspaceOptions) {
  const workspace = new Workspace(backend, options);
  const session = workspace.session({ id: "mine" });
  const use = async (name: string, input: Record<string, unknown>, as = session) => {
    const result = await call(as, tracked, name, input);
    if (result.ok) tracked.tools.find((tool) => tool.name === name)!.output.parse(result.data);
    else expectFollowable(tracked, name, result.error);
    return result;
  };
  return {
    workspace,
    session,
    use,
    async text(name: string, input: Record<string, unknown>): Promise<string> {
      const result = await use(name, input);
      expect(result.ok, result.text).toBe(true);
      return result.text;
    },
    async refused(name: string, input: Record<string, unknown>): Promise<string> {
      const result = await use(name, input);
      expect(result.ok, result.text).toBe(false);
      return result.text;
    },
  };
}

/** A workspace on disk, and the shell of somebody who works beside stet. */
export function beside(files: Readonly<Record<string, string>>, options?: WorkspaceOptions) {
  const root = directoryWith(files);
  const run = (program: string, ...args: string[]) => execFileSync(program, args, { cwd: root, encoding: "utf8" });
  return {
    root,
    ...caller(disk({ root, durability: "fast" }), options),
    run,
    sh: (script: string) => run("sh", "-c", script),
  };
}
