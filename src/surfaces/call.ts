// Calling a tool: the only place where a Refusal becomes a result. A defect stays a defect.
import { only } from "../api/options.ts";
import { Deadline } from "../core/deadline.ts";
import type { Failure } from "../core/failure.ts";
import { Refusal } from "../core/failure.ts";
import { CALL_OPTIONS } from "../kernel/options.ts";
import type { Policy } from "../kernel/policy/policy.ts";
import type { CallOptions, Session } from "../kernel/session.ts";
import { refuse } from "../words/index.ts";
import { parseInput } from "./input/input.ts";
import { attempted, givenTo } from "./input/named-paths.ts";
import { offeredTools } from "./offer.ts";
import { type Asked, type Dialect, worded } from "./refusal.ts";
import type { AnyTool, Surface, ToolResult } from "./tool.ts";
import { relativeTo, sessionFor } from "./which-workspace.ts";

interface Asking extends Omit<CallOptions, "tool"> {
  /** Where several workspaces are served together, the directories of all. */
  readonly roots?: readonly string[];
}

/** Makes a call as a model asked for it: any name, any input. Never throws for what the model sent. */
export async function call(
  asked: Session,
  surface: Surface,
  name: string,
  input: unknown,
  options: Asking = {},
): Promise<ToolResult<unknown>> {
  const tool = offeredTools(surface, asked.workspace.policy).find((each) => each.name === name);
  return tool === undefined ? notOffered(asked, surface, name) : callOffered(asked, surface, tool, input, options);
}

/** With a tool out of `offeredTools` of this workspace. */
export async function callOffered(
  asked: Session,
  surface: Surface,
  tool: AnyTool,
  input: unknown,
  options: Asking = {},
): Promise<ToolResult<unknown>> {
  let session = asked;
  const deadline = options.deadline ?? new Deadline(timeFor(tool, session, options), options.signal);
  /** Those of the kernel, each once. */
  const noted = new Set<string>();
  const warn = (message: string): void => void noted.add(message);
  const made = { ...only(options, CALL_OPTIONS), tool: tool.name, deadline, warn };
  const warnings: string[] = [];
  let parsed: Readonly<Record<string, unknown>> | undefined;
  try {
    deadline.check();
    session = sessionFor(asked, surface, tool, input);
    parsed = parseInput(tool, input, (message) => void warnings.push(message));
    const context = {
      session,
      call: made,
      roots: options.roots,
      warn: (...messages: readonly string[]) => void warnings.push(...messages),
    };
    const data = await deadline.untilSettled(tool.run(context, parsed));
    const text = await tool.text(data, parsed);
    warnings.push(...noted);
    if (session !== asked) warnings.push(...relativeTo(session, tool, text));
    return {
      ok: true,
      data: { ...data, warnings },
      text: withWarnings(text, warnings),
      ...(warnings.length > 0 && { warnings }),
    };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    await recordAttempt(session, tool, parsed ?? input, error, made);
    const offered = offeredTools(surface, session.workspace.policy);
    const asked = { tool, given: parsed ?? givenTo(input), offered };
    return failed(error, surface, asked, [...warnings, ...noted]);
  }
}

function timeFor(tool: AnyTool, session: Session, { deadlineMs }: CallOptions): number {
  return deadlineMs ?? tool.deadlineMs ?? session.workspace.limits.callMs;
}

/** Writes down that a call was refused, wherever that was, if it is worth an entry. */
export async function recordAttempt(
  session: Session,
  tool: AnyTool,
  input: unknown,
  refusal: Refusal,
  options: CallOptions,
): Promise<void> {
  const given = givenTo(input);
  if (!isAttempt(tool, given, refusal)) return;
  await session.recordRefusal(refusal, attempted(tool, given, refusal.failure), options);
}

/** Worth an entry in the journal, whatever refused it: a change, and what is forbidden even to read. */
function isAttempt(tool: AnyTool, given: Readonly<Record<string, unknown>>, { kind }: Refusal): boolean {
  if (kind === "permission_denied" || kind === "outside_workspace") return true;
  return tool.effect !== "read" && tool.reads?.(given) !== true;
}

/** What was warned of before the refusal holds for it too: which files it speaks of, or what was done until then. */
function failed(refusal: Refusal, surface: Surface, asked: Asked, warnings: readonly string[]): ToolResult<never> {
  const { error, text } = worded(refusal, dialectOf(surface, asked.tool), asked);
  const known = warnings.length === 0 ? error : { ...error, details: { ...error.details, warnings } };
  return refusedResult(known, withWarnings(text, warnings));
}

/** Of joined surfaces, that of the one which has the tool. */
function dialectOf(surface: Surface, { name }: Pick<AnyTool, "name">): Dialect {
  const owner = surface.parts?.find(({ tools }) => tools.some((tool) => tool.name === name)) ?? surface.parts?.[0];
  return (owner ?? surface).words ?? { rows: {} };
}

/** Code that takes `data` without a look at `ok` is told why there is none; JSON, a spread or a comparison do not see it. */
function refusedResult(error: Failure, text: string): ToolResult<never> {
  const { kind, message, suggestedAction: next, ...context } = error;
  return Object.defineProperty({ ok: false, error, text } as ToolResult<never>, "data", {
    get(): never {
      throw new Refusal(kind, message, { ...context, ...(next !== undefined && { next }) });
    },
  });
}

function withWarnings(text: string, warnings: readonly string[]): string {
  const lines = warnings.map((warning) => `Warning: ${warning}`);
  return (text === "" ? lines : [text, ...lines]).join("\n");
}

/** What the policy takes away is denied, and not as if there were no such tool. */
function notOffered({ workspace: { policy } }: Session, surface: Surface, name: string): ToolResult<never> {
  const offered = offeredTools(surface, policy);
  const tool = surface.tools.find((each) => each.name === name);
  if (tool !== undefined) return failed(deniedTool(tool, offered, policy), surface, { tool, offered }, []);
  const { error, text } = unknownTool(surface, offered, name);
  return refusedResult(error, text);
}

/** A tool that is there, but not with this policy. */
function deniedTool({ name, actions }: AnyTool, offered: readonly AnyTool[], policy: Policy): Refusal {
  const changes = policy.readOnly && actions.every((action) => !policy.permits(action));
  const why = changes ? "it changes files, and the workspace is read-only" : "the policy allows nothing that it does";
  const use = offered.length > 0 ? `Use only ${offered.map((tool) => tool.name).join(", ")}, or ask` : "Ask";
  return new Refusal("permission_denied", `${name} is not offered here: ${why}.`, {
    next: `${use} the owner of the workspace to change that.`,
    details: { rule: changes ? "readOnly" : "allowedActions" },
  });
}

export function unknownTool(surface: Surface, offered: readonly AnyTool[], name: string) {
  const refusal = refuse("tool_unknown", { name, offered: offered.map((tool) => tool.name) });
  const tool = { name, effect: "read", refused: "No tool was called." } as const;
  return worded(refusal, dialectOf(surface, tool), { tool, offered });
}
