// The page on a server: its files for everyone, its data for those who were let in, its acts for those who may.
import type { IncomingMessage, ServerResponse } from "node:http";
import { createShares } from "../../serve/calls/shares.ts";
import type { Principal } from "../../serve/http/access/tokens.ts";
import type { Page, PageOptions, PageSite } from "../../serve/http/page.ts";
import { createDoor, PLACE } from "./access/door.ts";
import { refuseStrangeHost, refuseStrangeOrigin, refuseStrangeSite } from "./access/guards.ts";
import { mayChange, type Visitor } from "./access/roles.ts";
import { NotAllowed, Picture, sendError, sendJson, sendPicture, setSafeHeaders } from "./answer.ts";
import { openAssets } from "./assets.ts";
import { applyUndo, previewUndo, restoreTrashed, review } from "./changes.ts";
import { events } from "./events.ts";
import { bodyOf } from "./request.ts";
import { verify } from "./verify.ts";
import { diff, entry } from "./views/entry.ts";
import { compare, file, picture, version } from "./views/file.ts";
import { net } from "./views/net.ts";
import { health, state, trash } from "./views/state.ts";
import { timeline } from "./views/timeline.ts";
import { createRooms, type Visit } from "./visit.ts";

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

/** They last, and hold little. */
const STREAMS: ReadonlySet<Act> = new Set<Act>([events, verify]);
/** Open at once, of one visitor: each is a connection, and looks at the journal. */
const MAX_STREAMS = 32;
/** Of these, each reads a whole journal. */
const MAX_CHECKS = 2;
/** What an answer may hold in memory until it is out: a picture, or the versions that a diff is of. */
const WEIGHT = 16 * 1024 * 1024;

const API = `${PLACE}/api/`;
const LOGIN = `${PLACE}/login`;
const LEAVE = `${PLACE}/leave`;

export function createPage(options: PageOptions, site: PageSite): Page {
  const assets = openAssets(options.assets);
  const roomFor = createRooms(options);
  const door = createDoor(options, site);
  const streams = createShares(MAX_STREAMS);
  const checks = createShares(MAX_CHECKS);
  const closing = new AbortController();
  const onError = options.onError ?? (() => {});

  async function answer({ request, response, url, known }: Asked): Promise<void> {
    refuseStrangeHost(request, site);
    const { pathname } = url;
    if (request.method === "GET" || request.method === "HEAD") {
      if (assets(pathname, request, response)) return;
    } else if (request.method === "POST") refuseStrangeOrigin(request, site);
    else throw new NotAllowed(405, "This method is not for this address.");
    if (request.method === "POST" && (pathname === LOGIN || pathname === LEAVE)) {
      if (pathname === LEAVE) door.leave(request, response);
      sendJson(request, response, pathname === LOGIN ? await door.login(request, response) : {});
      return;
    }
    // a body may be long on its way: who sends it is looked up when it is there
    const fields = request.method === "POST" ? await bodyOf(request) : Object.fromEntries(url.searchParams);
    const { visitor, who, principal, ended } = await door.entered(request, response);
    if (principal !== undefined) known(principal);
    // who has gone meanwhile is not heard of again: nothing begins that only their going would end
    if (response.closed) return;
    const act = actFor(request, pathname, visitor);
    const signal = AbortSignal.any([closing.signal, ended, goneSignal(response)]);
    cutWith(ended, response);
    const room = roomFor(principal);
    const work = () => act({ room, visitor, who, fields, signal, streams, checks, request, response });
    const told = await (STREAMS.has(act) ? work() : counting(principal, signal, work)).finally(room.leave);
    if (told === undefined) return;
    const sent = told instanceof Picture ? sendPicture(response, told) : sendJson(request, response, told);
    if (principal !== undefined) countUnread(principal, response, sent);
  }

  /** With a token it waits for its turn among the calls with that token. */
  function counting<T>(principal: Principal | undefined, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    if (principal === undefined || site.counted === undefined) return work();
    return site.counted.hold(principal.name, { needs: async () => WEIGHT, signal }, work);
  }

  function countUnread({ name }: Principal, response: ServerResponse, bytes: number): void {
    if (response.closed) return;
    site.counted?.count(name, bytes);
    response.once("close", () => site.counted?.count(name, -bytes));
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

  return {
    receive(request, response, known = () => {}) {
      const url = urlOf(request);
      if (url === undefined || !isOfPage(url.pathname)) return false;
      setSafeHeaders(response);
      answer({ request, response, url, known }).catch((error: unknown) => {
        if (closing.signal.aborted || response.destroyed) return void response.destroy();
        if (isDefect(error)) onError(error as Error);
        sendError(request, response, error);
      });
      return true;
    },
    invite() {
      const secret = door.invite();
      return secret === undefined ? undefined : `/#secret=${secret}`;
    },
    close: () => closing.abort(),
  };
}

interface Asked {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly url: URL;
  readonly known: (principal: Principal) => void;
}

function isOfPage(path: string): boolean {
  return path === "/" || path.startsWith(`${PLACE}/`);
}

function urlOf({ url = "" }: IncomingMessage): URL | undefined {
  return url.startsWith("/") && URL.canParse(url, "http://page") ? new URL(url, "http://page") : undefined;
}

function goneSignal(response: ServerResponse): AbortSignal {
  const gone = new AbortController();
  response.once("close", () => gone.abort());
  return gone.signal;
}

/** What is still being answered to a visit that is over goes nowhere. */
function cutWith(ended: AbortSignal, response: ServerResponse): void {
  const cut = (): void => void response.destroy();
  // one of its own: a visit may have many answers on their way, and signals complain of many listeners
  const own = AbortSignal.any([ended]);
  own.addEventListener("abort", cut);
  response.once("close", () => own.removeEventListener("abort", cut));
  if (own.aborted) cut();
}

function isDefect(error: unknown): boolean {
  return !(error instanceof NotAllowed) && (error as Error | undefined)?.name !== "Refusal";
}
