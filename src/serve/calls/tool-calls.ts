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
import type { CallOptions } from "../../kernel/session.ts";
import { call, recordAttempt, unknownTool } from "../../surfaces/call.ts";
import { namedPaths } from "../../surfaces/input/named-paths.ts";
import { inWords } from "../../surfaces/refusal.ts";
import type { AnyTool, ToolResult } from "../../surfaces/tool.ts";
import { found, isAlone } from "../workspaces/lookup.ts";
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
  // What no policy here allows is refused by the call, in words, rather than as if there were no such tool.
  const tool = options.surface.tools.find(({ name }) => name === request.name);
  if (tool === undefined) {
    const { message, suggestedAction } = unknownTool(options.surface, tools, request.name).error;
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `${message} ${suggestedAction}`);
  }
  const { workspace, ...input } = request.arguments ?? {};
  /** Where there are several: named in front of every answer. */
  let workspaceName: string | undefined;
  let letGo: (() => void) | undefined;
  /** Where a refusal is recorded that the tool itself does not come to: meant for no workspace, or for two, in the first. */
  let [place] = options.served as readonly NamedWorkspace[];
  try {
    const paths = pathsOf(options, tool, input);
    const served =
      options.lookup === undefined
        ? servedFor(options, tool.anywhere ? options.served[0]?.name : workspace, paths, tool.actions)
        : await found(options.lookup, workspace, tool.effect !== "read");
    letGo = served.hold?.();
    if (!isAlone(options)) workspaceName = served.name;
    place = served;
    const about = { ...callOptions(made), ...(isAlone(options) ? {} : { roots: rootsOf(options) }) };
    const result = await allowance.hold(owner, { needs: () => bytesFor(tool, served, paths), signal }, () =>
      call(scope.sessionIn(served, agent), options.surface, tool.name, input, about),
    );
    return result.ok
      ? succeeded(options, tool, result, workspaceName)
      : refused(result.error, result.text, workspaceName);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    if (place !== undefined) {
      const about = { ...callOptions(made), tool: tool.name };
      await recordAttempt(scope.sessionIn(place, agent), tool, input, error, about);
    }
    return refused(error.failure, inWords(error.failure, tool.refused), workspaceName);
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

function rootsOf({ served }: ServeOptions): readonly string[] {
  return served.flatMap(({ workspace: { backend } }) => backend.directory ?? []);
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
  if (tool.result !== undefined) return { ...tool.result(result.data, result.text) } as CallToolResult;
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
