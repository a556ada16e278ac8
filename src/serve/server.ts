// The MCP server: one factory builds it for a connection, a session or a single request; what lasts lives outside.
import {
  type CallToolResult,
  type InputRequiredResult,
  Server,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { type FailureKind, Refusal } from "../core/failure.ts";
import type { CallOptions } from "../kernel/session.ts";
import { type Allowance, bytesBehind, createAllowance } from "./calls/allowance.ts";
import { createGuard, FAILURE_META_KEY, type Log, logToStderr } from "./calls/defects.ts";
import { instructionsFor } from "./calls/described.ts";
import { agentOf, callName, callTool, type ToolCall } from "./calls/tool-calls.ts";
import { checkFactoryOptions } from "./options.ts";
import { resourceTemplate, TEMPLATE_OF_ALL } from "./resource-uri.ts";
import { badCursor, completePath, listResources, readResource, type SessionIn } from "./resources.ts";
import { anything } from "./workspaces/client-roots.ts";
import { isAlone } from "./workspaces/lookup.ts";
import type { NamedWorkspace, ServeOptions } from "./workspaces/named.ts";
import { createOffering } from "./workspaces/offering.ts";
import { createSessions, type SessionScope, type Sessions } from "./workspaces/sessions.ts";

/** What the servers of one factory have in common. */
export interface FactoryOptions {
  /** Where defects are written; stderr when not given. */
  readonly log?: Log;
  /** What the calls of one owner may hold in memory. */
  readonly allowance?: Allowance;
  /** Told of every call of a tool when it is over. */
  readonly onCall?: (event: CallEvent) => void;
  /** What the client has to answer before a call of a tool; undefined when there is nothing left to ask. */
  readonly askFirst?: ((context: ServerContext) => InputRequiredResult | undefined) | undefined;
}

/** A call of a tool that is over. Has no arguments, and nothing of files. */
export interface CallEvent {
  /** As it was called; one that there is not is "(unknown)". */
  readonly tool: string;
  /** From the call to its answer. */
  readonly ms: number;
  /** Whose call it was, where that is known. */
  readonly principal?: string | undefined;
  /** Why it was refused. */
  readonly refused?: FailureKind;
  /** It was answered with an error of the protocol. */
  readonly failed?: true;
}

export type CallNow = Omit<ToolCall, "allowance">;

/** For a client whose unread answers are bounded elsewhere: on stdio it is then asked for no more. */
const MAX_HELD = 64 * 1024 * 1024;

/** Makes MCP servers for a transport, and holds what outlives each of them. */
export interface ServerFactory {
  /** Whose reads count. */
  readonly sessions: Sessions;
  /** Cheap: over HTTP it happens for every request. Keep its `onclose` when you set your own. `owner`: whose calls are counted together. */
  build(scope: SessionScope, owner?: string): Server;
  /** A call that came past the server; it answers calls just so. */
  call(made: CallNow): Promise<CallToolResult>;
  /** From then on these workspaces are served, and calls wait for them. Clients are notified only if it was announced: `askFirst`. */
  serve(next: Promise<readonly NamedWorkspace[]>): Promise<void>;
  /** When no call is under way. */
  settled(): Promise<void>;
  /** Cancels the calls under way and those that still come: what is being committed is finished, and all are answered. */
  cancelAll(): void;
  /** Waits for calls under way. The workspaces stay open: the code that opened them closes them. */
  close(): Promise<void>;
}

/** The MCP server for a transport of your own. The workspaces stay yours to close. */
export function createServerFactory(given: ServeOptions, extra: FactoryOptions = {}): ServerFactory {
  checkFactoryOptions(given, extra);
  refuseBadNames(given);
  const log = extra.log ?? logToStderr;
  const guard = createGuard(log);
  const offering = createOffering(given, log);
  const { options } = offering;
  const allowance = extra.allowance ?? createAllowance(MAX_HELD);
  const info = { name: "stet", version: options.version };
  const hasResources = options.surface.storesElsewhere !== true;
  const mayChange = extra.askFirst !== undefined && { listChanged: true };
  const capabilities = {
    tools: { ...mayChange },
    ...(hasResources && { resources: { ...mayChange }, completions: {} }),
  };

  const callNow = async (made: CallNow): Promise<CallToolResult> => {
    const result = await reported(made, () =>
      guard(made.request.name, made.signal, async (signal) => {
        if (offering.coming !== undefined) await offering.coming;
        return callTool(options, offering.described.tools, { ...made, signal, allowance });
      }),
    );
    // Gemini CLI shows `_meta` to its model: only programs that ask for structure get it.
    const { _meta, ...plain } = result;
    return options.results === "structured" ? result : plain;
  };
  const reported = async (
    { request: { name }, owner }: CallNow,
    act: () => Promise<CallToolResult>,
  ): Promise<CallToolResult> => {
    if (extra.onCall === undefined) return act();
    const began = performance.now();
    // What a client makes up is no name for logs and numbers.
    const tool = options.surface.tools.some((each) => each.name === name) ? name : "(unknown)";
    const over = (how: Pick<CallEvent, "refused" | "failed">): void =>
      extra.onCall?.({ tool, ms: performance.now() - began, principal: owner || undefined, ...how });
    try {
      const result = await act();
      over(result.isError === true ? { refused: kindOf(result) } : {});
      return result;
    } catch (error) {
      over({ failed: true });
      throw error;
    }
  };

  const build = (scope: SessionScope, owner = ""): Server => {
    const server = new Server(info, { capabilities, instructions: instructionsFor(options, scope) });
    const sessionFor =
      (context: ServerContext): SessionIn =>
      (served) =>
        scope.sessionIn(served, agentOf(context, server));
    const guarded = <T>(what: string, context: ServerContext, act: (call: CallOptions) => Promise<T>): Promise<T> =>
      guard(what, context.mcpReq.signal, async (signal) => {
        await offering.coming;
        return act({ call: callName(context.mcpReq.id), tool: context.mcpReq.method, signal });
      });

    server.setRequestHandler("tools/list", anyPage, async ({ cursor }) => {
      if (cursor !== undefined) throw badCursor("tools/list");
      await offering.coming;
      return { tools: offering.described.listed };
    });
    server.setRequestHandler("tools/call", ({ params: request }, context) => {
      const first = extra.askFirst?.(context);
      if (first !== undefined) return first;
      const { id, notify, signal } = context.mcpReq;
      return callNow({ request, id, notify, agent: agentOf(context, server), scope, owner, signal });
    });
    if (!hasResources) return server;

    server.setRequestHandler("resources/templates/list", anyPage, async ({ cursor }) => {
      if (cursor !== undefined) throw badCursor("resources/templates/list");
      await offering.coming;
      return { resourceTemplates: templatesOf(options) };
    });
    server.setRequestHandler("resources/list", anyPage, ({ cursor }, context) =>
      guarded("resources/list", context, (call) => listResources(options, sessionFor(context), cursor, call)),
    );
    server.setRequestHandler(
      "resources/read",
      ({ params: { uri } }, context) =>
        extra.askFirst?.(context) ??
        guarded("resources/read", context, async (call) => {
          const weighed = { needs: () => bytesBehind(options, uri), signal: call.signal ?? context.mcpReq.signal };
          return allowance.hold(owner, weighed, () => readResource(options, uri, sessionFor(context), call));
        }),
    );
    server.setRequestHandler("completion/complete", ({ params: { ref, argument } }, context) =>
      guarded("completion/complete", context, async (call) => {
        const isPath = ref.type === "ref/resource" && argument.name === "path";
        const values = isPath ? await completePath(options, sessionFor(context), ref.uri, argument.value, call) : [];
        return { completion: { values } };
      }),
    );
    return server;
  };

  return {
    sessions: createSessions(),
    build,
    call: callNow,
    serve: offering.serve,
    settled: guard.settled,
    cancelAll: guard.cancelAll,
    close: guard.settled,
  };
}

/** A surface with few kinds keeps the one of the kernel as the cause. */
function kindOf({ _meta }: CallToolResult): FailureKind {
  const failure = _meta?.[FAILURE_META_KEY] as
    | { readonly kind?: FailureKind; readonly details?: { readonly cause?: FailureKind } }
    | undefined;
  return failure?.details?.cause ?? failure?.kind ?? "unknown";
}

/** By itself the SDK calls a cursor of a wrong type an internal error. */
const anyPage = { params: anything<{ readonly cursor?: unknown }>() };

function templatesOf(options: ServeOptions) {
  if (options.lookup !== undefined) {
    const uriTemplate = isAlone(options) ? "stet:///{path}" : TEMPLATE_OF_ALL;
    return [{ uriTemplate, name: "file", description: "A file of a workspace; path is relative to its root" }];
  }
  return options.served.map((served) => ({
    uriTemplate: resourceTemplate(options, served),
    name: served.name,
    description: `A file of the workspace ${served.name}; path is relative to its root`,
  }));
}

function refuseBadNames({ served }: ServeOptions): void {
  const names = served.map(({ name }) => name);
  if (new Set(names).size === names.length && names.every((name) => typeof name === "string" && name !== "")) return;
  throw new Refusal("invalid_input", `Workspaces need different names; these are ${JSON.stringify(names)}.`);
}
