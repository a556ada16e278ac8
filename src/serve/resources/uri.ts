// stet:///path, or stet://WORKSPACE/path when there are several: how files are named as resources, and back.
import { Refusal } from "../../core/failure.ts";
import type { Served, ServeOptions } from "../served/served.ts";

export function resourceUri({ served }: ServeOptions, { name }: Served, path: string): string {
  return prefix(served, name) + path.split("/").map(encodeURIComponent).join("/");
}

export function resourceTemplate({ served }: ServeOptions, { name }: Served): string {
  return `${prefix(served, name)}{path}`;
}

/** A client that fills in the template may write "/" as %2F: no file name can hold one, so both mean the same. */
export function fromResourceUri(
  { served, surface }: ServeOptions,
  uri: string,
): { readonly served: Served; readonly path: string } {
  if (surface.storesElsewhere === true) throw notOffered(surface.name);
  const parts = /^stet:\/\/([^/?#]*)\/([^?#]+)$/i.exec(uri);
  const name = decoded(parts?.[1]);
  const path = decoded(parts?.[2]);
  const named = served.find((each) => (served.length === 1 ? "" : each.name) === name);
  if (named === undefined || path === undefined) throw malformed(served, uri);
  if (path.split("/").some((part) => part === "" || part === "." || part === "..")) throw malformed(served, uri);
  return { served: named, path };
}

function prefix(served: ServeOptions["served"], name: string): string {
  return served.length === 1 ? "stet:///" : `stet://${encodeURIComponent(name)}/`;
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

function malformed(served: ServeOptions["served"], uri: string): Refusal {
  const names = served.map(({ name }) => `${prefix(served, name)}{path}`).join(", ");
  return new Refusal("invalid_input", `${JSON.stringify(uri.slice(0, 200))} does not name a file here.`, {
    next: `Use ${names}, with a percent-encoded path that goes straight down.`,
  });
}
