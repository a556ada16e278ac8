// The peers, each through the code it ships: opened on a directory, called as a model would call it.
import { join } from "node:path";
import { importPeer, importPeerFile, installedVersion } from "../edits/engines/peer.mjs";
import { inWords, patchOf, returnsOrThrows } from "./answer.mjs";
import { geminiTools } from "./gemini.mjs";
import { filesystemServer } from "./mcp-filesystem.mjs";

/** @type {import("./answer.mjs").Tool[]} */
export const peerTools = [
  { id: "mcp-fs", load: filesystemServer },
  { id: "anthropic-sdk", load: anthropic },
  { id: "deepagents", load: deepagents },
  { id: "mastra", load: mastra },
  { id: "pi", load: pi },
  { id: "gemini-cli", load: geminiTools },
  { id: "cline", load: cline },
];

async function anthropic() {
  const toolset = await importPeer("@anthropic-ai/sdk/tools/agent-toolset/node");
  return {
    version: installedVersion("@anthropic-ai/sdk"),
    confined: true,
    ranges: true,
    list: async () =>
      toolset
        .betaAgentToolset20260401({ workdir: "." })
        .filter((/** @type {any} */ tool) => tool.name !== "bash")
        .map((/** @type {any} */ tool) => ({
          name: tool.name,
          description: tool.description,
          inputSchema: tool.input_schema,
        })),
    /** @param {string} workdir */
    async open(workdir) {
      const [read, edit, write] = ["Read", "Edit", "Write"].map((name) => toolset[`beta${name}Tool`]({ workdir }));
      return {
        /** @param {string} file_path @param {{ from: number, to: number }} [lines] */
        read: (file_path, lines) =>
          returnsOrThrows(() => read.run({ file_path, ...(lines && { view_range: [lines.from, lines.to] }) })),
        /** @param {string} file_path @param {string} old_string @param {string} new_string */
        edit: (file_path, old_string, new_string) =>
          returnsOrThrows(() => edit.run({ file_path, old_string, new_string })),
        /** @param {string} file_path @param {string} content */
        write: (file_path, content) => returnsOrThrows(() => write.run({ file_path, content })),
        close: async () => {},
      };
    },
  };
}

async function deepagents() {
  const { FilesystemBackend, createFilesystemMiddleware } = await importPeer("deepagents");
  /** @param {any} result */
  const answer = (result) => (result?.error ? { refused: String(result.error) } : { done: inWords(result) });
  /** @param {() => Promise<unknown>} run */
  const ask = async (run) => {
    const outcome = await run().catch((/** @type {Error} */ error) => ({ error: error.message }));
    return answer(outcome);
  };
  return {
    version: installedVersion("deepagents"),
    confined: true,
    ranges: true,
    async list() {
      const { z } = await importPeer("zod");
      return createFilesystemMiddleware({})
        .tools.filter((/** @type {any} */ tool) => tool.name !== "execute")
        .map((/** @type {any} */ { name, description, schema }) => ({
          name,
          description,
          inputSchema: z.toJSONSchema(schema, { io: "input" }),
        }));
    },
    /** @param {string} rootDir */
    async open(rootDir) {
      const backend = new FilesystemBackend({ rootDir, virtualMode: true });
      return {
        /** @param {string} path @param {{ from: number, to: number }} [lines] */
        read: (path, lines) =>
          ask(() => backend.read(`/${path}`, (lines?.from ?? 1) - 1, lines ? lines.to - lines.from + 1 : 2000)),
        /** @param {string} path @param {string} oldText @param {string} newText */
        edit: (path, oldText, newText) => ask(() => backend.edit(`/${path}`, oldText, newText)),
        /** @param {string} path @param {string} content */
        write: (path, content) => ask(() => backend.write(`/${path}`, content)),
        close: async () => {},
      };
    },
  };
}

async function mastra() {
  const module = await importPeer("@mastra/core/workspace");
  return {
    version: installedVersion("@mastra/core"),
    confined: true,
    ranges: true,
    async list() {
      const { z } = await importPeer("zod");
      const names = ["readFile", "writeFile", "editFile", "deleteFile", "listFiles", "fileStat", "mkdir", "search"];
      return names.map((name) => {
        const { id, description, inputSchema } = module[`${name}Tool`];
        return { name: id, description, inputSchema: z.toJSONSchema(inputSchema, { io: "input" }) };
      });
    },
    /** @param {string} basePath */
    open: (basePath) => mastraTools(module, new module.LocalFilesystem({ basePath })),
  };
}

/** Its tools on one of its file systems, as its agents are given them. @param {any} module @param {any} filesystem */
async function mastraTools(module, filesystem) {
  const workspace = new module.Workspace({ filesystem });
  await workspace.init();
  const tools = await module.createWorkspaceTools(workspace);
  /** @param {string} name @param {object} input @param {RegExp} success */
  const ask = async (name, input, success) => {
    const answer = await returnsOrThrows(() => tools[`mastra_workspace_${name}`].execute(input, { workspace }));
    return answer.done === undefined || success.test(answer.done) ? answer : { refused: answer.done };
  };
  return {
    /** @param {string} path @param {{ from: number, to: number }} [lines] */
    read: (path, lines) =>
      ask(
        "read_file",
        { path, encoding: "utf-8", ...(lines && { offset: lines.from, limit: lines.to - lines.from + 1 }) },
        /^/,
      ),
    /** @param {string} path @param {string} old_string @param {string} new_string */
    edit: (path, old_string, new_string) =>
      ask("edit_file", { path, old_string, new_string, replace_all: false }, /^Replaced /),
    /** @param {string} path @param {string} content */
    write: (path, content) => ask("write_file", { path, content, overwrite: true }, /^Wrote /),
    close: async () => {},
  };
}

async function pi() {
  const tools = await importPeerFile("@mariozechner/pi-coding-agent", "dist/core/tools/index.js");
  return {
    version: installedVersion("@mariozechner/pi-coding-agent"),
    confined: false,
    ranges: true,
    list: async () =>
      ["Read", "Edit", "Write", "Grep", "Find", "Ls"].map((name) => {
        const tool = tools[`create${name}Tool`](".");
        return { name: tool.name, description: tool.description, inputSchema: tool.parameters };
      }),
    /** @param {string} directory */
    async open(directory) {
      const [read, edit, write] = ["Read", "Edit", "Write"].map((name) => tools[`create${name}Tool`](directory));
      /** @param {any} tool @param {object} input */
      const ask = (tool, input) => returnsOrThrows(() => tool.execute("call", input));
      return {
        /** @param {string} path @param {{ from: number, to: number }} [lines] */
        read: (path, lines) =>
          ask(read, { path, ...(lines && { offset: lines.from, limit: lines.to - lines.from + 1 }) }),
        /** @param {string} path @param {string} oldText @param {string} newText */
        edit: (path, oldText, newText) => ask(edit, { path, edits: [{ oldText, newText }] }),
        /** @param {string} path @param {string} content */
        write: (path, content) => ask(write, { path, content }),
        close: async () => {},
      };
    },
  };
}

async function cline() {
  const core = await importPeer("@cline/core");
  const executors = core.createDefaultExecutors();
  const patch = core.createApplyPatchExecutor?.();
  return {
    version: installedVersion("@cline/core"),
    confined: false,
    ranges: true,
    list: async () =>
      core
        .createDefaultTools({ executors, cwd: "." })
        .filter((/** @type {any} */ tool) => ["read_files", "search_codebase", "editor"].includes(tool.name))
        .map((/** @type {any} */ { name, description, inputSchema }) => ({ name, description, inputSchema })),
    /** @param {string} directory */
    async open(directory) {
      return {
        /** @param {string} path @param {{ from: number, to: number }} [lines] */
        read: (path, lines) =>
          returnsOrThrows(() =>
            executors.readFile(
              { path: join(directory, path), ...(lines && { start_line: lines.from, end_line: lines.to }) },
              {},
            ),
          ),
        /** @param {string} path @param {string} old_text @param {string} new_text */
        edit: (path, old_text, new_text) =>
          returnsOrThrows(() => executors.editor({ path: join(directory, path), old_text, new_text }, directory, {})),
        ...(patch && {
          /** @param {readonly { path: string, oldText: string, newText: string }[]} edits */
          patch: (edits) => returnsOrThrows(() => patch({ input: patchOf(edits) }, directory, {})),
        }),
        close: async () => {},
      };
    },
  };
}
