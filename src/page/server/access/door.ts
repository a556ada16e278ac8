// Lets visitors in by a link or a token. A token is looked up for every request, and watched while one is answered.
import type { IncomingMessage, ServerResponse } from "node:http";
import { Refusal } from "../../../core/failure.ts";
import { isLoopback } from "../../../serve/http/access/address.ts";
import type { Principal } from "../../../serve/http/access/tokens.ts";
import type { Denial } from "../../../serve/http/denial.ts";
import { createRateLimit } from "../../../serve/http/limits.ts";
import type { PageOptions, PageSite } from "../../../serve/http/page.ts";
import { NotAllowed } from "../answer.ts";
import { bodyOf, secretOf } from "../request.ts";
import { type Admission, createEntrance, type Inside, type Showing } from "./entrance.ts";
import { KEY_HEADER } from "./guards.ts";
import { type Visitor, visitorOf } from "./roles.ts";

export interface Door {
  /** Sets the cookie of one who may come in, and returns the key that goes with it. */
  login(request: IncomingMessage, response: ServerResponse): Promise<{ readonly key: string }>;
  leave(request: IncomingMessage, response: ServerResponse): object;
  /** The visitor who asks. Throws unless they are still let in. */
  entered(request: IncomingMessage, response: ServerResponse): Promise<Entered>;
  /** Makes a secret that lets the owner in, once. Undefined where there is no owner at hand. */
  invite(): string | undefined;
}

export interface Entered {
  readonly visitor: Visitor;
  /** Limits for each visitor count by it. */
  readonly who: string;
  /** The owner of the token, where they came in by one. */
  readonly principal?: Principal;
  /** Aborts when their visit ends. */
  readonly ended: AbortSignal;
}

/** The cookie is sent below this path only: no other part of this server gets it. */
export const PLACE = "/page";

export function createDoor({ person }: PageOptions, { port, tokens, counted }: PageSite): Door {
  const entrance = createEntrance(port);
  const guesses = createRateLimit({ perSecond: 1, burst: 20 });
  const hint = tokens === undefined ? {} : ({ tokens: true } as const);

  /** The owner of a token. A lookup that fails now does not mean that the token is wrong. */
  async function principalOf(header: string, { socket }: IncomingMessage): Promise<Principal | undefined> {
    try {
      return await tokens?.authenticate(header, socket.remoteAddress);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      throw new NotAllowed(503, "Token lookup failed. Try again.");
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

  function inside({ headers }: IncomingMessage): Inside & { readonly shown: Showing } {
    const key = headers[KEY_HEADER];
    const shown = { cookies: headers.cookie, key: typeof key === "string" ? key : undefined };
    const known = entrance.inside(shown);
    if (known === undefined) throw new NotAllowed(401, tokens === undefined ? NO_LINK : NO_TOKEN, hint);
    return { ...known, shown };
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
      entrance.leave(inside(request).shown);
      setCookie(request, response, "");
      return {};
    },

    async entered(request, response) {
      const { shown, token, visitor, who, ended } = inside(request);
      if (token === undefined) return { visitor, who, ended };
      const principal = await principalOf(token, request);
      if (principal === undefined) {
        entrance.leave(shown);
        throw new NotAllowed(401, OVER, hint);
      }
      letPass(counted?.pay(principal));
      const stop = tokens?.watch?.(token, () => entrance.leave(shown));
      // A visitor who has gone emits no further event.
      if (response.closed) stop?.();
      else if (stop !== undefined) response.once("close", stop);
      return { visitor: visitorOf(principal), who, principal, ended };
    },

    invite: () => (person === undefined ? undefined : entrance.invite({ name: person, role: "owner" })),
  };
}

/** Limits count all who came in by a link as one. */
export const LINK = "link";
const GUESSED = "Too many wrong links or tokens from this address. Wait a little.";
const USED = "This link has been used already, or is not of this server. Ask for a new one.";
const WRONG = "This token opens nothing here, or this link has been used already.";
const NO_LINK = "Your session ended, or there was none. Open a new link.";
const NO_TOKEN = "Your session ended, or there was none. Give a token, or open a new link.";
const OVER = "The token of this page opens nothing any more: it was revoked, or has expired.";
