// The editor tool of the cline SDK, on a real file.
import { dirname } from "node:path";
import { importPeer, installedVersion } from "./peer.mjs";

const packageName = "@cline/core";

export const cline = {
  name: "cline",
  about: "exact after converting to the file's line ending",
  async load() {
    const version = installedVersion(packageName);
    const { createEditorExecutor } = await importPeer(packageName);
    const edit = createEditorExecutor();
    return {
      version,
      /** @param {string} path @param {string} oldText @param {string} newText */
      onFile: (path, oldText, newText) =>
        edit({ path, old_text: oldText, new_text: newText }, dirname(path), {}).then(
          () => undefined,
          (/** @type {Error} */ refusal) => ({ refused: refusal.message }),
        ),
    };
  },
};
