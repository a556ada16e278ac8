// Calling a tool: the only place where a Refusal becomes a result. A defect stays a defect.
import type { Failure } from "../kernel/failure.ts";
import { Refusal } from "../kernel/failure.ts";
import type { CallOptions, Session } from "../kernel/session.ts";
import { parseInput } from "./input.ts";
import { offeredTools } from "./offer.ts";
import type { AnyTool, Surface, ToolResult } from "./tool.ts";

export async function call(
  session: Session,
  surface: Surface,
  name: string,
  input: unknown,
  options: Omit<CallOptions, "tool"> = {},
): Promise<ToolResult<unknown>> {
  const tool = offeredTools(surface, session.workspace.policy).find((each) => each.name === name);
  if (tool === undefined) return failed(surface, undefined, unknownTool(surface, session, name));
  const warnings: string[] = [];
  try {
    const parsed = parseInput(tool, input);
    const context = {
      session,
      call: { ...options, tool: name },
      warn: (...messages: readonly string[]) => void warnings.push(...messages),
    };
    const data = await tool.run(context, parsed);
    return {
      ok: true,
      data,
      text: withWarnings(tool.text(data, parsed), warnings),
      ...(warnings.length > 0 && { warnings }),
    };
  } catch (error) {
    if (error instanceof Refusal) return failed(surface, tool, error.failure);
    throw error;
  }
}

function failed(surface: Surface, tool: AnyTool | undefined, failure: Failure): ToolResult<never> {
  if (tool === undefined)
    return { ok: false, error: failure, text: inWords(failure, "No tool was called.") } as ToolResult<never>;
  const error = surface.failure?.(failure, tool) ?? failure;
  const text = surface.refusalText?.(error, tool) ?? inWords(error, tool.refused);
  return { ok: false, error, text } as ToolResult<never>;
}

/** What did not happen, why, and the one next action; the diff of a stale file follows, since it is what the caller needs next. */
export function inWords({ message, suggestedAction, details }: Failure, refused: string): string {
  const words = [refused, message, suggestedAction].filter((part) => part !== undefined && part !== "").join(" ");
  const diff = typeof details?.diff === "string" ? `\n\nWhat changed since the version you saw:\n${details.diff}` : "";
  return words + diff;
}

function withWarnings(text: string, warnings: readonly string[]): string {
  return warnings.length === 0 ? text : `${text}\n${warnings.map((warning) => `Warning: ${warning}`).join("\n")}`;
}

function unknownTool(surface: Surface, session: Session, name: string): Failure {
  const names = offeredTools(surface, session.workspace.policy).map((tool) => tool.name);
  return {
    kind: "invalid_input",
    message: `There is no tool ${JSON.stringify(name)}.`,
    suggestedAction: `Use one of ${names.join(", ")}.`,
    recoverable: true,
  };
}
