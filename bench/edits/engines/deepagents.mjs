// The filesystem backend of deepagents, on a real file.
import { basename } from "node:path";
import { importPeer, installedVersion } from "./peer.mjs";

const packageName = "deepagents";

export const deepagents = {
  name: "deepagents",
  about: "unique exact match",
  /** @param {string} scratch */
  async load(scratch) {
    const version = installedVersion(packageName);
    const { FilesystemBackend } = await importPeer(packageName);
    const backend = new FilesystemBackend({ rootDir: scratch, virtualMode: true });
    return {
      version,
      /** @param {string} path @param {string} oldText @param {string} newText */
      async onFile(path, oldText, newText) {
        const { error } = await backend.edit(`/${basename(path)}`, oldText, newText);
        return error ? { refused: String(error) } : undefined;
      },
    };
  },
};
