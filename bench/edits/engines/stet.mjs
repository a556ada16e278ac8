// stet as built in dist, without and with proof that the caller saw the bytes.
import { existsSync, readFileSync } from "node:fs";

const root = new URL("../../../", import.meta.url);

export const stet = { name: "stet", about: "no proof of having seen", load: () => loadStet({}) };
export const stetSeen = { name: "stet-seen", about: "seen: true", load: () => loadStet({ seen: true }) };

export async function importStet() {
  const entry = new URL("dist/edit/index.js", root);
  if (!existsSync(entry)) throw new Error("dist/edit/index.js is absent (npm run build)");
  return import(entry.href);
}

/** @param {{ seen?: boolean }} options */
async function loadStet(options) {
  const { replaceText } = await importStet();
  if (typeof replaceText !== "function") throw new Error("dist/edit/index.js does not export replaceText");
  return {
    version: String(JSON.parse(readFileSync(new URL("package.json", root), "utf8")).version),
    /** @param {string} content @param {string} oldText @param {string} newText */
    onText(content, oldText, newText) {
      const result = replaceText(content, oldText, newText, options);
      return result.ok ? { text: result.text, how: result.strategy } : { refused: `${result.kind}: ${result.message}` };
    },
  };
}
