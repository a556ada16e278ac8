// The installed clients: where they are, and how each is run on a project with stet as its only MCP server.
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { tempDir } from "../support/temp.ts";

const packages = fileURLToPath(new URL("programs/node_modules/", import.meta.url));
const stet = fileURLToPath(new URL("../../dist/bin/stet.cjs", import.meta.url));
const platform = `${process.platform}-${process.arch}`;

const BINARIES = {
  claude: `${packages}@anthropic-ai/claude-code-${platform}/claude`,
  codex: `${packages}@openai/codex/bin/codex.js`,
  gemini: `${packages}@google/gemini-cli/bundle/gemini.js`,
  opencode: `${packages}opencode-${platform}/bin/opencode`,
} as const;

export type Program = keyof typeof BINARIES;

/** Why a client cannot be driven; undefined when it can. */
export function missing(program: Program): string | undefined {
  return existsSync(BINARIES[program]) ? undefined : `${program} is not installed: node test/clients/setup.mjs`;
}

/** Where it must run, nothing is skipped. */
export const required = process.env.STET_CLIENTS === "required";

export interface Server {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

export interface Project {
  readonly root: string;
  readonly server: Server;
}

interface Ran {
  readonly code: number | null;
  readonly out: string;
}

/** Clients whose model can be another one. */
export const DRIVEN = ["claude", "codex", "gemini", "opencode"] as const;
type Driven = (typeof DRIVEN)[number];

/** One conversation that the model at `url` leads; its tools are those of the server named stet. */
export const CONVERSATIONS: Readonly<Record<Driven, (project: Project, url: string) => Promise<Ran>>> = {
  claude({ root, server }, url) {
    const config = join(tempDir(), "mcp.json");
    const entry = { type: "stdio", command: process.execPath, args: commandOf(server), env: server.env };
    writeFileSync(config, JSON.stringify({ mcpServers: { stet: entry } }));
    const flags = ["--mcp-config", config, "--strict-mcp-config", "--allowedTools", "mcp__stet"];
    return run(BINARIES.claude, ["-p", "go", ...flags, "--output-format", "json"], root, {
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_API_KEY: "scripted",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      DISABLE_AUTOUPDATER: "1",
      // Otherwise it begins without a server that a busy machine starts slowly, and may hide tools behind a search.
      MCP_TIMEOUT: "60000",
      MCP_CONNECT_TIMEOUT_MS: "60000",
      MCP_CONNECTION_NONBLOCKING: "false",
      ENABLE_TOOL_SEARCH: "false",
    });
  },
  codex({ root, server }, url) {
    const home = tempDir();
    const toml = [
      'model = "scripted"',
      'model_provider = "scripted"',
      'approval_policy = "never"',
      'sandbox_mode = "danger-full-access"',
      "[model_providers.scripted]",
      'name = "scripted"',
      `base_url = ${JSON.stringify(`${url}/v1`)}`,
      'wire_api = "responses"',
      'env_key = "SCRIPTED_KEY"',
      "[mcp_servers.stet]",
      `command = ${JSON.stringify(process.execPath)}`,
      `args = ${JSON.stringify(commandOf(server))}`,
      // Otherwise it begins without a server that a busy machine starts slowly.
      "required = true",
      "startup_timeout_sec = 60",
      "[mcp_servers.stet.env]",
      ...Object.entries(server.env).map(([name, value]) => `${name} = ${JSON.stringify(value)}`),
    ];
    writeFileSync(join(home, "config.toml"), toml.join("\n"));
    const args = [BINARIES.codex, "exec", "--skip-git-repo-check", "--json", "go"];
    return run(process.execPath, args, root, { CODEX_HOME: home, SCRIPTED_KEY: "scripted" });
  },
  gemini(project, url) {
    // Otherwise it asks another model first which one to use.
    const args = [BINARIES.gemini, "--model", "gemini-2.5-flash", "--prompt", "go", "--output-format", "json"];
    return run(process.execPath, args, project.root, {
      HOME: homeOfGemini(project),
      GEMINI_API_KEY: "scripted",
      GOOGLE_GEMINI_BASE_URL: url,
    });
  },
  opencode({ root, server }, url) {
    const options = { baseURL: `${url}/v1`, apiKey: "scripted" };
    const provider = { scripted: { npm: "@ai-sdk/anthropic", options, models: { scripted: {} } } };
    // Its tools are then called as those of Claude Code.
    const env = homeOfOpencode("mcp__stet_", server, { provider, permission: "allow" });
    return run(BINARIES.opencode, ["run", "--model", "scripted/scripted", "go"], root, env);
  },
};

/** What each says of its servers. */
export const LISTINGS: Readonly<Record<Program, (project: Project) => Promise<Ran>>> = {
  claude({ root, server }) {
    const entry = { type: "stdio", command: process.execPath, args: commandOf(server), env: server.env };
    const home = tempDir();
    writeFileSync(join(home, ".claude.json"), JSON.stringify({ mcpServers: { stet: entry } }));
    return run(BINARIES.claude, ["mcp", "list"], root, { HOME: home });
  },
  codex({ root, server }) {
    const home = tempDir();
    const toml = `[mcp_servers.stet]\ncommand = ${JSON.stringify(process.execPath)}\nargs = ${JSON.stringify(commandOf(server))}\n`;
    writeFileSync(join(home, "config.toml"), toml);
    return run(process.execPath, [BINARIES.codex, "mcp", "list"], root, { CODEX_HOME: home });
  },
  gemini: (project) =>
    run(process.execPath, [BINARIES.gemini, "mcp", "list"], project.root, { HOME: homeOfGemini(project) }),
  opencode: ({ root, server }) => run(BINARIES.opencode, ["mcp", "list"], root, homeOfOpencode("stet", server, {})),
};

/** The owner trusts the folder, without which no server is started, and all tools of this server. */
function homeOfGemini({ root, server }: Project): string {
  const home = tempDir();
  const stet = { command: process.execPath, args: commandOf(server), env: server.env, trust: true };
  const settings = { mcpServers: { stet }, security: { auth: { selectedType: "gemini-api-key" } } };
  mkdirSync(join(home, ".gemini"));
  writeFileSync(join(home, ".gemini/settings.json"), JSON.stringify(settings));
  writeFileSync(join(home, ".gemini/trustedFolders.json"), JSON.stringify({ [root]: "TRUST_FOLDER" }));
  return home;
}

function homeOfOpencode(name: string, server: Server, rest: object): Record<string, string> {
  const config = join(tempDir(), "opencode.json");
  const entry = { type: "local", command: [process.execPath, ...commandOf(server)], environment: server.env };
  writeFileSync(config, JSON.stringify({ mcp: { [name]: { ...entry, timeout: 60_000 } }, ...rest }));
  return { OPENCODE_CONFIG: config, OPENCODE_DISABLE_AUTOUPDATE: "1", OPENCODE_DISABLE_MODELS_FETCH: "1" };
}

function commandOf({ args }: Server): string[] {
  return [stet, "mcp", ...args];
}

/** With nothing of this machine's own settings: a home directory that is empty unless `env` names another. */
function run(command: string, args: readonly string[], cwd: string, env: Record<string, string>): Promise<Ran> {
  const child = spawn(command, args, {
    cwd,
    env: { PATH: process.env.PATH, HOME: tempDir(), ...env },
    stdio: ["ignore", "pipe", "pipe"],
    timeout: 90_000,
    killSignal: "SIGKILL",
  });
  let out = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => {
      out += text;
    });
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, out }));
  });
}
