// The page on a server: its files for everyone, its data for those who were let in, its acts for those who may.
import type { IncomingMessage, ServerResponse } from "node:http";
import { isLoopback } from "../http/access/address.ts";
import { createRateLimit } from "../http/access/rate-limit.ts";
import { createEntrance } from "./access/entrance.ts";
import { mayChange, type Visitor, visitorOf } from "./access/roles.ts";
import { review } from "./acts/review.ts";
import { restoreTrashed, trash } from "./acts/trash.ts";
import { applyUndo, previewUndo } from "./acts/undo.ts";
import { NotAllowed, Picture, sendError, sendJson, sendPicture, setSafeHeaders } from "./answer.ts";
import { openAssets } from "./assets.ts";
import type { PageOptions, PageSite } from "./options.ts";
import { bodyOf, queryOf, textOf } from "./request.ts";
import { events } from "./streams/events.ts";
import { verify } from "./streams/verify.ts";
import { diff, entry } from "./views/entry.ts";
import { compare, file, picture, version } from "./views/file.ts";
import { net } from "./views/net.ts";
import { health, state } from "./views/state.ts";
import { timeline } from "./views/timeline.ts";
import { createRoom, type Visit } from "./visit.ts";

type Act = (visit: Visit) => Promise<unknown>;

const LOOKS: Readonly<Record<string, Act>> = {
  timeline,
  entry,
  diff,
  file,
  version,
  compare,
  picture,
  net,
  trash,
  state,
  health,
  events,
  verify,
};
const CHANGES: Readonly<Record<string, Act>> = {
  preview: previewUndo,
  undo: applyUndo,
  restore: restoreTrashed,
  review,
};

/** Below which the cookie is sent: nothing else of this server gets it. */
const PLACE = "/page";
const API = `${PLACE}/api/`;
const LOGIN = `${PLACE}/login`;

export interface Page {
  /** Answers what is for the page; false when it is for another part of the server. */
  receive(request: IncomingMessage, response: ServerResponse): boolean;
  /** What stands behind the address in a link that lets the owner in, once. */
  invite(): string;
  /** Ends the streams. */
  close(): void;
}

export function createPage(options: PageOptions, site: PageSite): Page {
  const assets = openAssets(options.assets);
  const room = createRoom(options);
  const entrance = createEntrance(site.port);
  const guesses = createRateLimit({ perSecond: 1, burst: 20 });
  const closing = new AbortController();
  const onError = options.onError ?? (() => {});

  async function answer(request: IncomingMessage, response: ServerResponse, url: URL): Promise<void> {
    refuseStrangeHost(request, site);
    if (request.method === "GET" || request.method === "HEAD") {
      if (assets(url.pathname, request, response)) return;
    } else if (request.method === "POST") refuseStrangeOrigin(request, site);
    else throw new NotAllowed(405, "This method is not for this address.");
    if (url.pathname === LOGIN && request.method === "POST") return login(request, response);
    const visitor = entrance.visitor(request.headers.cookie);
    if (visitor === undefined) throw new NotAllowed(401, "This page is not let in, or no longer: open a new link.");
    const act = actFor(request, url.pathname, visitor);
    const fields = request.method === "POST" ? await bodyOf(request) : queryOf(url);
    const signal = AbortSignal.any([closing.signal, goneSignal(response)]);
    const told = await act({ room, visitor, fields, signal, request, response });
    if (told instanceof Picture) sendPicture(response, told);
    else if (told !== undefined) sendJson(request, response, told);
  }

  function actFor(request: IncomingMessage, path: string, visitor: Visitor): Act {
    const name = path.startsWith(API) ? path.slice(API.length) : "";
    const isPost = request.method === "POST";
    const table = isPost ? CHANGES : LOOKS;
    if (!Object.hasOwn(table, name)) throw new NotAllowed(404, "There is nothing here.");
    if (!isPost) refuseStrangeSite(request);
    if (isPost && (options.readOnly === true || !mayChange(visitor)))
      throw new NotAllowed(403, "Nothing was changed: this page may only look.");
    return table[name]!;
  }

  /** By a link's secret, or by a token, which works as often as it is known. */
  async function login(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const remote = request.socket.remoteAddress ?? "";
    if (guesses.isEmpty(remote) && !isLoopback(remote)) throw new NotAllowed(429, GUESSED);
    const secret = textOf(await bodyOf(request), "secret");
    const invited = entrance.redeem(secret);
    const principal = invited === undefined ? await site.tokens?.authenticate(`Bearer ${secret}`) : undefined;
    const visitor = invited ?? (principal && visitorOf(principal));
    if (visitor === undefined) {
      const seconds = guesses.take(remote);
      if (seconds !== undefined) throw new NotAllowed(429, GUESSED);
      throw new NotAllowed(403, "This link has been used already, or is not of this server. Ask for a new one.");
    }
    const secure = request.headers.origin?.startsWith("https:") ? "; Secure" : "";
    const cookie = `${entrance.cookieName}=${entrance.admit(visitor)}; HttpOnly; SameSite=Strict; Path=${PLACE}${secure}`;
    response.setHeader("set-cookie", cookie);
    sendJson(request, response, {});
  }

  return {
    receive(request, response) {
      const url = urlOf(request);
      if (url === undefined || !isOfPage(url.pathname)) return false;
      setSafeHeaders(response);
      answer(request, response, url).catch((error: unknown) => {
        if (closing.signal.aborted || response.destroyed) return void response.destroy();
        if (isDefect(error)) onError(error as Error);
        sendError(request, response, error);
      });
      return true;
    },
    invite: () => `/#secret=${entrance.invite({ name: options.person, role: "owner" })}`,
    close: () => closing.abort(),
  };
}

const GUESSED = "Too many wrong links from this address. Wait a little.";

function isOfPage(path: string): boolean {
  return path === "/" || path.startsWith(`${PLACE}/`);
}

function urlOf({ url = "" }: IncomingMessage): URL | undefined {
  return url.startsWith("/") && URL.canParse(url, "http://page") ? new URL(url, "http://page") : undefined;
}

/** Names that lead here by way of another's DNS are not ours. */
function refuseStrangeHost(request: IncomingMessage, { hosts }: PageSite): void {
  const named = request.headersDistinct.host ?? [];
  if (named.length === 1 && hosts.has(named[0]!.toLowerCase())) return;
  throw new NotAllowed(403, "This server is not called by the Host of this request.");
}

/** Only a script of this very page sends all three. */
function refuseStrangeOrigin({ headers }: IncomingMessage, { origins }: PageSite): void {
  const origin = headers.origin?.toLowerCase();
  const isOwn = origin !== undefined && (origin === `http://${headers.host?.toLowerCase()}` || origins.has(origin));
  if (!isOwn) throw new NotAllowed(403, "Pages of this Origin may not use this server.");
  if (headers["x-stet-page"] !== "1") throw new NotAllowed(403, "This request is not of the page.");
  if (!/^application\/json\b/i.test(headers["content-type"] ?? ""))
    throw new NotAllowed(415, "The body must be application/json.");
}

/** Browsers say where a request comes from; the cookie is not sent from elsewhere either. */
function refuseStrangeSite({ headers }: IncomingMessage): void {
  const site = headers["sec-fetch-site"];
  if (site === undefined || site === "same-origin") return;
  throw new NotAllowed(403, "This is for the page of this server only.");
}

function goneSignal(response: ServerResponse): AbortSignal {
  const gone = new AbortController();
  response.once("close", () => gone.abort());
  return gone.signal;
}

function isDefect(error: unknown): boolean {
  return !(error instanceof NotAllowed) && (error as Error | undefined)?.name !== "Refusal";
}
