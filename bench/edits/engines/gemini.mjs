// gemini-cli's edit tool without its model-driven repair: validation, calculateReplacement, line endings restored.
import { importPeerFile, installedVersion } from "./peer.mjs";

const packageName = "@google/gemini-cli-core";
const silentConfig = { getUsageStatisticsEnabled: () => false };

export const gemini = {
  name: "gemini-cli",
  about: "exact, trimmed lines, token regex, Levenshtein <= 0.1; no LLM fixer",
  async load() {
    const version = installedVersion(packageName);
    const edit = await importPeerFile(packageName, "dist/src/tools/edit.js");
    const placeholders = await importPeerFile(packageName, "dist/src/tools/omissionPlaceholderDetector.js");

    /** @param {string} content @param {string} oldText @param {string} newText */
    async function onText(content, oldText, newText) {
      const inOld = new Set(placeholders.detectOmissionPlaceholders(oldText));
      const inNew = placeholders.detectOmissionPlaceholders(newText);
      if (inNew.some((/** @type {string} */ found) => !inOld.has(found))) return { refused: "omission placeholder" };
      const params = { file_path: "file", old_string: oldText, new_string: newText };
      const currentContent = content.replace(/\r\n/g, "\n");
      const result = await edit.calculateReplacement(silentConfig, { params, currentContent });
      const { occurrences, finalOldString, finalNewString, newContent } = result;
      const error = edit.getErrorReplaceResult(params, occurrences, finalOldString, finalNewString);
      if (error) return { refused: String(error.display) };
      return { text: content.includes("\r\n") ? newContent.replace(/\r?\n/g, "\r\n") : newContent };
    }
    return { version, onText };
  },
};
