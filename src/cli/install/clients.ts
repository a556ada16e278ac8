// The MCP clients stet knows: where each keeps its servers, and how it writes them.
import { isAbsolute, join } from "node:path";

/** The variable that clients take the token from, so that it stands in no file. */
export const TOKEN_VARIABLE = "STET_TOKEN";

export interface Place {
  /** Asked for only by what lies there: some users have none. */
  readonly home: string;
  readonly platform: NodeJS.Platform;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** How a client starts stet. */
export interface Start {
  readonly command: string;
  readonly args: readonly string[];
}

export type Entry = Readonly<Record<string, unknown>>;

export interface Client {
  readonly title: string;
  readonly format: "json" | "toml";
  /** The key that holds all servers, each under its name. */
  readonly key: string;
  /** For all projects. */
  userFile(place: Place): string;
  /** From the project; undefined where the client has no such file. */
  readonly projectFile?: string;
  /** Starts servers in the project that is open, or tells them which it is: no directory need be named. */
  readonly opensProjects?: true;
  /** Stands for the open project in a file that lies in it. */
  readonly projectVariable?: string;
  /** The entry of a server that it starts; unless given, the program and its arguments. */
  readonly local?: (start: Start) => Entry;
  /** The entry of a server that runs; undefined where it can have no token there. */
  readonly remote?: (url: string) => Entry;
  /** What to do after the file was written. */
  readonly afterwards: string;
}

const WORKSPACE_FOLDER = "$" + "{workspaceFolder}";
/** How most of them write servers. */
const USUAL = { format: "json", key: "mcpServers" } as const;
const stdio = (start: Start): Entry => ({ type: "stdio", ...start });

export const CLIENTS: Readonly<Record<string, Client>> = {
  "claude-desktop": {
    ...USUAL,
    title: "Claude Desktop",
    userFile: (place) => join(applicationData(place), "Claude", "claude_desktop_config.json"),
    afterwards: "Quit Claude Desktop and start it again.",
  },
  "claude-code": {
    ...USUAL,
    title: "Claude Code",
    opensProjects: true,
    userFile: ({ home }) => join(home, ".claude.json"),
    projectFile: ".mcp.json",
    local: stdio,
    remote: (url) => ({ type: "http", url, headers: bearer(`\${${TOKEN_VARIABLE}}`) }),
    afterwards: "Start Claude Code in a project, and approve the server where it asks; /mcp shows it.",
  },
  cursor: {
    ...USUAL,
    title: "Cursor",
    opensProjects: true,
    userFile: ({ home }) => join(home, ".cursor", "mcp.json"),
    projectFile: ".cursor/mcp.json",
    projectVariable: WORKSPACE_FOLDER,
    remote: (url) => ({ url, headers: bearer(`\${env:${TOKEN_VARIABLE}}`) }),
    afterwards: "Cursor asks whether to enable it, under Settings, Tools & MCP.",
  },
  vscode: {
    title: "VS Code",
    opensProjects: true,
    format: "json",
    key: "servers",
    userFile: (place) => join(applicationData(place), "Code", "User", "mcp.json"),
    projectFile: ".vscode/mcp.json",
    projectVariable: WORKSPACE_FOLDER,
    local: stdio,
    remote: (url) => ({ type: "http", url, headers: bearer(`\${env:${TOKEN_VARIABLE}}`) }),
    afterwards: "Open the file in VS Code and press Start above the server.",
  },
  windsurf: {
    ...USUAL,
    title: "Windsurf",
    userFile: ({ home }) => join(home, ".codeium", "windsurf", "mcp_config.json"),
    remote: (serverUrl) => ({ serverUrl, headers: bearer(`\${env:${TOKEN_VARIABLE}}`) }),
    afterwards: "Refresh the list of MCP servers in Windsurf.",
  },
  zed: {
    title: "Zed",
    opensProjects: true,
    format: "json",
    key: "context_servers",
    userFile: (place) => zedSettings(place),
    projectFile: ".zed/settings.json",
    local: (start) => ({ source: "custom", ...start, env: {} }),
    afterwards: "Zed takes it up when the file is saved.",
  },
  codex: {
    title: "Codex",
    opensProjects: true,
    format: "toml",
    key: "mcp_servers",
    userFile: (place) => join(named(place, "CODEX_HOME") ?? join(place.home, ".codex"), "config.toml"),
    projectFile: ".codex/config.toml",
    remote: (url) => ({ url, bearer_token_env_var: TOKEN_VARIABLE }),
    afterwards: "Start Codex in a project; a file in it is read only where you trust it. /mcp shows the server.",
  },
  gemini: {
    ...USUAL,
    title: "Gemini CLI",
    opensProjects: true,
    userFile: ({ home }) => join(home, ".gemini", "settings.json"),
    projectFile: ".gemini/settings.json",
    remote: (httpUrl) => ({ httpUrl, headers: bearer(`$${TOKEN_VARIABLE}`) }),
    afterwards:
      "Start Gemini CLI in a project and trust the folder: in others it starts no servers. /mcp shows the server.",
  },
  opencode: {
    title: "opencode",
    opensProjects: true,
    format: "json",
    key: "mcp",
    userFile: (place) => join(configHome(place), "opencode", "opencode.json"),
    projectFile: "opencode.json",
    local: ({ command, args }) => ({ type: "local", command: [command, ...args], enabled: true }),
    remote: (url) => ({ type: "remote", url, enabled: true, headers: bearer(`{env:${TOKEN_VARIABLE}}`) }),
    afterwards: "Start opencode in a project; opencode mcp list shows the server.",
  },
  kiro: {
    ...USUAL,
    title: "Kiro",
    userFile: ({ home }) => join(home, ".kiro", "settings", "mcp.json"),
    projectFile: ".kiro/settings/mcp.json",
    remote: (url) => ({ url, headers: bearer(`\${${TOKEN_VARIABLE}}`) }),
    afterwards: "Kiro takes it up when the file is saved.",
  },
};

export const CLIENT_NAMES = Object.keys(CLIENTS);

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

function zedSettings(place: Place): string {
  const { platform, home } = place;
  if (platform === "win32") return join(applicationData(place), "Zed", "settings.json");
  return join(platform === "darwin" ? join(home, ".config") : configHome(place), "zed", "settings.json");
}
