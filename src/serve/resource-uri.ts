// stet:///path, or stet://WORKSPACE/path when there are several: how files are named as resources, and back.
import { Refusal } from "../core/failure.ts";
import { found, isAlone } from "./workspaces/lookup.ts";
import type { NamedWorkspace, ServeOptions } from "./workspaces/named.ts";

export function resourceUri(options: ServeOptions, { name }: NamedWorkspace, path: string): string {
  return prefix(options, name) + path.split("/").map(encodeURIComponent).join("/");
}

export function resourceTemplate(options: ServeOptions, { name }: NamedWorkspace): string {
  return `${prefix(options, name)}{path}`;
}

/** Where workspaces are found by name: for all of them. */
export const TEMPLATE_OF_ALL = "stet://{workspace}/{path}";

/** The workspace and the path in it; the workspace is looked for where there is no list. */
export async function resourceAt(
  options: ServeOptions,
  uri: string,
): Promise<{ readonly served: NamedWorkspace; readonly path: string }> {
  const { lookup } = options;
  if (lookup === undefined) return fromResourceUri(options, uri);
  const parts = partsOf(options, uri);
  if (parts === undefined) throw malformed(options, uri);
  return { served: await found(lookup, parts.name === "" ? undefined : parts.name, false), path: parts.path };
}

/** A client that fills in the template may write "/" as %2F: no file name can hold one, so both mean the same. */
export function fromResourceUri(
  options: ServeOptions,
  uri: string,
): { readonly served: NamedWorkspace; readonly path: string } {
  const parts = partsOf(options, uri);
  const named = options.served.find(({ name }) => (isAlone(options) ? "" : name) === parts?.name);
  if (named === undefined || parts === undefined) throw malformed(options, uri);
  return { served: named, path: parts.path };
}

function partsOf({ surface }: ServeOptions, uri: string): { readonly name: string; readonly path: string } | undefined {
  if (surface.storesElsewhere === true) throw notOffered(surface.name);
  const parts = /^stet:\/\/([^/?#]*)\/([^?#]+)$/i.exec(uri);
  const name = decoded(parts?.[1]);
  const path = decoded(parts?.[2]);
  if (name === undefined || path === undefined) return undefined;
  const goesDown = path.split("/").every((part) => part !== "" && part !== "." && part !== "..");
  return goesDown ? { name, path } : undefined;
}

function prefix(options: ServeOptions, name: string): string {
  return isAlone(options) ? "stet:///" : `stet://${encodeURIComponent(name)}/`;
}

function decoded(text: string | undefined): string | undefined {
  try {
    return text === undefined ? undefined : decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

function notOffered(surface: string): Refusal {
  return new Refusal("invalid_input", `The surface ${surface} does not work on files on disk, so none is a resource.`, {
    next: "Use its tools.",
  });
}

function malformed(options: ServeOptions, uri: string): Refusal {
  const { served, lookup } = options;
  const all = served.map((each) => resourceTemplate(options, each));
  const names = lookup === undefined ? all.join(", ") : isAlone(options) ? "stet:///{path}" : TEMPLATE_OF_ALL;
  return new Refusal("invalid_input", `${JSON.stringify(uri.slice(0, 200))} does not name a file here.`, {
    next: `Use ${names}, with a percent-encoded path that goes straight down.`,
  });
}
