// A page on a server of its own, with a workspace in memory or on disk behind it, and requests as its script makes them.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect } from "vitest";
import type { Workspace } from "../../src/kernel/workspace.ts";
import { type PageServing, servePage } from "../../src/serve/page/listen.ts";
import type { PageOptions, PageSite } from "../../src/serve/page/options.ts";
import { createPage } from "../../src/serve/page/page.ts";

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
  if (process.env.TESTS_OF_DIST === "1") return join(root, "dist/page");
  const folder = join(root, "node_modules/.cache/page");
  const { bundlePage } = await import("../../scripts/page.mjs");
  await bundlePage(folder);
  return folder;
}

export type Opened = PageServing & { readonly secret: string };

export async function openPage(
  workspaces: Workspace | Readonly<Record<string, Workspace>>,
  options: Partial<PageOptions> = {},
  port = 0,
): Promise<Opened> {
  const named = "backend" in workspaces ? { work: workspaces as Workspace } : workspaces;
  const served = Object.entries(named).map(([name, workspace]) => ({ name, workspace }));
  for (const { workspace } of served) closing(workspace);
  const serving = await servePage(
    {
      served: served as unknown as PageOptions["served"],
      version: "0.0.0",
      person: "ada",
      assets: await pageFolder(),
      onError: (error) => console.error(error),
      ...options,
    },
    port,
  );
  return closing({ ...serving, secret: new URL(serving.link).hash.replace("#secret=", "") });
}

/** The page on a server of its own, with whatever tokens. */
export async function pageFor(options: Omit<PageOptions, "version">, site: Partial<PageSite>) {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const hosts = new Set([`127.0.0.1:${port}`]);
  const made = { version: "0.0.0", assets: await pageFolder(), ...options };
  const page = createPage(made, { port, hosts, origins: new Set<string>(), ...site });
  server.on("request", page.receive);
  closing({
    async close() {
      page.close();
      server.close();
      server.closeAllConnections();
    },
  });
  return { page, server, url: `http://127.0.0.1:${port}` };
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
