// Options of the page: whose workspaces, who looks, and where it is served.
import type { HealthLine } from "../../page/wire.ts";
import type { Allowance } from "../calls/allowance.ts";
import type { Principal, Tokens } from "../http/access/tokens.ts";
import type { Denial } from "../http/denial.ts";
import type { Lookup } from "../workspaces/lookup.ts";
import type { NamedWorkspace } from "../workspaces/named.ts";

export interface PageOptions {
  /** Shown to every visitor; none where workspaces are found by name. */
  readonly served: readonly NamedWorkspace[];
  /** Instead of `served`: what a visitor with such a token can find. */
  readonly lookupFor?: (principal: Principal) => Lookup;
  /** Of stet. */
  readonly version: string;
  /** Under which name the journal has what the owner does on the page. Without it there is no link for an owner. */
  readonly person?: string;
  /** Nothing is changed by the page. */
  readonly readOnly?: boolean;
  /** What is found when the machine and the workspaces are examined. */
  readonly health?: () => AsyncIterable<HealthLine>;
  /** The folder of the page's files, where they are not beside the program. */
  readonly assets?: string;
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
  /** Why a request with this Authorization header has to wait, where that is known without looking its token up. */
  spent(header: string): Denial | undefined;
  /** Counts a request; else says why it has to wait. */
  pay(principal: Principal): Denial | undefined;
}
