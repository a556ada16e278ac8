// A database, and servers of what is in it, started as their owner starts them.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { migrate, openPool, postgres } from "stet/backends/postgres";
import type { HttpServing } from "stet/serve";
import { write } from "../support/assertions.ts";
import { type Ran, stet } from "../support/cli.ts";
import { ownDatabase } from "../support/postgres.ts";
import { modern, type Raw, send } from "./http-support.ts";

const page = readFileSync(new URL("../../docs/fleet.md", import.meta.url), "utf8");
const [, ROLE_SQL = ""] = /^```sql role\n([\s\S]*?)^```$/m.exec(page)!;
/** As the page tells to make it. */
export const ROLE = ROLE_SQL;

interface NewToken {
  readonly principal?: string;
  readonly tenant?: string;
  readonly role?: "read" | "write" | "owner";
  readonly workspaces?: readonly string[];
  /** Such as 2s. */
  readonly expires?: string;
}

export type Fleet = Awaited<ReturnType<typeof startFleet>>;

export async function startFleet() {
  const database = await ownDatabase();
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

  /** A command on the database, as its owner gives it: `token`, `quota` or `workspaces`. */
  const command = (...args: readonly string[]): Promise<Ran> =>
    stet([...args, "--database", database.url], { cwd: home });

  async function token(asked: NewToken = {}): Promise<{ token: string; id: string }> {
    const { principal = "ada", tenant = "acme", role = "write", workspaces = ["*"], expires } = asked;
    const flags = ["--tenant", tenant, "--role", role, "--workspaces", workspaces.join()];
    const made = await command(
      ...["token", "create", principal, ...flags, ...(expires === undefined ? [] : ["--expires", expires]), "--json"],
    );
    return made.json();
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
  // Roles are those of all databases of a server.
  await pool.query("create role stet_server login").catch(() => {});
  await pool.query(ROLE.replace("create role stet_server login;", ""));
  return {
    database,
    pool,
    home,
    /** Of all servers; call it to end one of them sooner. */
    until: (other: AbortController): AbortSignal => AbortSignal.any([other.signal, ending.signal]),
    through: database.through,
    asServer: database.url.replace("stet@", "stet_server@"),
    serve,
    command,
    token,
    /** From now on it opens nothing. */
    revoke: async (id: string): Promise<void> => void (await command("token", "revoke", id)),
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
