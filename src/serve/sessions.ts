// Whose reads count: what the read tracker keys on, and for each key one kernel session in every workspace.
import { randomBytes, randomUUID } from "node:crypto";
import { Refusal } from "../kernel/failure.ts";
import { JOURNAL_LIMITS } from "../kernel/limits.ts";
import type { Session } from "../kernel/session.ts";
import { createHandles, type HandleLimits } from "./handles.ts";
import type { Served } from "./served.ts";

/** One agent, as far as the server can tell agents apart. */
export interface Caller {
  /** Opened at the first call; `agent` is then how the journal names it. */
  sessionIn(served: Served, agent?: string): Session;
}

export interface Keying {
  readonly by: "connection" | "session id" | "principal" | "handle";
  /** For `instructions`: what "has been read" means here. */
  readonly words: string;
  /** With handles: the caller of this handle, or a new one and its handle. Refuses a handle that it does not know. */
  callerOf(handle?: unknown): { readonly caller: Caller; readonly handle?: string; readonly isNew?: boolean };
}

export interface Sessions {
  /** stdio: call once per connection. */
  forConnection(): Keying;
  /** HTTP with protocol versions of 2025: call once per Mcp-Session-Id and keep it with the transport. `name`: whose token opened it. */
  forSessionId(name?: string): Keying;
  /** HTTP without session ids, token of a named principal: the same keying for the same name. */
  forPrincipal(name: string): Keying;
  /** HTTP without session ids, token without a name: `owner` identifies the token; its handles work with no other. */
  byHandle(owner: string): Keying;
}

export function createSessions(limits: Partial<HandleLimits> = {}): Sessions {
  const handles = createHandles<Caller>(limits);
  const principals = new Map<string, Keying>();
  return {
    forConnection: () => fixed("connection", "What you have read counts for this connection.", createCaller()),
    forSessionId: (name) => fixed("session id", "What you have read counts for this MCP session.", createCaller(name)),
    forPrincipal(name) {
      const known = principals.get(name);
      if (known !== undefined) return known;
      const words = `What you have read counts for every call made as ${JSON.stringify(name)}.`;
      const keying = fixed("principal", words, createCaller(name));
      principals.set(name, keying);
      return keying;
    },
    byHandle: (owner) => ({
      by: "handle",
      words:
        "What you have read counts for one `session`: the first call without `session` returns a handle; pass it as `session` in every later call, or what you read before counts as unread.",
      callerOf(handle) {
        if (handle === undefined || handle === null) {
          const minted = randomBytes(16).toString("base64url");
          const caller = createCaller();
          handles.add(owner, minted, caller);
          return { caller, handle: minted, isNew: true };
        }
        const caller = typeof handle === "string" ? handles.get(owner, handle) : undefined;
        if (caller !== undefined) return { caller, handle: handle as string };
        throw new Refusal("invalid_input", "This `session` is not known here, or it was not used for too long.", {
          next: "Call again without `session` to get a new one, and read files again before you change them.",
        });
      },
    }),
  };
}

function fixed(by: Keying["by"], words: string, caller: Caller): Keying {
  const found = { caller };
  return { by, words, callerOf: () => found };
}

/** The id, unlike a handle, is in the journal for others to see; it opens nothing. `name` was proven, so it beats what a client says. */
function createCaller(name?: string): Caller {
  const id = randomUUID();
  const sessions = new Map<Served, Session>();
  return {
    sessionIn(served, agent) {
      const known = sessions.get(served);
      if (known !== undefined) return known;
      const called = (name ?? agent)?.slice(0, JOURNAL_LIMITS.nameChars);
      const session = served.workspace.session({ id, ...(called !== undefined && { agent: called }) });
      sessions.set(served, session);
      return session;
    },
  };
}
