// Session scopes: whose reads count together, and for each of them one kernel session in every workspace.
import { randomUUID } from "node:crypto";
import { JOURNAL_LIMITS } from "../../core/limits.ts";
import type { Session } from "../../kernel/session.ts";
import type { NamedWorkspace } from "./named.ts";

/** Calls whose reads count together: one agent, as far as the server can distinguish agents. */
export interface SessionScope {
  /** For `instructions`: what "has been read" means here. */
  readonly words: string;
  /** Opened at the first call; `agent` is then how the journal names it. */
  sessionIn(served: NamedWorkspace, agent?: string): Session;
  /** No more calls will come: what was read need not be kept. */
  end?(): void;
}

/** The session scopes of a server. Each method is for one way to distinguish callers. */
export interface Sessions {
  /** stdio, and HTTP with protocol versions of 2025: call once per connection or Mcp-Session-Id. `name`: whose token opened it. */
  forConnection(name?: string): SessionScope;
  /**
   * HTTP without session ids, token with a name: the same scope for the same name. `everywhere`: the same at every server,
   * where what was read is kept in a place that they share.
   */
  forToken(name: string, everywhere?: boolean): SessionScope;
  /** HTTP without session ids, a token without a name: each client by what it calls itself, `name` for those that say nothing. */
  forClients(name: string): SessionScope;
}

/** Of each, the one that was unused longest makes room. */
const MAX_TOKENS = 1000;
const MAX_CLIENTS = 100;

export function createSessions(): Sessions {
  const tokens = new Map<string, SessionScope>();
  const clients = new Map<string, SessionScope>();
  return {
    forConnection: (name) => createScope("What you have read counts for this connection.", name),
    forToken(name, everywhere = false) {
      const words = `What you have read counts for every call made as ${JSON.stringify(name)}.`;
      // A scope that is the same everywhere can be made again as it was; any other would forget what was read.
      const max = everywhere ? MAX_TOKENS : Number.POSITIVE_INFINITY;
      return cached(tokens, name, max, () => createScope(words, name, everywhere ? `@${name}` : undefined));
    },
    forClients: (name) => cached(clients, name, Number.POSITIVE_INFINITY, () => createClientScopes(name)),
  };
}

const CLIENT_WORDS = "What you have read counts for every call that this client makes, in all its connections.";

function createClientScopes(name: string): SessionScope {
  const scopes = new Map<string, SessionScope>();
  return {
    words: CLIENT_WORDS,
    sessionIn: (served, agent = name) =>
      cached(scopes, agent, MAX_CLIENTS, () => createScope(CLIENT_WORDS)).sessionIn(served, agent),
  };
}

/** The one of this name, which is now the one used last. */
function cached(
  scopes: Map<string, SessionScope>,
  name: string,
  max: number,
  create: () => SessionScope,
): SessionScope {
  const scope = scopes.get(name) ?? create();
  scopes.delete(name);
  scopes.set(name, scope);
  if (scopes.size > max) scopes.delete(scopes.keys().next().value!);
  return scope;
}

/** The id is in the journal for others to see; it opens nothing. `name` was proven, so it beats what a client says. */
function createScope(words: string, name?: string, id: string = randomUUID()): SessionScope {
  // A workspace that is closed and opened again is another one.
  const sessions = new WeakMap<NamedWorkspace, Session>();
  const opened: WeakRef<Session>[] = [];
  return {
    words,
    end() {
      // Where the workspace is closed by now, this is dropped later by its age.
      for (const each of opened.splice(0)) Promise.resolve(each.deref()?.ledger.clear?.()).catch(() => {});
    },
    sessionIn(served, agent) {
      const known = sessions.get(served);
      if (known !== undefined) return known;
      const called = (name ?? agent)?.slice(0, JOURNAL_LIMITS.nameChars);
      const session = served.workspace.session(called === undefined ? { id } : { id, agent: called });
      sessions.set(served, session);
      opened.push(new WeakRef(session));
      return session;
    },
  };
}
