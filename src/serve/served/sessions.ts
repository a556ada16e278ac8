// Whose reads count: what the read tracker keys on, and for each key one kernel session in every workspace.
import { randomBytes, randomUUID } from "node:crypto";
import { Refusal } from "../../core/failure.ts";
import { JOURNAL_LIMITS } from "../../core/limits.ts";
import type { Session } from "../../kernel/session.ts";
import { createHandles, type HandleLimits } from "./handles.ts";
import type { Served } from "./served.ts";

/** One agent, as far as the server can tell agents apart. */
export interface Caller {
  /** Opened at the first call; `agent` is then how the journal names it. */
  sessionIn(served: Served, agent?: string): Session;
  /** No more calls will come. */
  end?(): void;
}

/** What a session hangs on, for one kind of caller. */
export interface Keying {
  /** What tells callers apart. */
  readonly by: "connection" | "session id" | "principal" | "client" | "handle";
  /** For `instructions`: what "has been read" means here. */
  readonly words: string;
  /** With handles: the caller of this handle, or a new one and its handle. Refuses a handle that it does not know. */
  callerOf(handle?: unknown): { readonly caller: Caller; readonly handle?: string; readonly isNew?: boolean };
  /** Its callers are gone for good: what they have read need not be kept. */
  end?(): void;
}

/** The sessions of all callers. Each method is for one way in which callers can be told apart. */
export interface Sessions {
  /** stdio: call once per connection. */
  forConnection(): Keying;
  /** HTTP with protocol versions of 2025: call once per Mcp-Session-Id and keep it with the transport. `name`: whose token opened it. */
  forSessionId(name?: string): Keying;
  /**
   * HTTP without session ids, token of a named principal: the same keying for the same name. `everywhere`: the same at
   * every server, where what was read is kept in a place that they share.
   */
  forPrincipal(name: string, everywhere?: boolean): Keying;
  /** HTTP without session ids, a token that clients of one machine share: each client by what it calls itself, `name` for those that say nothing. */
  forClients(name: string): Keying;
  /** HTTP without session ids, token without a name: `owner` identifies the token; its handles work with no other. */
  byHandle(owner: string): Keying;
}

export function createSessions(limits: Partial<HandleLimits> = {}): Sessions {
  const handles = createHandles<Caller>(limits);
  const principals = new Map<string, Keying>();
  const clients = new Map<string, Keying>();
  return {
    forConnection: () => fixed("connection", "What you have read counts for this connection.", createCaller()),
    forSessionId(name) {
      const caller = createCaller(name);
      const keying = fixed("session id", "What you have read counts for this MCP session.", caller);
      return { ...keying, end: () => caller.end?.() };
    },
    forPrincipal(name, everywhere = false) {
      const known = principals.get(name);
      if (known !== undefined) return known;
      const words = `What you have read counts for every call made as ${JSON.stringify(name)}.`;
      const keying = fixed("principal", words, createCaller(name, everywhere ? `@${name}` : undefined));
      principals.set(name, keying);
      // made again as it was, where it is the same everywhere
      if (everywhere && principals.size > MOST_PRINCIPALS) principals.delete(principals.keys().next().value!);
      return keying;
    },
    forClients(name) {
      const known = clients.get(name) ?? fixed("client", CLIENT_WORDS, sharedCaller(name));
      clients.set(name, known);
      return known;
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

const CLIENT_WORDS = "What you have read counts for every call that this client makes, in all its connections.";
const MOST_CLIENTS = 100;
const MOST_PRINCIPALS = 1000;

/** For each name that clients give themselves a caller of its own; the one unused longest makes room. */
function sharedCaller(name: string): Caller {
  const callers = new Map<string, Caller>();
  return {
    sessionIn(served, agent = name) {
      const caller = callers.get(agent) ?? createCaller();
      callers.delete(agent);
      callers.set(agent, caller);
      if (callers.size > MOST_CLIENTS) callers.delete(callers.keys().next().value!);
      return caller.sessionIn(served, agent);
    },
  };
}

/** The id, unlike a handle, is in the journal for others to see; it opens nothing. `name` was proven, so it beats what a client says. */
function createCaller(name?: string, id: string = randomUUID()): Caller {
  // a workspace that is closed meanwhile, and opened again, is another one
  const sessions = new WeakMap<Served, Session>();
  const opened: WeakRef<Session>[] = [];
  return {
    end() {
      // of a workspace that is closed by now it is forgotten later, as too old
      for (const each of opened.splice(0)) Promise.resolve(each.deref()?.ledger.clear?.()).catch(() => {});
    },
    sessionIn(served, agent) {
      const known = sessions.get(served);
      if (known !== undefined) return known;
      const called = (name ?? agent)?.slice(0, JOURNAL_LIMITS.nameChars);
      const session = served.workspace.session({ id, ...(called !== undefined && { agent: called }) });
      sessions.set(served, session);
      opened.push(new WeakRef(session));
      return session;
    },
  };
}
