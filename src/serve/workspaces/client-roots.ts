// The roots that a client names. It is asked when the owner named no root, and again when it says that they changed.
import {
  CLIENT_CAPABILITIES_META_KEY,
  type InputRequiredResult,
  inputRequired,
  type JSONRPCMessage,
  type Server,
  type ServerContext,
} from "@modelcontextprotocol/server";
import type { NamedWorkspace } from "./named.ts";

/** Opens what a client names. */
export interface RootsOpener {
  /** Undefined when the client names none. A Refusal says why nothing of it is served. Called again only when it is done. */
  open(uris: readonly string[] | undefined): Promise<readonly NamedWorkspace[]>;
  /** All that it ever opened. */
  close(): Promise<void>;
}

export interface ClientRoots {
  /** Sees each message before it is delivered; what it waits for holds the message up. */
  before(message: JSONRPCMessage): Promise<void> | undefined;
  /** What a client of 2026 has to answer before this call can be made. */
  ask(context: ServerContext): InputRequiredResult | undefined;
}

export interface ClientRootsOptions {
  readonly opener: RootsOpener;
  /** Calls that come now wait for it. */
  readonly serve: (next: Promise<readonly NamedWorkspace[]>) => Promise<void>;
  /** The server of this connection, once there is one. */
  readonly server: () => Server | undefined;
}

/** For an answer that needs no person. */
const MAX_MS = 5000;
const KEY = "roots";

/** The SDK takes an answer for none when one root in it is no file: so the roots are sorted out here. */
const anyAnswer = anything<unknown>();

/** A schema for what the SDK shall not judge. */
export function anything<T>() {
  const types = undefined as { readonly input: T; readonly output: T } | undefined;
  const validate = (value: unknown) => ({ value: value as T });
  return { "~standard": { version: 1, vendor: "stet", types, validate } } as const;
}

export function createClientRoots({ opener, serve, server }: ClientRootsOptions): ClientRoots {
  /** Whether the client can name roots; undefined before its first message. */
  let canName: boolean | undefined;
  let ofFirstEra = false;
  let asked = false;
  /** The last answer. It holds on when there is none to the next question: that says nothing of other directories. */
  let answered: readonly string[] | undefined;
  let underWay: Promise<unknown> | undefined;
  let isNextAsked = false;

  const askNow = async (): Promise<readonly NamedWorkspace[]> => {
    isNextAsked = false;
    const answer = await server()
      ?.request({ method: "roots/list" }, anyAnswer, { timeout: MAX_MS })
      .catch(() => undefined);
    answered = urisIn(answer) ?? answered;
    return opener.open(answered);
  };
  const begin = (next: Promise<readonly NamedWorkspace[]>): Promise<void> => {
    asked = true;
    return serve(next);
  };
  /**
   * No message waits here: the answer comes behind the message that is being looked at. However many notices come while a
   * question is under way, one more is asked after it.
   */
  const askAgain = (): void => {
    if (isNextAsked) return;
    const again = asked;
    isNextAsked = underWay !== undefined;
    const next = underWay === undefined ? askNow() : underWay.then(askNow, askNow);
    underWay = next;
    const done = (): void => {
      if (underWay === next) underWay = undefined;
    };
    next.then(done, done);
    void begin(next).then(() => again && tellOfChange(server()));
  };

  return {
    before(message) {
      if (!("method" in message)) return undefined;
      const { method } = message;
      if (canName === undefined || method === "initialize") {
        canName = namesRoots(message);
        ofFirstEra = method === "initialize";
        return canName ? undefined : begin(opener.open(undefined));
      }
      if (!canName || !ofFirstEra) return undefined;
      const isTime = method === "notifications/initialized" || ("id" in message && method !== "ping");
      if (asked ? method === "notifications/roots/list_changed" : isTime) askAgain();
      return undefined;
    },
    ask({ mcpReq }) {
      if (canName !== true || ofFirstEra || asked) return undefined;
      const answers = mcpReq.inputResponses;
      if (answers === undefined) return inputRequired({ inputRequests: { [KEY]: inputRequired.listRoots() } });
      void begin(opener.open(urisIn(answers[KEY])));
      return undefined;
    },
  };
}

function namesRoots({ method, params }: { readonly method: string; readonly params?: unknown }): boolean {
  const { capabilities, _meta } = (params ?? {}) as Record<string, Record<string, unknown> | undefined>;
  const named = method === "initialize" ? capabilities : _meta?.[CLIENT_CAPABILITIES_META_KEY];
  return typeof named === "object" && named !== null && "roots" in named && named.roots !== undefined;
}

/** Undefined when there is no answer, or none that can be understood; empty when no roots are named. */
function urisIn(answer: unknown): readonly string[] | undefined {
  const { roots } = (answer ?? {}) as { readonly roots?: unknown };
  if (!Array.isArray(roots)) return undefined;
  const uris = roots.map((root: { readonly uri?: unknown } | null) => root?.uri);
  return uris.filter((uri): uri is string => typeof uri === "string");
}

/** The tools may have one argument more or less now, and the resources other names. */
function tellOfChange(server: Server | undefined): void {
  server?.sendToolListChanged().catch(() => {});
  server?.sendResourceListChanged().catch(() => {});
}
