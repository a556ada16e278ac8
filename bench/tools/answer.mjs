// How every tool's answer is put into one shape: it was done (with the words the model got), or it was refused (with the reason).

/**
 * @typedef {{ done: string, refused?: never } | { refused: string, done?: never }} Answer
 * @typedef {{
 *   read(path: string, lines?: { from: number, to: number }): Promise<Answer>,
 *   edit(path: string, oldText: string, newText: string): Promise<Answer>,
 *   write?(path: string, content: string): Promise<Answer>,
 *   patch?(edits: readonly { path: string, oldText: string, newText: string }[]): Promise<Answer>,
 *   close(): Promise<void>,
 * }} Agent
 * @typedef {{ name: string, description?: string, inputSchema: unknown }} Listed
 * @typedef {{ version: string, confined: boolean, ranges: boolean, list(): Promise<Listed[]>, open(root: string): Promise<Agent> }} Loaded
 * @typedef {{ id: string, stet?: boolean, load(): Promise<Loaded> }} Tool
 */

/** For tools that answer by returning and refuse by throwing. @param {() => Promise<unknown>} run @returns {Promise<Answer>} */
export async function returnsOrThrows(run) {
  try {
    return { done: inWords(await run()) };
  } catch (error) {
    return { refused: String(/** @type {Error} */ (error)?.message ?? error) };
  }
}

/** @param {unknown} value */
export function inWords(value) {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}

/** @param {readonly { path: string, oldText: string, newText: string }[]} edits */
export function patchOf(edits) {
  const files = edits.map(({ path, oldText, newText }) =>
    [`*** Update File: ${path}`, "@@", `-${oldText}`, `+${newText}`].join("\n"),
  );
  return `*** Begin Patch\n${files.join("\n")}\n*** End Patch\n`;
}
