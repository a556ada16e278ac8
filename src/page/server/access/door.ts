// Who comes in, by a link or by a token, and who is still let in: a token is looked up again for every request, and watched while one is answered.
import type { IncomingMessage, ServerResponse } from "node:http";
import { Refusal } from "../../../core/failure.ts";
import { isLoopback } from "../../../serve/http/access/address.ts";
import { createRateLimit } from "../../../serve/http/access/rate-limit.ts";
import type { Principal } from "../../../serve/http/access/tokens.ts";
import type { Denial } from "../../../serve/http/denial.ts";
import type { PageOptions, PageSite } from "../../../serve/http/page.ts";
import { NotAllowed } from "../answer.ts";
import { bodyOf, secretOf } from "../request.ts";
import { type Admission, createEntrance, type Showing } from "./entrance.ts";
import { KEY_HEADER } from "./guards.ts";
import { type Visitor, visitorOf } from "./roles.ts";

export interface Door {
  /** Sets the cookie of one who may come in, and returns the key that goes with it. */
  login(request: IncomingMessage, response: ServerResponse): Promise<{ readonly key: string }>;
  leave(request: IncomingMessage, response: ServerResponse): void;
  /** Who asks. The answer is cut off when they are no longer let in. */
  entered(request: IncomingMessage, response: ServerResponse): Promise<Entered>;
  /** A secret that lets the owner in, once. Undefined where there is no owner at hand. */
  invite(): string | undefined;
}

export interface Entered {
  readonly visitor: Visitor;
  /** What is counted for each visitor goes by it. */
  readonly who: string;
  /** By whose token they came in. */
  readonly principal?: Principal;
  /** Aborted when their visit ends. */
  readonly ended: AbortSignal;
}

/** Below which the cookie is sent: nothing else of this server gets it. */
export const PLACE = "/page";

export function createDoor({ person }: PageOptions, { port, tokens, counted }: PageSite): Door {
  const entrance = createEntrance(port);
  const guesses = createRateLimit({ perSecond: 1, burst: 20 });
  const hint = tokens === undefined ? {} : ({ tokens: true } as const);
  const notIn = tokens === undefined ? NO_LINK : NO_TOKEN;

  /** Whose token this is. That it cannot be told now is no reason to say that it opens nothing. */
  async function principalOf(header: string, { socket }: IncomingMessage): Promise<Principal | undefined> {
    letPass(counted?.spent(header));
    try {
      return await tokens?.authenticate(header, socket.remoteAddress);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      throw new NotAllowed(503, "It cannot be told now whose token this is. Try again.");
    }
  }

  function letPass(denial: Denial | undefined): void {
    if (denial !== undefined) throw new NotAllowed(denial.status, denial.message);
  }

  function letIn(request: IncomingMessage, response: ServerResponse, admission: Admission): { readonly key: string } {
    const { cookie, key } = entrance.admit(admission);
    setCookie(request, response, cookie);
    return { key };
  }

  function setCookie({ headers }: IncomingMessage, response: ServerResponse, value: string): void {
    const secure = headers.origin?.startsWith("https:") ? "; Secure" : "";
    const end = value === "" ? "; Max-Age=0" : "";
    const cookie = `${entrance.cookieName}=${value}; HttpOnly; SameSite=Strict; Path=${PLACE}${end}${secure}`;
    response.setHeader("set-cookie", cookie);
  }

  return {
    async login(request, response) {
      const remote = request.socket.remoteAddress ?? "";
      if (guesses.isEmpty(remote) && !isLoopback(remote)) throw new NotAllowed(429, GUESSED, hint);
      const secret = secretOf(await bodyOf(request));
      const invited = entrance.redeem(secret);
      if (invited !== undefined) return letIn(request, response, { visitor: invited, who: LINK });
      const token = `Bearer ${secret}`;
      const principal = await principalOf(token, request);
      if (principal === undefined) {
        if (guesses.take(remote) !== undefined) throw new NotAllowed(429, GUESSED, hint);
        throw new NotAllowed(403, tokens === undefined ? USED : WRONG, hint);
      }
      letPass(counted?.pay(principal));
      return letIn(request, response, { visitor: visitorOf(principal), who: `token ${principal.name}`, token });
    },

    leave(request, response) {
      const shown = shownIn(request);
      if (entrance.inside(shown) === undefined) throw new NotAllowed(401, notIn, hint);
      entrance.leave(shown);
      setCookie(request, response, "");
    },

    async entered(request, response) {
      const shown = shownIn(request);
      const known = entrance.inside(shown);
      if (known === undefined) throw new NotAllowed(401, notIn, hint);
      const { token, visitor, who, ended } = known;
      if (token === undefined) return { visitor, who, ended };
      const principal = await principalOf(token, request);
      if (principal === undefined) {
        entrance.leave(shown);
        throw new NotAllowed(401, OVER, hint);
      }
      letPass(counted?.pay(principal));
      const stop = tokens?.watch?.(token, () => entrance.leave(shown));
      // one that has gone meanwhile is not heard of again
      if (response.closed) stop?.();
      else if (stop !== undefined) response.once("close", stop);
      return { visitor: visitorOf(principal), who, principal, ended };
    },

    invite: () => (person === undefined ? undefined : entrance.invite({ name: person, role: "owner" })),
  };
}

function shownIn({ headers }: IncomingMessage): Showing {
  const key = headers[KEY_HEADER];
  return { cookies: headers.cookie, key: typeof key === "string" ? key : undefined };
}

/** All who came in by a link. */
export const LINK = "link";
const GUESSED = "Too many wrong links or tokens from this address. Wait a little.";
const USED = "This link has been used already, or is not of this server. Ask for a new one.";
const WRONG = "This token opens nothing here, or this link has been used already.";
const NO_LINK = "This page is not let in, or no longer: open a new link.";
const NO_TOKEN = "This page is not let in, or no longer: give a token, or open a new link.";
const OVER = "The token of this page opens nothing any more: it was revoked, or is over.";
