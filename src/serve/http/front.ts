// The way of every request: place, endpoint, caller, form, body; then it is served, or denied.
import type { IncomingMessage, ServerResponse } from "node:http";
import { type NodeIncomingMessageLike, type NodeServerResponseLike, toNodeHandler } from "@modelcontextprotocol/node";
import type { Allowance } from "../calls/allowance.ts";
import type { Guards } from "./access/guards.ts";
import type { Principal } from "./access/tokens.ts";
import type { BodyReader } from "./body.ts";
import { busy, type Denial, deny, pathOf, SAFE_HEADERS } from "./denial.ts";
import { ENDPOINT, type Endpoints } from "./endpoints.ts";
import { type Called, type Exchange, SUBSCRIBE } from "./handlers.ts";
import type { Entered, Running } from "./limits.ts";
import type { RequestEvent } from "./options.ts";
import type { Page } from "./page.ts";

export interface FrontOptions {
  readonly guards: Guards;
  readonly endpoints: Endpoints;
  readonly running: Running;
  readonly readBody: BodyReader;
  /** Bytes of answers that the clients of one token may leave unread. */
  readonly maxUnread: number;
  readonly allowance: Allowance;
  readonly route: (exchange: Exchange) => Promise<Response>;
  readonly page?: Page | undefined;
  readonly onRequest: ((event: RequestEvent) => void) | undefined;
  readonly onError: (error: Error) => void;
}

interface Visit {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  principal?: Principal;
  denied?: string | undefined;
}

export function createFront(options: FrontOptions) {
  const { guards, endpoints, running, readBody, maxUnread, allowance, route, page } = options;
  const { onRequest, onError } = options;
  return function receive(request: IncomingMessage, response: ServerResponse): void {
    const visit: Visit = { request, response };
    const began = performance.now();
    for (const [name, value] of Object.entries(SAFE_HEADERS)) response.setHeader(name, value);
    if (onRequest !== undefined) response.once("close", () => onRequest(eventOf(visit, performance.now() - began)));
    const known = (principal: Principal): void => {
      visit.principal = principal;
    };
    if (page?.receive(request, response, known)) return;
    answer(visit).then(
      (denial) => denial !== undefined && deny(request, response, denial),
      (error: Error) => {
        if (request.destroyed && !request.complete) return; // the client went away while it was still sending
        onError(error);
        deny(request, response, { status: 500, code: -32603, message: "Internal server error" });
      },
    );
  };

  /** undefined when it was answered; else why it is not. */
  async function answer(visit: Visit): Promise<Denial | undefined> {
    const { request, response } = visit;
    // before anything is waited for: after that no event says that a client has gone
    const finished = new Promise<void>((resolve) => response.once("close", resolve));
    const misplaced = guards.place(request);
    if (misplaced !== undefined) return misplaced;
    const path = pathOf(request);
    if (endpoints.has(path)) return endpoints.answer(request, response);
    if (path !== ENDPOINT) return { status: 404, message: `There is only ${ENDPOINT} here.` };
    const caller = await guards.caller(request);
    if ("status" in caller) {
      visit.denied = caller.reason;
      return caller;
    }
    visit.principal = caller;
    if (response.closed) return undefined;
    const malformed = guards.form(request, caller);
    if (malformed !== undefined) return malformed;
    guards.until(request, finished, () => response.destroy());
    const entered = running.enter(caller.name, finished);
    if ("status" in entered) return entered;
    try {
      return await serve(visit, { principal: caller, finished }, entered);
    } finally {
      entered.leave();
    }
  }

  async function serve(
    { request, response }: Visit,
    { principal, finished }: Pick<Exchange, "principal" | "finished">,
    entered: Entered,
  ): Promise<Denial | undefined> {
    if (request.headers.expect !== undefined) response.writeContinue();
    const read = request.method === "POST" ? await readBody(request, finished) : { value: undefined };
    if ("denial" in read) return read.denial;
    const body = read.value;
    const calls = callsIn(body);
    const isCall = calls.some(({ method }) => method !== SUBSCRIBE);
    const messages = Array.isArray(body) ? body.length : 1;
    const denial = guards.more(principal, messages) ?? (isCall ? entered.begin() : undefined);
    if (denial !== undefined) return denial;
    if (isCall && allowance.unread(principal.name) >= maxUnread) return UNREAD;
    const fetch = async (web: Request) => safe(await route({ request: web, body, calls, principal, finished }));
    const handler = toNodeHandler({ fetch }, { onerror: onError });
    const bounded = boundedAnswer(request, response, { allowance, maxUnread, owner: principal.name });
    await handler(request as NodeIncomingMessageLike, bounded, body);
    return undefined;
  }
}

function safe(response: Response): Response {
  for (const [name, value] of Object.entries(SAFE_HEADERS)) response.headers.set(name, value);
  return response;
}

/** So much more is taken of answers that are small: they may tell of a change. */
const SMALL = 256 * 1024;

interface Unread {
  readonly allowance: Allowance;
  readonly maxUnread: number;
  readonly owner: string;
}

/**
 * Counts what its client has not read. The head of a stream goes out at once, since its client waits for that; any other
 * one with the first bytes, in case they are too many.
 */
function boundedAnswer(
  request: IncomingMessage,
  response: ServerResponse,
  { allowance, maxUnread, owner }: Unread,
): NodeServerResponseLike {
  let sendHead = (): void => {};
  let own = 0;
  const count = (bytes: number): void => {
    own += bytes;
    allowance.count(owner, bytes);
  };
  response.once("close", () => count(-own));
  const fits = (length: number): boolean => {
    const unread = allowance.unread(owner);
    return unread === 0 || unread + length <= (length <= SMALL ? 2 * maxUnread : maxUnread);
  };
  return {
    writeHead(status, headers) {
      sendHead = () => {
        sendHead = () => {};
        response.writeHead(status, headers);
      };
      if (!headers?.["content-type"]?.startsWith("text/event-stream")) return;
      sendHead();
      response.flushHeaders();
    },
    write(chunk) {
      const bytes = typeof chunk === "string" ? Buffer.from(chunk) : chunk;
      // True also when the buffer is full: what a stream keeps back until the response drains would be counted nowhere.
      if (response.writableEnded) return true;
      if (fits(bytes.length)) {
        sendHead();
        count(bytes.length);
        // What was written before the end is reported after it, too.
        response.write(bytes, () => count(-Math.min(own, bytes.length)));
      } else if (response.headersSent) response.destroy();
      else deny(request, response, { ...UNREAD, message: `${UNREAD.message} This call was made; its answer is lost.` });
      return true;
    },
    end(chunk) {
      if (response.writableEnded) return;
      sendHead();
      response.end(chunk);
    },
    on: (event, listener) => response.on(event, listener),
    get destroyed() {
      return response.destroyed;
    },
  };
}

const UNREAD = busy("The answers to earlier calls with this token have not been read. Read them, and try again.");

function callsIn(body: unknown): Called[] {
  return (Array.isArray(body) ? body : [body]).flatMap((message: unknown) => {
    if (typeof message !== "object" || message === null) return [];
    const { id, method, params } = message as Record<string, unknown>;
    if ((typeof id !== "string" && typeof id !== "number") || typeof method !== "string") return [];
    const tool = method === "tools/call" ? (params as { name?: unknown } | undefined)?.name : undefined;
    return [{ id, method, tool }];
  });
}

function eventOf({ request, response, principal, denied }: Visit, ms: number): RequestEvent {
  return {
    method: request.method ?? "",
    path: pathOf(request),
    status: response.statusCode,
    ms,
    remote: request.socket.remoteAddress ?? "",
    principal: principal?.name,
    denied,
  };
}
