// Named workspaces that a server serves through one surface, and the one that a call means.
import { inOrder, Refusal } from "../../core/failure.ts";
import { printable } from "../../core/printable.ts";
import type { Workspace } from "../../kernel/workspace.ts";
import { isAbsolute } from "../../surfaces/input/named-paths.ts";
import type { AnyTool, Surface } from "../../surfaces/tool.ts";
import type { Lookup } from "./lookup.ts";

/** A workspace under the name that callers use for it. */
export interface NamedWorkspace {
  /** How callers name it; the only one served needs no name in calls. */
  readonly name: string;
  /** Closed with the server, except by `createServerFactory`. */
  readonly workspace: Workspace;
  /** Where workspaces are closed when they are not used: keeps this one open until the returned function is called. */
  readonly hold?: () => () => void;
}

/** Keeps the workspace open for the length of `work`. */
export async function holding<T>({ hold }: NamedWorkspace, work: () => Promise<T>): Promise<T> {
  const letGo = hold?.();
  try {
    return await work();
  } finally {
    letGo?.();
  }
}

/** Words alone, or also an object. */
export type Results = "text" | "structured";

/** What a server serves. */
export interface ServeOptions {
  /** The tools. */
  readonly surface: Surface;
  /** The workspaces that they work in. */
  readonly served: readonly [NamedWorkspace, ...NamedWorkspace[]];
  /** Instead of `served`, which is empty then: workspaces are found by name when they are asked for. */
  readonly lookup?: Lookup;
  /** Where the client names the roots there may be none; this is then the answer to every call. */
  readonly nothing?: Refusal | undefined;
  /** Of stet, for clients. */
  readonly version: string;
  /**
   * What a call answers: words alone, for a model (the default), or also an object after the tool's output schema, for
   * a program. Some clients show their model nothing but the object where there is one.
   */
  readonly results?: Results;
}

/** The workspace that a call means: the one it names, or the one that its absolute paths lie in. */
export function servedFor(
  options: ServeOptions,
  name: unknown,
  paths: readonly string[],
  actions: AnyTool["actions"] = [],
): NamedWorkspace {
  const { served, nothing } = options;
  if (nothing !== undefined) throw nothing;
  const isNamed = name !== undefined && name !== null;
  const found = served.find((each) => each.name === name);
  if (isNamed && found === undefined) throw unnamed(options, `There is no workspace ${JSON.stringify(name)} here.`);
  if (served.length === 1) return served[0];
  const homes = paths.flatMap((path) => homeOf(served, path) ?? []);
  if (found === undefined) return onlyHome(options, homes, paths, actions);
  const stranger = homes.find(({ path }) => found.workspace.relative(path) === undefined);
  if (stranger === undefined) return found;
  const own = paths.find((path) => !isAbsolute(path) || found.workspace.relative(path) !== undefined);
  if (own !== undefined) throw ofTwo([{ path: own, home: found }, stranger], actions);
  const lies = JSON.stringify(stranger.home.name);
  throw new Refusal(
    "invalid_input",
    `\`workspace\` is ${JSON.stringify(name)}, but ${printable(stranger.path)} is in ${lies}.`,
    { path: stranger.path, next: `Pass ${lies} as \`workspace\`, or leave it out.` },
  );
}

interface Home {
  readonly path: string;
  readonly home: NamedWorkspace;
}

function onlyHome(
  options: ServeOptions,
  homes: readonly Home[],
  paths: readonly string[],
  actions: AnyTool["actions"],
): NamedWorkspace {
  const [first] = homes;
  if (first === undefined) throw homeless(options, paths);
  const other = homes.find(({ home }) => home !== first.home);
  if (other !== undefined) throw ofTwo([first, other], actions);
  const stray = paths.find((path) => !homes.some((home) => home.path === path));
  if (stray === undefined) return first.home;
  throw isAbsolute(stray) ? homeless(options, [stray]) : mixed(first, stray);
}

/** A move cannot be made in two calls. */
function ofTwo(homes: readonly Home[], actions: AnyTool["actions"]): Refusal {
  const both = homes.map(({ path, home }) => `${printable(path)} is in ${JSON.stringify(home.name)}`);
  const moves = actions.includes("move");
  return new Refusal("invalid_input", `One call has one workspace, but ${both.join(" and ")}.`, {
    next: inOrder([
      moves && actions.length === 1 ? undefined : "Make a call for each of them.",
      moves ? "Nothing moves from one to another: create the file there, then delete it here." : undefined,
    ]),
  });
}

/** One path says which workspace it is in; the other does not, and may be meant for another. */
function mixed({ path, home }: Home, relative: string): Refusal {
  const name = JSON.stringify(home.name);
  const why = `${printable(path)} is in ${name}, but ${printable(relative)} does not say in which workspace it is.`;
  return new Refusal("invalid_input", why, {
    path: relative,
    next: `Pass ${name} as \`workspace\` if it is meant there too, or write it as an absolute path.`,
  });
}

/** Where workspaces lie in each other, the innermost: what is left of the path there is the shortest. */
function homeOf(served: ServeOptions["served"], path: string): Home | undefined {
  const [innermost] = served
    .flatMap((home) => {
      const rest = home.workspace.relative(path);
      return rest === undefined ? [] : [{ home, length: rest === "." ? 0 : rest.length }];
    })
    .sort((a, b) => a.length - b.length);
  return innermost && { path, home: innermost.home };
}

function homeless(options: ServeOptions, paths: readonly string[]): Refusal {
  const stranger = canChoose(options) ? paths.find(isAbsolute) : undefined;
  if (stranger === undefined) return unnamed(options, "`workspace` is missing.");
  const why = `${printable(stranger)} is in none of the workspaces ${namesOf(options.served)}.`;
  return new Refusal("outside_workspace", why, {
    path: stranger,
    next: "Use a path in one of them: a relative one with its `workspace`, or an absolute one.",
  });
}

function unnamed(options: ServeOptions, why: string): Refusal {
  const { served } = options;
  if (served.length === 1)
    return new Refusal("invalid_input", why, {
      next: `Only ${namesOf(served)} is served now. Pass that as \`workspace\`, or leave it out, if it is what you mean.`,
    });
  const other = canChoose(options) ? ", or an absolute path in one of them" : "";
  return new Refusal("invalid_input", why, { next: `Pass one of ${namesOf(served)} as \`workspace\`${other}.` });
}

/** Whether an absolute path can say which workspace is meant: in a store it is a name like any other. */
export function canChoose({ surface, served }: Pick<ServeOptions, "surface" | "served">): boolean {
  return surface.storesElsewhere !== true && served.some(({ workspace }) => workspace.backend.relative !== undefined);
}

function namesOf(served: ServeOptions["served"]): string {
  return served.map((each) => JSON.stringify(each.name)).join(", ");
}
