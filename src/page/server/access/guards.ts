// Guards of the page: a request must be for this server, and from its own page.
import type { IncomingMessage } from "node:http";
import type { PageSite } from "../../../serve/http/page.ts";
import { NotAllowed } from "../answer.ts";

/** Names that lead here by way of another's DNS are not ours. */
export function refuseStrangeHost(request: IncomingMessage, { hosts }: PageSite): void {
  const named = request.headersDistinct.host ?? [];
  if (named.length === 1 && hosts.has(named[0]!.toLowerCase())) return;
  throw new NotAllowed(403, "This server is not called by the Host of this request.");
}

/** Has the key of a page that is let in. No page of another origin can send it, whatever it is. */
export const KEY_HEADER = "x-stet-page";

/** Only a script of this very page sends all three. */
export function refuseStrangeOrigin({ headers }: IncomingMessage, { origins }: PageSite): void {
  const origin = headers.origin?.toLowerCase();
  const isOwn = origin !== undefined && (origin === `http://${headers.host?.toLowerCase()}` || origins.has(origin));
  if (!isOwn) throw new NotAllowed(403, "Pages of this Origin may not use this server.");
  if (headers[KEY_HEADER] === undefined) throw new NotAllowed(403, "This request is not of the page.");
  if (!/^application\/json[ \t]*(?:;|$)/i.test(headers["content-type"] ?? ""))
    throw new NotAllowed(415, "The body must be application/json.");
}

/** Browsers say where a request comes from; the cookie is not sent from elsewhere either. */
export function refuseStrangeSite({ headers }: IncomingMessage): void {
  const site = headers["sec-fetch-site"];
  if (site === undefined || site === "same-origin") return;
  throw new NotAllowed(403, "This is for the page of this server only.");
}
