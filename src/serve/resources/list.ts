// resources/list and completion of paths: bounded looks at what the policy lets a caller find and read.
import type { ListResourcesResult, Resource } from "@modelcontextprotocol/server";
import type { Backend, Resolved } from "../../core/backend.ts";
import { Refusal } from "../../core/failure.ts";
import type { CallOptions } from "../../kernel/session.ts";
import { type FoundFile, findFiles } from "../../search/index.ts";
import { comparePaths } from "../../search/order.ts";
import { listable } from "../workspaces/lookup.ts";
import { holding, type NamedWorkspace, type ServeOptions } from "../workspaces/named.ts";
import { badCursor } from "./cursors.ts";
import { mimeTypeOf, type SessionIn } from "./resources.ts";
import { resourceTemplate, resourceUri } from "./uri.ts";

const PAGE = 200;
/** Per workspace; beyond it the template still reaches every file. */
const MAX = 5000;
const MAX_COMPLETIONS = 100;
/** Half of a surrogate pair is no character, so no URI can hold it. */
const NOT_IN_URIS = /\p{Surrogate}/u;

/** The last file of the page before. */
interface Place {
  readonly workspace: string;
  readonly path: string;
}

/** The files of one workspace after the other, in the order of their paths. */
export async function listResources(
  options: ServeOptions,
  sessionIn: SessionIn,
  cursor: string | undefined,
  call: CallOptions,
): Promise<ListResourcesResult> {
  const all = await listable(options);
  const after = cursor === undefined ? undefined : fromCursor(all, cursor);
  const first = all.findIndex(({ name }) => name === after?.workspace);
  const page: { readonly served: NamedWorkspace; readonly file: FoundFile }[] = [];
  for (const served of all.slice(Math.max(0, first))) {
    if (page.length > PAGE) break;
    const files = await holding(served, () => filesIn(served, sessionIn, call));
    const rest =
      served.name === after?.workspace ? files.filter(({ path }) => comparePaths(path, after.path) > 0) : files;
    page.push(...rest.slice(0, PAGE + 1 - page.length).map((file) => ({ served, file })));
  }
  const resources = page.slice(0, PAGE).map(({ served, file }) => asResource(options, served, file));
  const last = page[PAGE - 1];
  if (page.length <= PAGE || last === undefined) return { resources };
  return { resources, nextCursor: toCursor({ workspace: last.served.name, path: last.file.path }) };
}

/** Names that go on from what is there, directories with a slash behind them; none for what is no template here. */
export async function completePath(
  options: ServeOptions,
  sessionIn: SessionIn,
  template: string,
  typed: string,
  call: CallOptions,
): Promise<string[]> {
  const all = await listable(options);
  const served = all.find((each) => resourceTemplate(options, each) === template);
  if (served === undefined) return [];
  const { backend } = served.workspace;
  const slash = typed.lastIndexOf("/") + 1;
  const above = slash === 0 ? [] : typed.slice(0, slash - 1).split("/");
  // What no resource URI can name is no way to complete one.
  if (above.some((part) => part === "" || part === "." || part === "..")) return [];
  const found: string[] = [];
  const look = async (): Promise<void> => {
    const at = await sessionIn(served).resolve(above.join("/") || ".", "list", call);
    for await (const listed of backend.list(at.path)) {
      if (!listed.name.startsWith(typed.slice(slash))) continue;
      const ending = await endingOf(served, listed);
      if (ending !== undefined) found.push(`${typed.slice(0, slash)}${listed.name}${ending}`);
    }
  };
  await holding(served, look).catch((error) => {
    if (!(error instanceof Refusal)) throw error;
  });
  return found.sort(comparePaths).slice(0, MAX_COMPLETIONS);
}

type Listed = Pick<Resolved, "path" | "kind">;

/** A slash behind what leads to a directory; undefined where neither that nor a file may be had. */
async function endingOf(
  { workspace: { backend, policy } }: NamedWorkspace,
  listed: Listed,
): Promise<string | undefined> {
  const { path, kind, via } = listed.kind === "link" ? await leadsTo(backend, listed) : { ...listed, via: [] };
  if (kind !== "directory" && kind !== "file") return undefined;
  const action = kind === "directory" ? "list" : "read";
  if (![path, ...via].every((each) => policy.allows(each, action))) return undefined;
  return kind === "directory" ? "/" : "";
}

async function leadsTo(backend: Backend, { path }: Listed): Promise<Pick<Resolved, "path" | "kind" | "via">> {
  try {
    return await backend.resolve(path);
  } catch (error) {
    if (error instanceof Refusal) return { path, kind: "absent", via: [] };
    throw error;
  }
}

async function filesIn(served: NamedWorkspace, sessionIn: SessionIn, call: CallOptions): Promise<readonly FoundFile[]> {
  const session = sessionIn(served);
  const { policy, backend } = served.workspace;
  if (!policy.allows("", "search")) return [];
  const root = await backend.resolve(".");
  const { files } = await findFiles(session, { root, order: "path", limit: MAX }, call);
  return files.filter(({ path }) => policy.allows(path, "read") && !NOT_IN_URIS.test(path));
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

function toCursor(place: Place): string {
  return Buffer.from(JSON.stringify([place.workspace, place.path])).toString("base64url");
}

/** Only as `toCursor` writes it, to the letter. */
function fromCursor(served: readonly NamedWorkspace[], cursor: string): Place {
  try {
    const [workspace, path] = JSON.parse(Buffer.from(cursor, "base64url").toString());
    const isPlace =
      typeof path === "string" && !NOT_IN_URIS.test(path) && served.some(({ name }) => name === workspace);
    if (isPlace && toCursor({ workspace, path }) === cursor) return { workspace, path };
  } catch {
    // Not one of ours.
  }
  throw badCursor("resources/list");
}
