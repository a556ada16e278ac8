// Guards of the page: a request must name this server, and come from its own page.
import type { IncomingMessage } from "node:http";
import type { PageSite } from "../../../serve/http/page.ts";
import { NotAllowed } from "../answer.ts";

/** A name of another's DNS may lead here (DNS rebinding). */
export function refuseStrangeHost(request: IncomingMessage, { hosts }: PageSite): void {
  const named = request.headersDistinct.host ?? [];
  if (named.length === 1 && hosts.has(named[0]!.toLowerCase())) return;
  throw new NotAllowed(403, "Host is not allowed. Add it to allowedHosts.");
}

/** Carries the key of a page that is let in. Pages of other origins cannot send this header at all. */
export const KEY_HEADER = "x-stet-page";

/** Only a script of this page sends all three headers. */
export function refuseStrangeOrigin({ headers }: IncomingMessage, { origins }: PageSite): void {
  const origin = headers.origin?.toLowerCase();
  const isOwn = origin !== undefined && (origin === `http://${headers.host?.toLowerCase()}` || origins.has(origin));
  if (!isOwn) throw new NotAllowed(403, "Origin is not allowed. Add it to allowedOrigins.");
  if (headers[KEY_HEADER] === undefined) throw new NotAllowed(403, "The key of the page is missing.");
  if (!/^application\/json[ \t]*(?:;|$)/i.test(headers["content-type"] ?? ""))
    throw new NotAllowed(415, "The body must be application/json.");
}

/** Browsers name the site of the page that asks. The cookie, too, is sent for this site only. */
export function refuseStrangeSite({ headers }: IncomingMessage): void {
  const site = headers["sec-fetch-site"];
  if (site === undefined || site === "same-origin") return;
  throw new NotAllowed(403, "This is for the page of this server only.");
}
