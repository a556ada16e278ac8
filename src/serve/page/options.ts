// What the page needs to know: whose workspaces, who looks, and where it is served.
import type { HealthLine } from "../../page/wire.ts";
import type { Tokens } from "../http/access/tokens.ts";
import type { Served } from "../served/served.ts";

export interface PageOptions {
  readonly served: readonly [Served, ...Served[]];
  /** Of stet. */
  readonly version: string;
  /** Under which name the journal has what the owner does on the page. */
  readonly person: string;
  /** Nothing is changed by the page. */
  readonly readOnly?: boolean;
  /** What is found when the machine and the workspaces are examined. */
  readonly health?: () => AsyncIterable<HealthLine>;
  /** The folder of the page's files, where they are not beside the program. */
  readonly assets?: string;
  /** Told of defects. */
  readonly onError?: (error: Error) => void;
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
}
