// A database, and servers of what is in it, started as their owner starts them.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startPostgres } from "../../scripts/postgres.mjs";
import { migrate, openPool, postgres } from "../../src/backends/postgres/index.ts";
import { createToken, type NewToken } from "../../src/backends/postgres/tenants/tokens.ts";
import type { HttpServing } from "../../src/serve/http/options.ts";
import { write } from "../../src/testing/assertions.ts";
import { type Ran, stet } from "../support/cli.ts";
import { modern, type Raw, send } from "./http-support.ts";

const page = readFileSync(new URL("../../docs/fleet.md", import.meta.url), "utf8");
const [, ROLE_SQL = ""] = /^```sql role\n([\s\S]*?)^```$/m.exec(page)!;
/** As the page tells to make it. */
export const ROLE = ROLE_SQL;

export type Fleet = Awaited<ReturnType<typeof startFleet>>;

export async function startFleet() {
  const database = await startPostgres({ settings: { fsync: "off" } });
  const pool = await openPool(database.url);
  const home = mkdtempSync(join(tmpdir(), "stet-fleet-"));
  const ending = new AbortController();
  const ended: Promise<unknown>[] = [];

  /** `stet serve --config fleet.json`, as its owner starts it. */
  async function serve(
    more: object = {},
    args: readonly string[] = ["--surface", "tracked"],
    { http = {}, policy = {}, signal = ending.signal }: { http?: object; policy?: object; signal?: AbortSignal } = {},
  ): Promise<HttpServing & { readonly ran: Promise<Ran> }> {
    const config = join(home, `${ended.length}.json`);
    writeFileSync(config, JSON.stringify({ database: { url: database.url, ...more }, http, policy }));
    return new Promise((resolve, reject) => {
      const ran = stet(["serve", "--config", config, "--port", "0", "--json", "--structured", ...args], {
        cwd: home,
        signal,
        onOut: (text) => JSON.parse(text).ok === false || resolve({ ...JSON.parse(text), ran }),
      });
      ended.push(ran);
      ran.then(({ code, err }) => reject(new Error(`ended with ${code}: ${err}`)), reject);
    });
  }

  async function token(asked: Partial<NewToken> = {}): Promise<{ token: string; id: string }> {
    const made = await createToken(pool, {
      tenant: "acme",
      principal: "ada",
      role: "write",
      workspaces: ["*"],
      ...asked,
    });
    return { token: made.token, id: made.about.id };
  }

  const ask = async (server: HttpServing, secret: string, raw: Raw) => {
    const answer = await send({ ...server, token: secret }, raw);
    const text = answer.text.startsWith("{") ? answer.text : (/^data: (\{.*)$/m.exec(answer.text)?.[1] ?? "{}");
    return { status: answer.status, ...JSON.parse(text) };
  };

  const call = async (server: HttpServing, secret: string, name: string, input: object) => {
    const { status, result, error } = await ask(server, secret, modern("tools/call", { name, arguments: input }));
    const text: string = result?.content?.[0]?.text ?? error?.message ?? "";
    return { status, text, isError: result?.isError === true, failure: result?._meta?.["stet/failure"] };
  };

  async function workspace(tenant: string, name: string, files: Readonly<Record<string, string>> = {}) {
    const backend = await postgres({ database: pool, tenant, workspace: name });
    for (const [file, content] of Object.entries(files)) await write(backend, file, content);
    return backend;
  }

  await migrate(pool);
  await pool.query(ROLE);
  return {
    database,
    pool,
    home,
    /** Of all servers; call it to end one of them sooner. */
    until: (other: AbortController): AbortSignal => AbortSignal.any([other.signal, ending.signal]),
    asServer: database.url.replace("stet@", "stet_server@"),
    serve,
    token,
    ask,
    call,
    workspace,
    async end() {
      ending.abort();
      await Promise.all(ended);
      await pool.end();
      await database.remove();
      rmSync(home, { recursive: true });
    },
  };
}
