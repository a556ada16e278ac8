// An agent of Mastra with stet as the file system of its workspace, led by a script: its own tools, one call after the other.
import { Agent } from "@mastra/core/agent";
import { Workspace, type WorkspaceFilesystem } from "@mastra/core/workspace";
import type { Session } from "stet";
import { mastraFilesystem } from "stet/adapters/mastra";
import type { Call, Received } from "../support/cases.ts";
import { mockModel } from "./ai.ts";

/** One call, calls in parallel, or what happens outside in between. */
export type Steps = readonly (Call | readonly Call[] | (() => void))[];

/** What the model received of these calls. */
export async function work(session: Session, steps: Steps, files?: WorkspaceFilesystem): Promise<string[]> {
  return (await received(session, steps, files)).map(({ text }) => text);
}

export async function received(
  session: Session,
  steps: Steps,
  filesystem: WorkspaceFilesystem = mastraFilesystem(session),
): Promise<readonly Received[]> {
  const queue = [...steps];
  const { model, heard } = mockModel(() => {
    let next = queue.shift();
    for (; typeof next === "function"; next = queue.shift()) next();
    if (next === undefined) return [];
    const calls = typeof next[0] === "string" ? [next as Call] : (next as readonly Call[]);
    return calls.map(([tool, input]) => [`mastra_workspace_${tool}`, input]);
  });
  const workspace = new Workspace({ id: "test", name: "test", filesystem });
  const agent = new Agent({ id: "scripted", name: "scripted", instructions: "", model: model as never, workspace });
  await agent.generate("go", { maxSteps: 30 });
  return heard().received;
}

export const read = (path: string, more: object = {}): Call => ["read_file", { path, ...more }];

export const edit = (path: string, old_string: string, new_string: string): Call => [
  "edit_file",
  { path, old_string, new_string },
];

export const write = (path: string, content: string): Call => ["write_file", { path, content }];
