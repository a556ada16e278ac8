// Files as resources: listed, completed and read like any other, through the caller's session, so that policy, limits and journal hold.
import {
  type ListResourcesResult,
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
  type Resource,
  ResourceNotFoundError,
} from "@modelcontextprotocol/server";
import { Refusal } from "../core/failure.ts";
import { bytesOf } from "../core/version.ts";
import type { CallOptions, Session } from "../kernel/session.ts";
import { comparePaths } from "../search/engine.ts";
import { type FoundFile, findFiles } from "../search/index.ts";
import { MEDIA_TYPES } from "../surfaces/media-types.ts";
import { inWords } from "../surfaces/refusal.ts";
import { unlessRefused } from "./calls/allowance.ts";
import { asProtocolError, boundedText } from "./calls/defects.ts";
import { resourceAt, resourceTemplate, resourceUri } from "./resource-uri.ts";
import { listable } from "./workspaces/lookup.ts";
import { holding, type NamedWorkspace, type ServeOptions } from "./workspaces/named.ts";

/** The session of one caller in a workspace. */
export type SessionIn = (served: NamedWorkspace) => Session;

const PAGE = 200;
/** Per workspace; beyond it the template still reaches every file. */
const MAX = 5000;
const MAX_COMPLETIONS = 100;
/** Half of a surrogate pair is no character, so no URI can hold it. */
const NOT_IN_URIS = /\p{Surrogate}/u;

/** The files of one workspace after the other, in the order of their paths. */
export async function listResources(
  options: ServeOptions,
  sessionIn: SessionIn,
  cursor: unknown,
  call: CallOptions,
): Promise<ListResourcesResult> {
  const all = await listable(options);
  const after = cursor === undefined ? undefined : fromCursor(all, cursor);
  const first = all.findIndex(({ name }) => name === after?.workspace);
  const page: { readonly served: NamedWorkspace; readonly file: FoundFile }[] = [];
  for (const served of all.slice(Math.max(0, first))) {
    if (page.length > PAGE) break;
    const files = await filesIn(served, sessionIn, ".", call);
    const isRest = ({ path }: FoundFile) => served.name !== after?.workspace || comparePaths(path, after.path) > 0;
    const rest = files.filter(isRest).slice(0, PAGE + 1 - page.length);
    page.push(...rest.map((file) => ({ served, file })));
  }
  const resources = page.slice(0, PAGE).map(({ served, file }) => asResource(options, served, file));
  const last = page[PAGE - 1];
  if (page.length <= PAGE || last === undefined) return { resources };
  return { resources, nextCursor: toCursor({ workspace: last.served.name, path: last.file.path }) };
}

/** What goes on from there to files that are listed, directories with a slash behind them; none for what is no template here. */
export async function completePath(
  options: ServeOptions,
  sessionIn: SessionIn,
  template: string,
  typed: string,
  call: CallOptions,
): Promise<string[]> {
  const served = (await listable(options)).find((each) => resourceTemplate(options, each) === template);
  if (served === undefined) return [];
  const directory = typed.slice(0, typed.lastIndexOf("/") + 1);
  // What no resource URI can name is no way to complete one.
  if (directory !== "" && !/^(?:(?!\.{0,2}\/)[^/]+\/)+$/.test(directory)) return [];
  const files = await unlessRefused([], () => filesIn(served, sessionIn, directory || ".", call));
  const names = files.filter(({ path }) => path.startsWith(typed)).map(({ path }) => nextPart(path, directory));
  return [...new Set(names)].slice(0, MAX_COMPLETIONS);
}

function nextPart(path: string, directory: string): string {
  const slash = path.indexOf("/", directory.length);
  return slash === -1 ? path : path.slice(0, slash + 1);
}

function filesIn(
  served: NamedWorkspace,
  sessionIn: SessionIn,
  directory: string,
  call: CallOptions,
): Promise<readonly FoundFile[]> {
  return holding(served, async () => {
    const { policy, backend } = served.workspace;
    if (!policy.allows("", "search")) return [];
    const root = await backend.resolve(directory);
    const { files } = await findFiles(sessionIn(served), { root, order: "path", limit: MAX }, call);
    return files.filter(({ path }) => policy.allows(path, "read") && !NOT_IN_URIS.test(path));
  });
}

function asResource(options: ServeOptions, served: NamedWorkspace, { path, size, mtimeMs }: FoundFile): Resource {
  return {
    uri: resourceUri(options, served, path),
    name: path,
    size,
    mimeType: mimeTypeOf(path, "unknown"),
    annotations: { lastModified: new Date(mtimeMs).toISOString() },
  };
}

/** The last file of the page before. */
interface Place {
  readonly workspace: string;
  readonly path: string;
}

function toCursor(place: Place): string {
  return Buffer.from(JSON.stringify([place.workspace, place.path])).toString("base64url");
}

/** Only as `toCursor` writes it, to the letter. */
function fromCursor(served: readonly NamedWorkspace[], cursor: unknown): Place {
  try {
    const [workspace, path] = JSON.parse(Buffer.from(String(cursor), "base64url").toString());
    const isPlace =
      typeof path === "string" && !NOT_IN_URIS.test(path) && served.some(({ name }) => name === workspace);
    if (isPlace && toCursor({ workspace, path }) === cursor) return { workspace, path };
  } catch {
    // Not one of ours.
  }
  throw badCursor("resources/list");
}

export function badCursor(method: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, `The cursor is not one that ${method} returned.`);
}

export async function readResource(
  options: ServeOptions,
  uri: string,
  sessionIn: SessionIn,
  call: CallOptions,
): Promise<ReadResourceResult> {
  try {
    const { served, path } = await resourceAt(options, uri);
    const content = await holding(served, () => contentOf(sessionIn(served), path, call));
    return { contents: [{ uri, ...content }] };
  } catch (error) {
    if (error instanceof Refusal) throw aboutResource(error, uri);
    throw error;
  }
}

/** Text where every byte of it can be shown as text, else all the bytes. */
async function contentOf(session: Session, path: string, call: CallOptions) {
  try {
    const read = await session.read(path, undefined, call);
    if (read.whole?.text.invalid === 0) return { mimeType: mimeTypeOf(path, "text"), text: read.body };
  } catch (error) {
    if (!(error instanceof Refusal) || (error.kind !== "binary_file" && error.kind !== "not_text")) throw error;
  }
  const { at, version } = await session.readBytes(path, call);
  await session.showed(at.path, version);
  return { mimeType: mimeTypeOf(path, "binary"), blob: Buffer.from(bytesOf(version)).toString("base64") };
}

/** "Not found" has the code of protocol 2026-07-28, which the SDK sends to older clients too. */
function aboutResource(refusal: Refusal, uri: string): ProtocolError {
  if (refusal.kind === "not_found")
    return new ResourceNotFoundError(boundedText(uri), boundedText(inWords(refusal.failure, "")));
  return asProtocolError(refusal, { uri: boundedText(uri) });
}

/** Texts that clients show by their type; any other text is plain. */
const TEXT_TYPES: Readonly<Record<string, string>> = {
  css: "text/css",
  csv: "text/csv",
  html: "text/html",
  js: "text/javascript",
  json: "application/json",
  md: "text/markdown",
  svg: "image/svg+xml",
  xml: "application/xml",
};

const TYPES: Readonly<Record<string, string>> = { ...MEDIA_TYPES, ...TEXT_TYPES };

/** A name promises less than the bytes show: binary content is never called text. */
function mimeTypeOf(path: string, content: "text" | "binary" | "unknown"): string | undefined {
  const ending = /\.([a-z0-9]+)$/i.exec(path)?.[1]?.toLowerCase() ?? "";
  const named = Object.hasOwn(TYPES, ending) ? TYPES[ending] : undefined;
  if (content === "unknown") return named;
  if (content === "text") return named ?? "text/plain";
  return named === undefined || Object.hasOwn(TEXT_TYPES, ending) ? "application/octet-stream" : named;
}
