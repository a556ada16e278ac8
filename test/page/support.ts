// A page beside the tools of a server, with a workspace in memory or on disk behind it, and requests as its script makes them.
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Workspace } from "stet";
import { type HttpOptions, type HttpPage, type ServeOptions, serveOverHttp } from "stet/serve";
import { workspace as surface } from "stet/surfaces";
import { afterAll, expect } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));
const open: { close(): Promise<unknown> }[] = [];

afterAll(async () => {
  for (const each of open.splice(0).reverse()) await each.close();
});

export function closing<T extends { close(): Promise<unknown> }>(one: T): T {
  open.push(one);
  return one;
}

let made: Promise<string> | undefined;

/** What was built, or else what the sources make. */
export function pageFolder(): Promise<string> {
  made ??= makePage();
  return made;
}

async function makePage(): Promise<string> {
  if (process.env.TESTS_OF_DIST === "1") return join(root, "dist/page/client");
  const folder = join(root, "node_modules/.cache/page");
  const { bundlePage } = await import("../../scripts/page.mjs");
  await bundlePage(folder);
  return folder;
}

export interface Opened {
  /** With the secret that works once. */
  readonly link: string;
  readonly secret: string;
  readonly url: string;
  readonly port: number;
  close(): Promise<void>;
}

type PageOptions = HttpPage & Pick<HttpOptions, "onError" | "port" | "host" | "tokens" | "limits">;

/** The page beside the tools, as `stet serve` has it; `stet ui` has a test of its own. Its workspaces are closed with it. */
export async function openPage(
  workspaces: Workspace | Readonly<Record<string, Workspace>>,
  options: PageOptions = {},
): Promise<Opened> {
  const named = "backend" in workspaces ? { work: workspaces as Workspace } : workspaces;
  const served = Object.entries(named).map(([name, workspace]) => ({ name, workspace }));
  const { onError = (error) => console.error(error), port = 0, host, tokens, limits, ...own } = options;
  const serving = await serveOverHttp(
    { surface, served: served as unknown as ServeOptions["served"], version: "0.0.0" },
    {
      onError,
      port,
      ...(host !== undefined && { host }),
      ...(tokens !== undefined && { tokens }),
      ...(limits !== undefined && { limits }),
      page: { person: "ada", assets: await pageFolder(), ...own },
    },
  );
  const link = serving.pageLink!;
  const secret = new URL(link).hash.replace("#secret=", "");
  let closed: Promise<void> | undefined;
  const close = () => {
    closed ??= serving.close();
    return closed;
  };
  return closing({ link, secret, url: new URL(serving.url).origin, port: serving.port, close });
}

export interface Browser {
  readonly cookie: string;
  readonly key: string;
  get(path: string, headers?: Record<string, string | undefined>): Promise<Response>;
  post(path: string, body: unknown, headers?: Record<string, string | undefined>): Promise<Response>;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into it as they like
  json(path: string, query?: Record<string, string | number>): Promise<any>;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into it as they like
  tell(path: string, body: unknown): Promise<any>;
}

/** Let in by the link. */
export async function enter({ url, secret }: Pick<Opened, "url" | "secret">): Promise<Browser> {
  const outside = browserAt(url, "");
  const response = await outside.post("/page/login", { secret });
  if (!response.ok) throw new Error(await response.text());
  const { key } = (await response.json()) as { readonly key: string };
  return browserAt(url, response.headers.get("set-cookie")!.split(";")[0]!, key);
}

export function browserAt(url: string, cookie: string, key = "1"): Browser {
  const given = (headers: Record<string, string | undefined>): Record<string, string> =>
    Object.fromEntries(Object.entries(headers).filter((pair): pair is [string, string] => pair[1] !== undefined));
  const get: Browser["get"] = (path, headers = {}) =>
    fetch(url + path, { headers: given({ cookie, "x-stet-page": key, ...headers }) });
  const post: Browser["post"] = (path, body, headers = {}) => {
    const own = { cookie, origin: url, "x-stet-page": key, "content-type": "application/json" };
    return fetch(url + path, { method: "POST", headers: given({ ...own, ...headers }), body: JSON.stringify(body) });
  };
  return {
    cookie,
    key,
    get,
    post,
    json: async (path, query = {}) => {
      const text = new URLSearchParams(query as Record<string, string>).toString();
      return (await get(`/page/api/${path}?${text}`)).json();
    },
    tell: async (path, body) => (await post(`/page/api/${path}`, body)).json(),
  };
}

export interface Told {
  readonly event?: string;
  readonly id?: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into it as they like
  readonly data?: any;
}

type Act = () => unknown;

/** The first so many; `act` happens when the stream is open. */
export async function events(
  inside: Browser,
  path: string,
  count: number,
  act: Act | readonly Act[],
  headers: Record<string, string> = {},
): Promise<Told[]> {
  const response = await inside.get(path, headers);
  expect(response.headers.get("content-type")).toContain("text/event-stream");
  const told: Told[] = [];
  const acts = [act].flat();
  let rest = "";
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  while (told.length < count) {
    const { value, done } = await reader.read();
    if (done) break;
    const blocks = (rest + value).split("\n\n");
    rest = blocks.pop()!;
    for (const block of blocks) {
      const fields = Object.fromEntries(block.split("\n").map((line) => line.split(/: (.*)/s).slice(0, 2)));
      if (fields.event === undefined) continue;
      told.push({ ...fields, data: JSON.parse(fields.data) });
      await acts[told.length - 1]?.();
    }
  }
  await reader.cancel();
  return told;
}
