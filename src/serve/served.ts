// What a server serves: workspaces under their names, through one surface.
import { Refusal } from "../kernel/failure.ts";
import type { Workspace } from "../kernel/workspace.ts";
import type { Surface } from "../surfaces/tool.ts";

export interface Served {
  /** How callers name it; the only one served needs no name in calls. */
  readonly name: string;
  readonly workspace: Workspace;
}

export type Results = "text" | "structured";

export interface ServeOptions {
  readonly surface: Surface;
  readonly served: readonly [Served, ...Served[]];
  /** Where the client names the roots there may be none; this is then the answer to every call. */
  readonly nothing?: Refusal | undefined;
  /** Of stet, as clients are told. */
  readonly version: string;
  /**
   * What a call answers: words alone, for a model (the default), or also an object after the tool's output schema, for
   * a program. Some clients show their model nothing but the object where there is one.
   */
  readonly results?: Results;
}

/** The workspace that a call means. */
export function servedNamed({ served, nothing }: ServeOptions, name: unknown): Served {
  if (nothing !== undefined) throw nothing;
  if (served.length === 1) return served[0];
  const found = served.find((each) => each.name === name);
  if (found !== undefined) return found;
  const why =
    name === undefined || name === null
      ? "`workspace` is missing."
      : `There is no workspace ${JSON.stringify(name)} here.`;
  throw new Refusal("invalid_input", why, {
    next: `Pass one of ${served.map((each) => JSON.stringify(each.name)).join(", ")} as \`workspace\`.`,
  });
}
