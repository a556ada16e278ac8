// tools/call: finds session and workspace, calls the tool, and says the result in MCP's terms.
import {
  type CallToolRequest,
  type CallToolResult,
  CLIENT_INFO_META_KEY,
  type ProgressNotification,
  ProtocolError,
  ProtocolErrorCode,
  type Server,
  type ServerContext,
} from "@modelcontextprotocol/server";
import type { Cancellation } from "../../core/deadline.ts";
import { type Failure, Refusal } from "../../core/failure.ts";
import type { CallOptions, Session } from "../../kernel/session.ts";
import { call, callOffered, inWords, recordAttempt, unknownTool } from "../../surfaces/call.ts";
import { namedPaths } from "../../surfaces/input/named-paths.ts";
import { offeredTools } from "../../surfaces/offer.ts";
import type { AnyTool, ToolResult } from "../../surfaces/tool.ts";
import { found, isAlone, type Lookup } from "../workspaces/lookup.ts";
import { type NamedWorkspace, type ServeOptions, servedFor } from "../workspaces/named.ts";
import type { SessionScope } from "../workspaces/sessions.ts";
import { type Allowance, bytesFor } from "./allowance.ts";
import { boundedFailure, boundedText, FAILURE_META_KEY } from "./defects.ts";

export interface ToolCall {
  readonly request: CallToolRequest["params"];
  /** That of the request: how the journal names the call. */
  readonly id: string | number;
  /** What the client calls itself. */
  readonly agent: string | undefined;
  /** Whose reads count. */
  readonly scope: SessionScope;
  /** Whose calls share `allowance`. */
  readonly owner: string;
  readonly allowance: Allowance;
  /** To the client, where it asked for progress. */
  readonly notify: (notification: ProgressNotification) => Promise<void>;
  /** Ends the call, unless its change is being committed. */
  readonly signal: Cancellation;
}

export async function callTool(
  options: ServeOptions,
  tools: readonly AnyTool[],
  made: ToolCall,
): Promise<CallToolResult> {
  const { request, agent, scope, owner, allowance, signal } = made;
  const offered = tools.find(({ name }) => name === request.name);
  // What no policy here allows is refused by the call, in words, rather than as if there were no such tool.
  const tool = offered ?? options.surface.tools.find(({ name }) => name === request.name);
  if (tool === undefined) {
    const { message, suggestedAction } = unknownTool(options.surface, tools, request.name);
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `${message} ${suggestedAction}`);
  }
  const { workspace, ...input } = request.arguments ?? {};
  /** Where there are several: named in front of every answer. */
  let workspaceName: string | undefined;
  let letGo: (() => void) | undefined;
  /** Where a refusal is recorded that the tool itself does not come to: meant for no workspace, or for two, in the first. */
  let place: (() => Session) | undefined;
  try {
    const named = pathsOf(options, tool, input);
    // Where they are known at once, calls begin in the order in which they came.
    const paths = named instanceof Promise ? await named : named;
    const changes = tool.effect !== "read";
    const [first] = options.served as readonly NamedWorkspace[];
    place = first && (() => scope.sessionIn(first, agent));
    if (options.lookup !== undefined && offered === undefined && changes) throw notForYou(options.lookup, tool);
    const served =
      options.lookup === undefined
        ? servedFor(options, workspace, paths, tool.actions)
        : await found(options.lookup, workspace, changes);
    letGo = served.hold?.();
    if (!isAlone(options)) workspaceName = served.name;
    place = undefined;
    const here = toolIn(options, tool, served);
    if (here === undefined && offered !== undefined) throw notOfferedIn(served, tool);
    if (here !== undefined) place = () => scope.sessionIn(served, agent);
    const result = await allowance.hold(owner, { needs: () => bytesFor(tool, served, paths), signal }, () => {
      const session = scope.sessionIn(served, agent);
      return here === undefined
        ? call(session, options.surface, tool.name, input, callOptions(made))
        : callOffered(session, options.surface, here, input, callOptions(made));
    });
    return result.ok
      ? succeeded(options, tool, result, workspaceName)
      : refused(result.error, result.text, workspaceName);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const text = inWords(error.failure, tool.refused);
    if (place !== undefined)
      await recordAttempt(place(), tool, input, error, { ...callOptions(made), tool: tool.name });
    return refused(error.failure, text, workspaceName);
  } finally {
    letGo?.();
  }
}

/** Of names that a client gives itself and its calls: it may write anything there. */
const MAX_NAME = 200;

/** What the client calls itself. In protocol 2026-07-28 every request says so, before that the connection did. */
export function agentOf({ mcpReq }: ServerContext, server: Server): string | undefined {
  const info = (mcpReq.envelope as Record<string, unknown> | undefined)?.[CLIENT_INFO_META_KEY];
  return nameIn(info ?? server.getClientVersion());
}

export function nameIn(clientInfo: unknown): string | undefined {
  const name = (clientInfo as { readonly name?: unknown } | undefined)?.name;
  return typeof name === "string" ? name.slice(0, MAX_NAME) : undefined;
}

/** How the journal names the call. */
export function callName(id: string | number): string {
  return String(id).slice(0, MAX_NAME);
}

/** Where nothing of the workspace is reached, a path is a name in a store, whatever it looks like. */
function pathsOf(
  { surface }: ServeOptions,
  tool: AnyTool,
  input: Readonly<Record<string, unknown>>,
): ReturnType<typeof namedPaths> {
  return surface.storesElsewhere === true ? [] : namedPaths(tool, input);
}

function callOptions({ request, id, notify, signal }: ToolCall): CallOptions {
  const token = request._meta?.progressToken;
  const options = { call: callName(id), signal };
  if (token === undefined) return options;
  return {
    ...options,
    progress({ done, total, message }) {
      const params = { progressToken: token, progress: done, total, message };
      // A client that has gone hears nothing; that is no reason to stop.
      notify({ method: "notifications/progress", params }).catch(() => {});
    },
  };
}

function succeeded(
  { results }: ServeOptions,
  tool: AnyTool,
  result: ToolResult<unknown> & { ok: true },
  workspace: string | undefined,
): CallToolResult {
  const { images = [] } = tool.images?.(result.data) ?? {};
  const text = framed(result.text, workspace);
  const content = [
    { type: "text" as const, text },
    ...images.map(({ mimeType, base64 }) => ({ type: "image" as const, mimeType, data: base64 })),
  ];
  if (results !== "structured") return { content };
  const structuredContent: Record<string, unknown> = { ...(result.data as Record<string, unknown>), text };
  if (workspace !== undefined) structuredContent.workspace = workspace;
  return { content, structuredContent };
}

/** No structuredContent: clients validate that against the output schema, also for an error. */
function refused(failure: Failure, text: string, workspace: string | undefined): CallToolResult {
  const data: Record<string, unknown> = { ...boundedFailure(failure) };
  if (workspace !== undefined) data.workspace = workspace;
  return {
    content: [{ type: "text", text: framed(boundedText(text), workspace) }],
    isError: true,
    _meta: { [FAILURE_META_KEY]: data },
  };
}

/** The words of an empty file or list, where a dialect has none: some APIs take no empty text. */
const NOTHING = "(empty)";

function framed(text: string, workspace: string | undefined): string {
  const before = workspace === undefined ? "" : `Workspace ${workspace}:\n`;
  return before + (text === "" ? NOTHING : text);
}

/** As the workspace offers it, with what its policy leaves of it. */
function toolIn({ surface }: ServeOptions, { name }: AnyTool, { workspace }: NamedWorkspace): AnyTool | undefined {
  return offeredTools(surface, workspace.policy, workspace.backend).find((each) => each.name === name);
}

/** Where the callers of one kind have the same policy in every workspace. */
function notForYou({ policy }: Lookup, { name }: AnyTool): Refusal {
  const why = policy.readOnly
    ? `${name} changes files, and you may only read here.`
    : `The policy allows nothing that ${name} does.`;
  return new Refusal("permission_denied", why, { next: "Go on without it, or ask the owner of this server." });
}

function notOfferedIn({ name, workspace }: NamedWorkspace, tool: AnyTool): Refusal {
  const why = workspace.policy.readOnly
    ? `The workspace ${name} is read-only, so it has no ${tool.name}.`
    : `The policy of the workspace ${name} allows no ${tool.name}.`;
  return new Refusal("permission_denied", why, {
    next: "Go on without it, or use another workspace.",
  });
}
