// The plain matcher every agent starts with: the old text occurs exactly once, or the edit is refused.
export const exact = {
  name: "exact",
  about: "unique exact match or refuse",
  load: async () => ({ version: "-", onText: replaceUnique }),
};

/** @param {string} content @param {string} oldText @param {string} newText */
function replaceUnique(content, oldText, newText) {
  const at = content.indexOf(oldText);
  if (oldText === "" || at < 0) return { refused: "not found" };
  if (content.indexOf(oldText, at + 1) >= 0) return { refused: "not unique" };
  return { text: content.slice(0, at) + newText + content.slice(at + oldText.length) };
}
