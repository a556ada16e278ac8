// deepagents has file tools of its own, and stet as the storage below them: called as its agents call them.
import { existsSync } from "node:fs";
import { importPeer, installedVersion } from "../edits/engines/peer.mjs";

const dist = new URL("../../dist/", import.meta.url);

/** @type {import("./answer.mjs").Tool[]} */
export const storageTools = [{ id: "stet in deepagents", stet: true, load: inDeepagents }];

async function inDeepagents() {
  const { createFilesystemMiddleware } = await importPeer("deepagents");
  const { deepagentsBackend } = await fromDist("adapters/deepagents.js");
  return {
    version: installedVersion("deepagents"),
    confined: true,
    ranges: true,
    list: async () => [],
    /** @param {string} root */
    async open(root) {
      const { workspace, session } = await opened(root);
      /** @type {Map<string, any>} */
      const tools = new Map();
      for (const tool of createFilesystemMiddleware({ backend: deepagentsBackend(session) }).tools)
        tools.set(tool.name, tool);
      /** @param {string} name @param {object} args @param {RegExp} done */
      const ask = async (name, args, done) => {
        const { content } = await tools.get(name).invoke({ type: "tool_call", id: "1", name, args });
        const text =
          typeof content === "string" ? content : content.map((/** @type {any} */ part) => part.text ?? "").join("");
        return done.test(text) ? { done: text } : { refused: text };
      };
      return {
        /** @param {string} path @param {{ from: number, to: number }} [lines] */
        read: (path, lines) => {
          const range = lines ? { offset: lines.from - 1, limit: lines.to - lines.from + 1 } : { limit: 2000 };
          return ask("read_file", { file_path: `/${path}`, ...range }, /^(?!Error: )/);
        },
        /** @param {string} path @param {string} old_string @param {string} new_string */
        edit: (path, old_string, new_string) =>
          ask("edit_file", { file_path: `/${path}`, old_string, new_string }, /^Successfully /),
        /** @param {string} path @param {string} content */
        write: (path, content) => ask("write_file", { file_path: `/${path}`, content }, /^Successfully /),
        close: () => workspace.close(),
      };
    },
  };
}

/** @param {string} root */
async function opened(root) {
  const { openWorkspace } = await fromDist("index.js");
  const workspace = openWorkspace({ root });
  return { workspace, session: workspace.session({ agent: "bench" }) };
}

/** @param {string} file */
async function fromDist(file) {
  const entry = new URL(file, dist);
  if (!existsSync(entry)) throw new Error(`dist/${file} is absent (npm run build)`);
  return import(entry.href);
}
