// gemini-cli's read, edit and write tools with their own configuration, without a model for repairs.
import { join } from "node:path";
import { importPeer, importPeerFile, installedVersion } from "../edits/engines/peer.mjs";

const packageName = "@google/gemini-cli-core";

export async function geminiTools() {
  const { Config } = await importPeer(packageName);
  const [edit, write, read] = await Promise.all(
    ["edit", "write-file", "read-file"].map((file) => importPeerFile(packageName, `dist/src/tools/${file}.js`)),
  );
  return {
    version: installedVersion(packageName),
    confined: true,
    ranges: true,
    async list() {
      const { config, bus } = await configured(process.cwd());
      const files = { glob: "GlobTool", grep: "GrepTool", ls: "LSTool" };
      const others = await Promise.all(
        Object.entries(files).map(async ([file, name]) => {
          const module = await importPeerFile(packageName, `dist/src/tools/${file}.js`);
          return new module[name](config, bus);
        }),
      );
      const all = [
        new read.ReadFileTool(config, bus),
        new edit.EditTool(config, bus),
        new write.WriteFileTool(config, bus),
        ...others,
      ];
      return all.map(({ schema }) => ({
        name: schema.name,
        description: schema.description,
        inputSchema: schema.parametersJsonSchema,
      }));
    },
    /** @param {string} directory */
    async open(directory) {
      const { config, bus } = await configured(directory);
      const tools = {
        read: new read.ReadFileTool(config, bus),
        edit: new edit.EditTool(config, bus),
        write: new write.WriteFileTool(config, bus),
      };
      /** @param {any} tool @param {object} input @returns {Promise<import("./answer.mjs").Answer>} */
      const ask = async (tool, input) => {
        try {
          const result = await tool.build(input).execute({ abortSignal: new AbortController().signal });
          return result.error
            ? { refused: String(result.error.message ?? result.error) }
            : { done: JSON.stringify(result.llmContent) };
        } catch (error) {
          return { refused: String(/** @type {Error} */ (error)?.message ?? error) };
        }
      };
      return {
        /** @param {string} path @param {{ from: number, to: number }} [lines] */
        read: (path, lines) =>
          ask(tools.read, {
            file_path: join(directory, path),
            ...(lines && { start_line: lines.from, end_line: lines.to }),
          }),
        /** @param {string} path @param {string} old_string @param {string} new_string */
        edit: (path, old_string, new_string) =>
          ask(tools.edit, { file_path: join(directory, path), old_string, new_string, instruction: "edit" }),
        /** @param {string} path @param {string} content */
        write: (path, content) => ask(tools.write, { file_path: join(directory, path), content }),
        close: async () => {},
      };
    },
  };
  /** @param {string} directory */
  async function configured(directory) {
    const config = new Config({
      sessionId: "bench",
      targetDir: directory,
      cwd: directory,
      debugMode: false,
      model: "none",
      usageStatisticsEnabled: false,
      disableLLMCorrection: true,
    });
    await config.storage.initialize?.();
    config.getBaseLlmClient = () => undefined;
    return { config, bus: config.getMessageBus?.() ?? { publish() {}, subscribe() {}, unsubscribe() {} } };
  }
}
