// Calls of the surface `workspace` in tests: every result is checked against the tool's own output schema.
import type { z } from "zod";
import type { Backend } from "../../src/core/backend.ts";
import type { Failure } from "../../src/core/failure.ts";
import { Workspace, type WorkspaceOptions } from "../../src/kernel/workspace.ts";
import { call } from "../../src/surfaces/call.ts";
import { inputSchema } from "../../src/surfaces/schema.ts";
import { workspace } from "../../src/surfaces/workspace/index.ts";
import { KINDS } from "../../src/surfaces/workspace/words.ts";
import { textAt } from "../../src/testing/assertions.ts";

type Tools = (typeof workspace)["tools"][number];
export type ToolName = Tools["name"];
type DataOf<N extends ToolName> = z.output<Extract<Tools, { name: N }>["output"]>;

export interface Done<N extends ToolName> {
  readonly data: DataOf<N>;
  readonly text: string;
  readonly warnings: readonly string[];
}

export type Desk = ReturnType<typeof deskOn>;

export function deskOn(backend: Backend, options: WorkspaceOptions = {}, id = "mine") {
  return deskIn(new Workspace(backend, options), id);
}

export function deskIn(place: Workspace, id: string) {
  const session = place.session({ id, agent: `agent ${id}` });
  const result = (name: string, input: unknown) => call(session, workspace, name, input);
  return {
    session,
    workspace: place,
    colleague: (other: string) => deskIn(place, other),
    textAt: (path: string) => textAt(place.backend, path),

    async ok<N extends ToolName>(name: N, input: unknown): Promise<Done<N>> {
      const answer = await result(name, input);
      if (!answer.ok) throw new Error(`${name} refused: ${answer.text}`);
      const tool = workspace.tools.find((each) => each.name === name)!;
      const { text, warnings = [] } = answer;
      return { data: tool.output.parse(answer.data) as DataOf<N>, text, warnings };
    },

    async no(name: ToolName, input: unknown): Promise<Failure & { text: string; details: Record<string, unknown> }> {
      const answer = await result(name, input);
      if (answer.ok) throw new Error(`${name} did not refuse: ${answer.text}`);
      if (!(KINDS as readonly string[]).includes(answer.error.kind))
        throw new Error(`${answer.error.kind} is no kind of this surface`);
      const strange = strangeNames(name, answer.error.suggestedAction ?? "");
      if (strange.length > 0)
        throw new Error(`${name} cannot follow "${answer.error.suggestedAction}": what is ${strange.join(", ")}?`);
      return { ...answer.error, details: answer.error.details ?? {}, text: answer.text };
    },

    async sha(path: string): Promise<string> {
      return (await this.ok("read_file", { path, allowBinary: true })).data.sha256;
    },
  };
}

/** Words of a suggestion that only names of tools or parameters look like, but are no names of those it speaks of. */
export function strangeNames(tool: string, suggestion: string): string[] {
  const spokenOf = workspace.tools.filter(({ name }) => name === tool || suggestion.includes(name));
  const known = new Set<string>([...workspace.tools.map(({ name }) => name), ...spokenOf.flatMap(parametersOf)]);
  const words =
    suggestion.match(/\b[a-z]+(?:[A-Z]\w*|_\w+)\b|\b(?:encoding|offset|limit|pattern|query|bytes)\b/g) ?? [];
  return words.filter((word) => !known.has(word));
}

function parametersOf(tool: Tools): string[] {
  const names = (schema: unknown): string[] =>
    typeof schema === "object" && schema !== null
      ? Object.entries(schema).flatMap(([key, each]) =>
          key === "properties" ? [...Object.keys(each), ...names(Object.values(each))] : names(each),
        )
      : [];
  return names(inputSchema(tool));
}
