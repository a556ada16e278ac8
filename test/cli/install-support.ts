// What the tests know of each client that stet install writes for.

export interface KnownClient {
  /** Where it looks, on Linux, below the home. */
  readonly file: string;
  /** In a project; none where it has no file there. */
  readonly projectFile?: string;
  /** Where servers stand in its file. */
  readonly key: string;
  /** It starts servers in the project that it has open; the others need a root. */
  readonly opensProjects: boolean;
}

export const CLIENTS: Readonly<Record<string, KnownClient>> = {
  "claude-desktop": {
    file: ".config/Claude/claude_desktop_config.json",
    key: "mcpServers",
    opensProjects: false,
  },
  "claude-code": { file: ".claude.json", projectFile: ".mcp.json", key: "mcpServers", opensProjects: true },
  cursor: { file: ".cursor/mcp.json", projectFile: ".cursor/mcp.json", key: "mcpServers", opensProjects: true },
  vscode: { file: ".config/Code/User/mcp.json", projectFile: ".vscode/mcp.json", key: "servers", opensProjects: true },
  windsurf: { file: ".codeium/windsurf/mcp_config.json", key: "mcpServers", opensProjects: false },
  zed: {
    file: ".config/zed/settings.json",
    projectFile: ".zed/settings.json",
    key: "context_servers",
    opensProjects: true,
  },
  codex: { file: ".codex/config.toml", projectFile: ".codex/config.toml", key: "mcp_servers", opensProjects: true },
  gemini: {
    file: ".gemini/settings.json",
    projectFile: ".gemini/settings.json",
    key: "mcpServers",
    opensProjects: true,
  },
  opencode: { file: ".config/opencode/opencode.json", projectFile: "opencode.json", key: "mcp", opensProjects: true },
  kiro: {
    file: ".kiro/settings/mcp.json",
    projectFile: ".kiro/settings/mcp.json",
    key: "mcpServers",
    opensProjects: false,
  },
};

export const CLIENT_NAMES: readonly string[] = Object.keys(CLIENTS);
