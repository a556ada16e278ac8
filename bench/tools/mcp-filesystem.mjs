// The MCP reference filesystem server, as its own process over stdio.
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { importPeer, installedVersion } from "../edits/engines/peer.mjs";

const packageName = "@modelcontextprotocol/server-filesystem";

export async function filesystemServer() {
  const version = installedVersion(packageName);
  const { Client } = await importPeer("@modelcontextprotocol/sdk/client/index.js");
  const { StdioClientTransport } = await importPeer("@modelcontextprotocol/sdk/client/stdio.js");
  const entry = fileURLToPath(new URL(`../node_modules/${packageName}/dist/index.js`, import.meta.url));
  /** @param {string} directory */
  const connect = async (directory) => {
    const client = new Client({ name: "bench", version: "1" });
    await client.connect(
      new StdioClientTransport({ command: process.execPath, args: [entry, directory], stderr: "ignore" }),
    );
    return client;
  };
  return {
    version,
    confined: true,
    ranges: true,
    async list() {
      const client = await connect(process.cwd());
      const { tools } = await client.listTools();
      await client.close();
      return tools;
    },
    /** @param {string} directory */
    async open(directory) {
      const client = await connect(directory);
      /** @param {string} name @param {object} args @returns {Promise<import("./answer.mjs").Answer>} */
      const ask = async (name, args) => {
        try {
          const result = await client.callTool({ name, arguments: args }, undefined, { timeout: 20_000 });
          const text = result.content.map((/** @type {{ text?: string }} */ part) => part.text ?? "").join("\n");
          return result.isError ? { refused: text } : { done: text };
        } catch (error) {
          return { refused: String(/** @type {Error} */ (error)?.message ?? error) };
        }
      };
      return {
        /** @param {string} path @param {{ from: number, to: number }} [lines] */
        read: (path, lines) =>
          ask("read_text_file", { path: join(directory, path), ...(lines?.from === 1 && { head: lines.to }) }),
        /** @param {string} path @param {string} oldText @param {string} newText */
        edit: (path, oldText, newText) =>
          ask("edit_file", { path: join(directory, path), edits: [{ oldText, newText }] }),
        /** @param {string} path @param {string} content */
        write: (path, content) => ask("write_file", { path: join(directory, path), content }),
        close: () => client.close(),
      };
    },
  };
}
