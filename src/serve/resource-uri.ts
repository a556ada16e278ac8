// stet:///path, or stet://WORKSPACE/path when there are several: how files are named as resources, and back.
import { Refusal } from "../kernel/failure.ts";
import { type Served, type ServeOptions, servedNamed } from "./served.ts";

export function resourceUri({ served }: ServeOptions, { name }: Served, path: string): string {
  return prefix(served, name) + path.split("/").map(encodeURIComponent).join("/");
}

export function resourceTemplate({ served }: ServeOptions, { name }: Served): string {
  return `${prefix(served, name)}{path}`;
}

/** Whoever fills in the template may write "/" as %2F: no file name can hold one, so both mean the same. */
export function fromResourceUri(
  { served }: ServeOptions,
  uri: string,
): { readonly served: Served; readonly path: string } {
  const parts = /^stet:\/\/([^/?#]*)\/([^?#]+)$/i.exec(uri);
  const name = decoded(parts?.[1]);
  const path = decoded(parts?.[2]);
  if (name === undefined || path === undefined || (served.length === 1 && name !== "")) throw malformed(served, uri);
  if (path.split("/").some((part) => part === "" || part === "." || part === "..")) throw malformed(served, uri);
  return { served: servedNamed(served, name), path };
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

function malformed(served: ServeOptions["served"], uri: string): Refusal {
  const names = served.map(({ name }) => `${prefix(served, name)}{path}`).join(", ");
  return new Refusal("invalid_input", `${JSON.stringify(uri.slice(0, 200))} does not name a file here.`, {
    next: `Use ${names}, with a percent-encoded path that goes straight down.`,
  });
}
