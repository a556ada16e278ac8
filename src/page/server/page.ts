// The page on a server: its files for everyone, its data for those who are let in, its changes for those who may.
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Principal } from "../../serve/http/access/tokens.ts";
import { createShares } from "../../serve/http/limits.ts";
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

/** Streams last long and hold little memory, so they do not count as calls. */
const STREAMS: ReadonlySet<Act> = new Set<Act>([events, verify]);
/** Streams of one visitor at once: each is a connection, and follows the journal. */
const MAX_STREAMS = 32;
/** Of these, how many may verify: each reads a whole journal. */
const MAX_CHECKS = 2;
/** An answer may hold so many bytes until it is sent: a picture, or the versions that a diff compares. */
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
    const isPost = request.method === "POST";
    if (isPost) refuseStrangeOrigin(request, site);
    else if (request.method !== "GET" && request.method !== "HEAD")
      throw new NotAllowed(405, "This method is not for this address.");
    else if (assets(pathname, request, response)) return;
    const enters = isPost && (pathname === LOGIN ? door.login : pathname === LEAVE ? door.leave : undefined);
    if (enters) return void sendJson(request, response, await enters(request, response));
    // A body may take long to arrive, so its sender is looked up only then.
    const fields = isPost ? await bodyOf(request) : Object.fromEntries(url.searchParams);
    const { visitor, who, principal, ended } = await door.entered(request, response);
    if (principal !== undefined) known(principal);
    // A visitor who has gone emits no further event that would end the work.
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

  /** Work for a token waits in the queue of its calls. */
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
      if (url?.pathname !== "/" && url?.pathname.startsWith(`${PLACE}/`) !== true) return false;
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

function urlOf({ url = "" }: IncomingMessage): URL | undefined {
  return url.startsWith("/") && URL.canParse(url, "http://page") ? new URL(url, "http://page") : undefined;
}

function goneSignal(response: ServerResponse): AbortSignal {
  const gone = new AbortController();
  response.once("close", () => gone.abort());
  return gone.signal;
}

/** Cuts off the answer when the visit ends. */
function cutWith(ended: AbortSignal, response: ServerResponse): void {
  const cut = (): void => void response.destroy();
  // A signal of its own: many answers may listen to one visit, and Node warns of many listeners.
  const own = AbortSignal.any([ended]);
  own.addEventListener("abort", cut);
  response.once("close", () => own.removeEventListener("abort", cut));
  if (own.aborted) cut();
}

function isDefect(error: unknown): boolean {
  return !(error instanceof NotAllowed) && (error as Error | undefined)?.name !== "Refusal";
}
