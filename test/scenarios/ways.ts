// The ways to use stet that a story is played on: each calls tools for agents and tells the answers in one form.
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { Client, StreamableHTTPClientTransport, type Transport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { type Backend, bytesOf, openWorkspace, type Path, type Session, versionOf, type Workspace } from "stet";
import { FAILURE_META_KEY, serveOverHttp } from "stet/serve";
import { call, surfaceNamed } from "stet/surfaces";
import { INITIALIZE_STDIO } from "../support/stdio.ts";
import { tempDir } from "../support/temp.ts";
import { type Content, isExecutable, type Story } from "./story.ts";

export interface Answer {
  readonly text: string;
  readonly warnings: readonly string[];
  readonly data?: unknown;
  readonly kind?: string | undefined;
  readonly details?: unknown;
}

/** Where the files of a story lie. */
export interface Place {
  readonly root?: string;
  open(config?: object): Promise<Workspace>;
  /** As another program would; null removes. */
  lay(files: Readonly<Record<string, Content | null>>): Promise<void>;
  files(): Promise<Record<string, Buffer>>;
  /** Programs that still have their mode; undefined where that cannot be seen. */
  executables?(): Promise<readonly string[]>;
}

/** Stet in use at a place. */
export interface Way {
  call(agent: string, tool: string, input: Record<string, unknown>): Promise<Answer>;
  /** All that a client passes on to a model before its first call; undefined where there is no client. */
  tools?(agent: string): Promise<string>;
  /** What a client says first, with this token; undefined where there are no tokens. */
  asked?(token: string | null): Promise<{ readonly status: number; readonly text: string }>;
  close(how?: "close" | "kill"): Promise<void>;
}

export function bytesIn(content: Content): Buffer {
  if (typeof content === "string") return Buffer.from(content);
  if ("executable" in content) return Buffer.from(content.executable);
  if ("base64" in content) return Buffer.from(content.base64, "base64");
  return Buffer.from("link" in content ? content.link : content.repeat.repeat(content.times));
}

/** Other than what a new file gets by any usual umask: only who keeps the mode has it afterwards. */
const PROGRAM_MODE = 0o775;

export function inDirectory(): Place & { readonly root: string } {
  const root = tempDir();
  return {
    root,
    open: async (config) => openWorkspace({ root, durability: "fast", ...config }),
    async lay(files) {
      for (const [path, content] of Object.entries(files)) {
        const at = join(root, path);
        const isLink = content !== null && typeof content === "object" && "link" in content;
        if (content === null || isLink) rmSync(at, { recursive: true, force: true });
        mkdirSync(dirname(at), { recursive: true });
        if (isLink) symlinkSync(content.link, at);
        else if (content !== null) writeFileSync(at, bytesIn(content));
        if (content !== null && isExecutable(content)) chmodSync(at, PROGRAM_MODE);
      }
    },
    async executables() {
      const isProgram = (path: string) => (lstatSync(join(root, path)).mode & 0o777) === PROGRAM_MODE;
      return Object.keys(await this.files()).filter(isProgram);
    },
    async files() {
      const entries = readdirSync(root, { recursive: true, withFileTypes: true }).filter((one) => !one.isDirectory());
      const paths = entries
        .map(({ parentPath, name }) => join(parentPath, name))
        .filter((at) => !at.startsWith(join(root, ".stet/")));
      const bytes = (at: string) => (lstatSync(at).isSymbolicLink() ? Buffer.from(readlinkSync(at)) : readFileSync(at));
      return Object.fromEntries(paths.map((at) => [at.slice(root.length + 1), bytes(at)]));
    },
  };
}

/** Where no program reaches the files, another user of the backend writes them. */
export function inBackend(make: () => Promise<Backend>): Place {
  const open = async (config = {}) => openWorkspace({ backend: await make(), ...config });
  return {
    open,
    async lay(files) {
      const { backend, close } = await made(open);
      for (const [raw, content] of Object.entries(files)) {
        const { path } = await backend.resolve(raw);
        const from = (await backend.read(path))?.sha ?? null;
        const to = content === null ? null : versionOf([bytesIn(content)]);
        const author = { session: "outside", tool: "shell" };
        if (from !== (to?.sha ?? null))
          await backend.commit([{ path, from, to, proof: "waived", createParents: true }], author);
      }
      await close();
    },
    async files() {
      const { backend, close } = await made(open);
      const below = async (dir: Path): Promise<Record<string, Buffer>> => {
        const all: Record<string, Buffer> = {};
        for await (const { kind, path } of backend.list(dir))
          if (kind === "directory") Object.assign(all, await below(path));
          else all[path] = Buffer.from(bytesOf((await backend.read(path))!));
        return all;
      };
      const all = await below("" as Path);
      await close();
      return all;
    },
  };
}

async function made(open: () => Promise<Workspace>) {
  const workspace = await open();
  return { backend: workspace.backend, close: () => workspace.close() };
}

/** The public functions, in this process. */
export async function asLibrary(place: Place, story: Story): Promise<Way> {
  const { files, ...config } = story.config as { files?: { legacy?: boolean } };
  const opened = [await place.open(config)];
  const sessions = new Map<string, Promise<Session>>();
  const sessionOf = async (agent: string): Promise<Session> => {
    const workspace = story.apart ? await place.open(config) : opened[0]!;
    if (story.apart) opened.push(workspace);
    return workspace.session({ id: agent, agent });
  };
  return {
    async call(agent, tool, input) {
      const session = sessions.get(agent) ?? sessionOf(agent);
      sessions.set(agent, session);
      const surface = surfaceNamed(story.agents[agent] ?? story.surface, files && { files });
      const result = await call(await session, surface, tool, input);
      const { text } = result;
      if (!result.ok) return { text, warnings: [], kind: result.error.kind, details: result.error.details };
      const { data, warnings = [] } = result;
      return { text: [text, ...warnings].join("\n"), data, warnings };
    },
    async close() {
      for (const workspace of opened) await workspace.close();
    },
  };
}

/** The built program: one process for each agent. */
export async function overStdio({ root }: Place, story: Story): Promise<Way> {
  const config = join(tempDir(), "stet.json");
  writeFileSync(config, JSON.stringify({ durability: "fast", ...story.config }));
  const program = join(import.meta.dirname, "../../dist/bin/stet.cjs");
  const pids: number[] = [];
  const way = overMcp(async (agent) => {
    const surface = story.agents[agent] ?? story.surface;
    const args = [program, "mcp", "--root", root!, "--config", config, "--surface", surface, "--structured"];
    const env = {
      PATH: process.env.PATH!,
      HOME: "/nonexistent",
      STET_STATE: process.env.STET_STATE!,
      ...story.env,
    };
    const transport = new StdioClientTransport({ command: process.execPath, args, env, stderr: "inherit" });
    return { transport, started: () => pids.push(transport.pid!) };
  });
  return {
    ...way,
    async close(how) {
      if (how === "kill") for (const pid of pids) process.kill(pid, "SIGKILL");
      await way.close();
    },
  };
}

/** One server in this process; each agent is a client of its own. */
export async function overHttp(place: Place, story: Story): Promise<Way> {
  const { files, ...config } = story.config as { files?: { legacy?: boolean } };
  const workspace = await place.open(config);
  const surface = surfaceNamed(story.surface, files && { files });
  const serving = await serveOverHttp({
    surface,
    served: [{ name: "w", workspace }],
    version: "1",
    results: "structured",
  });
  const requestInit = { headers: { authorization: `Bearer ${serving.token}` } };
  const way = overMcp(async () => ({
    transport: new StreamableHTTPClientTransport(new URL(serving.url), { requestInit }),
  }));
  return {
    ...way,
    async asked(token) {
      const bearer = token === "own" ? serving.token : token;
      const headers = {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        ...(bearer !== null && { authorization: `Bearer ${bearer}` }),
      };
      const body = JSON.stringify({ jsonrpc: "2.0", ...INITIALIZE_STDIO });
      const answer = await fetch(serving.url, { method: "POST", headers, body });
      return { status: answer.status, text: await answer.text() };
    },
    async close() {
      await way.close();
      await serving.close();
    },
  };
}

interface Connected {
  readonly transport: Transport;
  readonly started?: () => unknown;
}

function overMcp(connect: (agent: string) => Promise<Connected>): Way {
  const clients = new Map<string, Promise<Client>>();
  const connected = async (agent: string): Promise<Client> => {
    const client = new Client({ name: agent, version: "1" });
    const { transport, started } = await connect(agent);
    await client.connect(transport);
    started?.();
    return client;
  };
  const clientOf = (agent: string): Promise<Client> => {
    if (!clients.has(agent)) clients.set(agent, connected(agent));
    return clients.get(agent)!;
  };
  return {
    async tools(agent) {
      const client = await clientOf(agent);
      const { tools } = await client.listTools();
      const described = tools.map(({ name, description, inputSchema }) => [
        name,
        description,
        JSON.stringify(inputSchema),
      ]);
      return [client.getInstructions(), ...described.flat()].join("\n");
    },
    async call(agent, name, input) {
      const result = await (await clientOf(agent)).callTool({ name, arguments: input });
      const text = (result.content as { text?: string }[]).map((part) => part.text ?? "").join("\n");
      const failure = result._meta?.[FAILURE_META_KEY] as { kind: string; details?: unknown } | undefined;
      if (result.isError) return { text, warnings: [], kind: failure?.kind, details: failure?.details };
      const data = (result.structuredContent ?? {}) as { warnings?: string[] };
      return { text, data, warnings: data.warnings ?? [] };
    },
    async close() {
      for (const client of clients.values()) await (await client).close();
    },
  };
}
