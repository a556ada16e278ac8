// pi's edit tool: the steps of its execute(), without the file access around them.
import { importPeerFile, installedVersion } from "./peer.mjs";

const packageName = "@mariozechner/pi-coding-agent";

export const pi = {
  name: "pi",
  about: "exact, then the whole file folded",
  async load() {
    const version = installedVersion(packageName);
    const steps = await importPeerFile(packageName, "dist/core/tools/edit-diff.js");
    return {
      version,
      /** @param {string} content @param {string} oldText @param {string} newText */
      onText(content, oldText, newText) {
        const { bom, text } = steps.stripBom(content);
        const ending = steps.detectLineEnding(text);
        try {
          const edits = [{ oldText, newText }];
          const { newContent } = steps.applyEditsToNormalizedContent(steps.normalizeToLF(text), edits, "file");
          return { text: bom + steps.restoreLineEndings(newContent, ending) };
        } catch (refusal) {
          return { refused: String(refusal) };
        }
      },
    };
  },
};
