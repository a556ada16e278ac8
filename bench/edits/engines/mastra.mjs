// The workspace edit tool of Mastra, on a real file.
import { basename } from "node:path";
import { importPeer, installedVersion } from "./peer.mjs";

const packageName = "@mastra/core";

export const mastra = {
  name: "mastra",
  about: "unique exact match",
  /** @param {string} scratch */
  async load(scratch) {
    const version = installedVersion(packageName);
    const { LocalFilesystem, Workspace, editFileTool } = await importPeer(`${packageName}/workspace`);
    const workspace = new Workspace({ filesystem: new LocalFilesystem({ basePath: scratch }) });
    await workspace.init();
    return {
      version,
      /** @param {string} path @param {string} oldText @param {string} newText */
      async onFile(path, oldText, newText) {
        const input = { path: basename(path), old_string: oldText, new_string: newText, replace_all: false };
        const answer = String(await editFileTool.execute(input, { workspace }));
        return answer.startsWith("Replaced ") ? undefined : { refused: answer };
      },
    };
  },
};
