// The edit tool of the Anthropic SDK's agent toolset, on a real file.
import { basename } from "node:path";
import { importPeer, installedVersion } from "./peer.mjs";

const packageName = "@anthropic-ai/sdk";

export const anthropic = {
  name: "anthropic-sdk",
  about: "unique exact match",
  /** @param {string} scratch */
  async load(scratch) {
    const version = installedVersion(packageName);
    const { betaEditTool } = await importPeer(`${packageName}/tools/agent-toolset/node`);
    const tool = betaEditTool({ workdir: scratch });
    return {
      version,
      /** @param {string} path @param {string} oldText @param {string} newText */
      onFile: (path, oldText, newText) =>
        tool.run({ file_path: basename(path), old_string: oldText, new_string: newText }).then(
          () => undefined,
          (/** @type {Error} */ refusal) => ({ refused: refusal.message }),
        ),
    };
  },
};
