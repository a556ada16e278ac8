// edit_file of the MCP reference filesystem server, on a real file.
import { importPeerFile, installedVersion } from "./peer.mjs";

const packageName = "@modelcontextprotocol/server-filesystem";

export const mcpFilesystem = {
  name: "mcp-fs",
  about: "exact (first match), then trimmed lines (first match)",
  async load() {
    const version = installedVersion(packageName);
    const { applyFileEdits } = await importPeerFile(packageName, "dist/lib.js");
    return {
      version,
      /** @param {string} path @param {string} oldText @param {string} newText */
      onFile: (path, oldText, newText) =>
        applyFileEdits(path, [{ oldText, newText }], false).then(
          () => undefined,
          (/** @type {Error} */ refusal) => ({ refused: refusal.message }),
        ),
    };
  },
};
