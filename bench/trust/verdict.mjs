// The four answers of the table, and how most cases find theirs: from what the tool said and what is in the file afterwards.

/**
 * @typedef {{ verdict: "right" | "refused" | "wrong" | "lost" | "n/a", note: string }} Verdict
 * @typedef {import("../tools/answer.mjs").Answer} Answer
 * @typedef {import("../tools/answer.mjs").Agent} Agent
 * @typedef {{
 *   root: string,
 *   outside: string,
 *   tool: string,
 *   confined: boolean,
 *   ranges: boolean,
 *   scale: number,
 *   agent(directory?: string): Promise<Agent>,
 *   put(path: string, content: string | Uint8Array): string,
 *   bytes(path: string): Buffer,
 * }} Bench
 * @typedef {{ id: string, title: string, good: string, run(bench: Bench): Promise<Verdict> }} Case
 */

/** @param {string} [note] @returns {Verdict} */
export const right = (note = "") => ({ verdict: "right", note });
/** @param {string} [note] @returns {Verdict} */
export const refused = (note = "") => ({ verdict: "refused", note: firstLine(note) });
/** @param {string} note @returns {Verdict} */
export const wrong = (note) => ({ verdict: "wrong", note });
/** @param {string} note @returns {Verdict} */
export const lost = (note) => ({ verdict: "lost", note });
/** @param {string} note @returns {Verdict} */
export const notAsked = (note) => ({ verdict: "n/a", note });

/**
 * One edit of one file: the file must be exactly `expected` when the tool says done, and untouched when it refuses.
 * `expected: null` = the edit must be refused.
 * @param {Bench} bench
 * @param {{ before: string | Uint8Array, oldText: string, newText: string, expected: string | Uint8Array | null, path?: string }} edit
 * @returns {Promise<Verdict>}
 */
export async function judgeEdit(bench, { before, oldText, newText, expected, path = "file.txt" }) {
  bench.put(path, before);
  const agent = await bench.agent();
  await agent.read(path);
  const answer = await agent.edit(path, oldText, newText);
  return judgeBytes(bench.bytes(path), Buffer.from(before), answer, expected);
}

/** @param {Buffer} after @param {Buffer} before @param {Answer} answer @param {string | Uint8Array | null} expected @returns {Verdict} */
export function judgeBytes(after, before, answer, expected) {
  const unchanged = after.equals(before);
  if (answer.refused !== undefined)
    return unchanged ? refused(answer.refused) : wrong(`refused, and changed the file: ${shown(after)}`);
  if (expected === null) return unchanged ? refused("no change") : wrong(`said done: ${shown(after)}`);
  if (after.equals(Buffer.from(expected))) return right();
  return unchanged ? wrong("said done, changed nothing") : wrong(`said done: ${shown(after)}`);
}

/** @param {Buffer} bytes */
export function shown(bytes) {
  const text = JSON.stringify(bytes.toString("latin1"));
  return text.length > 60 ? `${text.slice(0, 60)}…"` : text;
}

/** @param {string} text */
function firstLine(text) {
  const line = text.split("\n")[0] ?? "";
  return line.length > 100 ? `${line.slice(0, 100)}…` : line;
}
