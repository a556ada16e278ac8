// A journal as its forger writes it: entries of any kind, each well hashed and chained to the one before.
import { hash } from "node:crypto";

export const sha256 = (bytes) => hash("sha256", bytes);
export const segmentName = (seq, ending = "jsonl") => `${String(seq).padStart(16, "0")}.${ending}`;

/** What JSON.stringify cannot write: stands in an entry as its key, and in the line as its text. */
const RAW = {
  "@deep-list@": "[".repeat(100_000) + "]".repeat(100_000),
  "@deep-object@": `${'{"a":'.repeat(50_000)}1${"}".repeat(50_000)}`,
  "@wide@": `[${"0,".repeat(200_000)}0]`,
  "@endless@": "1e999",
  "@twice@": '{"path":"a.txt","path":"../x"}',
  "@prototype@": '{"__proto__":{"path":"../x"}}',
  "@surrogate@": '"\\ud800"',
  "@long@": `"${"long ".repeat(100_000)}"`,
};
export const RAW_KEYS = Object.keys(RAW);
const ANY_RAW = new RegExp(`"(${RAW_KEYS.join("|")})"`, "g");

/** `$prev` and `$hash` take the place of what would be right. */
export function lineOf({ $prev, $hash, seq, at, prev: _, hash: __, ...rest }, prev) {
  const body = JSON.stringify({ seq, at, prev: $prev ?? prev, ...rest }).slice(0, -1);
  const open = body.includes("@") ? body.replace(ANY_RAW, (_, key) => RAW[key]) : body;
  const sum = $hash ?? sha256(open);
  return { line: `${open},"hash":"${sum}"}`, sum };
}

/** The files of a journal, and the hash that each entry has. */
export function written(segments) {
  let prev = "0".repeat(64);
  const hashes = new Map();
  const files = segments.map(({ firstSeq, entries }) => {
    const lines = entries.map((entry) => {
      const { line, sum } = lineOf(entry, prev);
      prev = sum;
      hashes.set(entry.seq, sum);
      return `${line}\n`;
    });
    return { name: segmentName(firstSeq), text: lines.join("") };
  });
  return { files, hashes, last: prev };
}

/** As stet keeps the journal's last words before entry `seq`. */
export function snapshotOf(rows, seq, prev) {
  const body = JSON.stringify(rows);
  return `${JSON.stringify({ seq, prev, sha256: sha256(body) })}\n${body}\n`;
}

/** [path, seq, sha] of every path that the entries before `seq` speak of. */
export function lastWords(segments, before) {
  const words = new Map();
  for (const { seq, outcome, changes } of segments.flatMap(({ entries }) => entries)) {
    if (seq >= before || (outcome !== "applied" && outcome !== "external")) continue;
    for (const { path, to } of changes) words.set(path, [path, seq, to]);
  }
  return [...words.values()];
}
