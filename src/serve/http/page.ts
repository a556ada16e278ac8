// The page at `/` as its server sees it: the options, the site, and the one function that answers requests. src/page makes it.
import type { IncomingMessage, ServerResponse } from "node:http";
import type { HealthLine } from "../../page/wire.ts";
import type { Allowance } from "../calls/allowance.ts";
import type { Lookup } from "../workspaces/lookup.ts";
import type { NamedWorkspace } from "../workspaces/named.ts";
import type { Principal, Tokens } from "./access/tokens.ts";
import type { Denial } from "./denial.ts";

/** The page at `/` for the people whose agents are served. */
export interface HttpPage {
  /** Under which name the journal has what the owner does on the page. Without it there is no link for an owner. */
  readonly person?: string;
  /** Nothing is changed by the page. */
  readonly readOnly?: boolean;
  /** What is found when the machine and the workspaces are examined. */
  readonly health?: () => AsyncIterable<HealthLine>;
  /** The folder of the page's files, where they are not beside the program. */
  readonly assets?: string;
}

export interface PageOptions extends HttpPage {
  /** Shown to every visitor; none where workspaces are found by name. */
  readonly served: readonly NamedWorkspace[];
  /** Instead of `served`: what a visitor with such a token can find. */
  readonly lookupFor?: (principal: Principal) => Lookup;
  /** Of stet. */
  readonly version: string;
  /** Told of defects. */
  readonly onError?: ((error: Error) => void) | undefined;
}

/** Where the page is served. */
export interface PageSite {
  readonly port: number;
  /** Exact values of Host. */
  readonly hosts: ReadonlySet<string>;
  /** Exact values of Origin that may write, besides the address itself. */
  readonly origins: ReadonlySet<string>;
  /** Whose tokens let in too; none where there are none. */
  readonly tokens?: Tokens;
  /** What requests with a token count in, those of the page among them. */
  readonly counted?: Counted;
}

export interface Counted extends Pick<Allowance, "hold" | "count"> {
  /** Counts a request; else says why it has to wait. */
  pay(principal: Principal): Denial | undefined;
}

export interface Page {
  /** Answers what is for the page; false when it is for another part of the server. */
  receive(request: IncomingMessage, response: ServerResponse, known?: (principal: Principal) => void): boolean;
  /** What stands behind the address in a link that lets the owner in, once; undefined where there is none. */
  invite(): string | undefined;
  /** Ends the streams. */
  close(): void;
}

export type CreatePage = (options: PageOptions, site: PageSite) => Page;
