// The MCP clients stet knows: where each keeps its servers, how it writes them, and its one-click link if it has one.
import { existsSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { type Entry, TOKEN_VARIABLE } from "./entry.ts";

export interface Place {
  /** Asked for only by what lies there: some users have none. */
  readonly home: string;
  /** The directory that is served. */
  readonly project: string;
  readonly platform: NodeJS.Platform;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export interface Client {
  readonly title: string;
  readonly format: "json" | "toml";
  /** The key that holds all servers, each under its name. */
  readonly key: string;
  /** For all projects; undefined when the client has no such file. */
  readonly userFile?: (place: Place) => string;
  readonly projectFile?: (place: Place) => string;
  /** Starts servers in the project that is open, or tells them which it is: no directory need be named. */
  readonly opensProjects?: true;
  /** Stands for the open project in a file that lies in it. */
  readonly projectVariable?: string;
  /** Undefined when this client cannot do it. */
  entry(entry: Entry): Readonly<Record<string, unknown>> | undefined;
  link?(name: string, entry: Readonly<Record<string, unknown>>): string;
  /** What to do after the file was written. */
  readonly afterwards: string;
  /** … into a project. */
  readonly afterwardsInProject?: string;
}

export const CLIENTS: Readonly<Record<string, Client>> = {
  "claude-desktop": {
    title: "Claude Desktop",
    format: "json",
    key: "mcpServers",
    userFile: (place) => join(applicationData(place), "Claude", "claude_desktop_config.json"),
    entry: (entry) => (entry.kind === "local" ? started(entry) : undefined),
    afterwards: "Quit Claude Desktop and start it again.",
  },
  "claude-code": {
    title: "Claude Code",
    opensProjects: true,
    format: "json",
    key: "mcpServers",
    userFile: ({ home }) => join(home, ".claude.json"),
    projectFile: ({ project }) => join(project, ".mcp.json"),
    entry: (entry) =>
      entry.kind === "local"
        ? { type: "stdio", ...started(entry) }
        : { type: "http", url: entry.url, headers: bearer(`\${${TOKEN_VARIABLE}}`) },
    afterwards: "Start Claude Code in a project; /mcp shows the server.",
    afterwardsInProject: "Start Claude Code in the project and approve the server; /mcp shows it.",
  },
  cursor: {
    title: "Cursor",
    opensProjects: true,
    format: "json",
    key: "mcpServers",
    userFile: ({ home }) => join(home, ".cursor", "mcp.json"),
    projectFile: ({ project }) => join(project, ".cursor", "mcp.json"),
    projectVariable: "$" + "{workspaceFolder}",
    entry: (entry) =>
      entry.kind === "local" ? started(entry) : { url: entry.url, headers: bearer(`\${env:${TOKEN_VARIABLE}}`) },
    link: (name, entry) =>
      `cursor://anysphere.cursor-deeplink/mcp/install?name=${encodeURIComponent(name)}&config=${encodeURIComponent(Buffer.from(JSON.stringify(entry)).toString("base64"))}`,
    afterwards: "Cursor asks whether to enable it, under Settings, Tools & MCP.",
  },
  vscode: {
    title: "VS Code",
    opensProjects: true,
    format: "json",
    key: "servers",
    userFile: (place) => join(applicationData(place), "Code", "User", "mcp.json"),
    projectFile: ({ project }) => join(project, ".vscode", "mcp.json"),
    projectVariable: "$" + "{workspaceFolder}",
    entry: (entry) =>
      entry.kind === "local"
        ? { type: "stdio", ...started(entry) }
        : { type: "http", url: entry.url, headers: bearer(`\${env:${TOKEN_VARIABLE}}`) },
    link: (name, entry) =>
      `https://insiders.vscode.dev/redirect/mcp/install?name=${encodeURIComponent(name)}&config=${encodeURIComponent(JSON.stringify(entry))}`,
    afterwards: "Open the file in VS Code and press Start above the server.",
  },
  windsurf: {
    title: "Windsurf",
    format: "json",
    key: "mcpServers",
    userFile: ({ home }) => join(home, ".codeium", "windsurf", "mcp_config.json"),
    entry: (entry) =>
      entry.kind === "local" ? started(entry) : { serverUrl: entry.url, headers: bearer(`\${env:${TOKEN_VARIABLE}}`) },
    afterwards: "Refresh the list of MCP servers in Windsurf.",
  },
  zed: {
    title: "Zed",
    opensProjects: true,
    format: "json",
    key: "context_servers",
    userFile: (place) =>
      place.platform === "win32"
        ? join(applicationData(place), "Zed", "settings.json")
        : join(place.platform === "darwin" ? join(place.home, ".config") : configHome(place), "zed", "settings.json"),
    projectFile: ({ project }) => join(project, ".zed", "settings.json"),
    entry: (entry) => (entry.kind === "local" ? { source: "custom", ...started(entry), env: {} } : undefined),
    afterwards: "Zed takes it up when the file is saved.",
  },
  codex: {
    title: "Codex",
    opensProjects: true,
    format: "toml",
    key: "mcp_servers",
    userFile: (place) => join(named(place, "CODEX_HOME") ?? join(place.home, ".codex"), "config.toml"),
    projectFile: ({ project }) => join(project, ".codex", "config.toml"),
    entry: (entry) =>
      entry.kind === "local" ? started(entry) : { url: entry.url, bearer_token_env_var: TOKEN_VARIABLE },
    afterwards: "Start Codex in a project; /mcp shows the server.",
    afterwardsInProject:
      "Start Codex in the project and trust it: elsewhere it does not read the file. /mcp shows the server.",
  },
  gemini: {
    title: "Gemini CLI",
    opensProjects: true,
    format: "json",
    key: "mcpServers",
    userFile: ({ home }) => join(home, ".gemini", "settings.json"),
    projectFile: ({ project }) => join(project, ".gemini", "settings.json"),
    entry: (entry) =>
      entry.kind === "local" ? started(entry) : { httpUrl: entry.url, headers: bearer(`$${TOKEN_VARIABLE}`) },
    afterwards:
      "Start Gemini CLI in a project and trust the folder: in others it starts no servers. /mcp shows the server.",
  },
  opencode: {
    title: "opencode",
    opensProjects: true,
    format: "json",
    key: "mcp",
    userFile: (place) => withComments(join(configHome(place), "opencode", "opencode.json")),
    projectFile: ({ project }) => withComments(join(project, "opencode.json")),
    entry: (entry) =>
      entry.kind === "local"
        ? { type: "local", command: [entry.command, ...entry.args], enabled: true }
        : { type: "remote", url: entry.url, enabled: true, headers: bearer(`{env:${TOKEN_VARIABLE}}`) },
    afterwards: "Start opencode in a project; opencode mcp list shows the server.",
  },
  kiro: {
    title: "Kiro",
    format: "json",
    key: "mcpServers",
    userFile: ({ home }) => join(home, ".kiro", "settings", "mcp.json"),
    projectFile: ({ project }) => join(project, ".kiro", "settings", "mcp.json"),
    entry: (entry) =>
      entry.kind === "local" ? started(entry) : { url: entry.url, headers: bearer(`\${${TOKEN_VARIABLE}}`) },
    afterwards: "Kiro takes it up when the file is saved.",
  },
};

export const CLIENT_NAMES = Object.keys(CLIENTS);

function started({ command, args }: Extract<Entry, { kind: "local" }>): { command: string; args: readonly string[] } {
  return { command, args };
}

/** opencode reads both; one that is there already is the one to write into. */
function withComments(file: string): string {
  return !existsSync(file) && existsSync(`${file}c`) ? `${file}c` : file;
}

function bearer(token: string): Readonly<Record<string, string>> {
  return { Authorization: `Bearer ${token}` };
}

function applicationData(place: Place): string {
  if (place.platform === "darwin") return join(place.home, "Library", "Application Support");
  if (place.platform === "win32") return named(place, "APPDATA") ?? join(place.home, "AppData", "Roaming");
  return configHome(place);
}

function configHome(place: Place): string {
  return named(place, "XDG_CONFIG_HOME") ?? join(place.home, ".config");
}

/** A path that is not absolute would mean another place in every directory. */
function named({ env }: Place, variable: string): string | undefined {
  const value = env[variable];
  return value !== undefined && isAbsolute(value) ? value : undefined;
}
