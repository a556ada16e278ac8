// Seed 004, every WHEN of it, in order, and the tests that show its THEN.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

const PROMPT = "the system prompt is assembled for an agent session";
const guidanceOf = "WHEN the system prompt is assembled THEN it contains %s, sentence by sentence";
const operation = "%s changes exactly its lines of the file";
const refusal = "%s: rejected, the file unchanged, with its details (%#)";
const swap = "WHEN start_hash is line 791 and end_hash is line 17";

const SCENARIOS: readonly (readonly [when: string, ...tests: string[]])[] = [
  [
    'the model calls edit with op: "replace_line", a valid 6-char hash matching uniquely to line 3',
    operation,
    "WHEN a valid 6-char hash matches uniquely to line 3",
  ],
  [
    'the model calls edit with op: "replace_line" and a hash that does not correspond to any line',
    refusal,
    "WHEN the hash does not correspond to any line",
  ],
  [
    'the model calls edit with op: "replace_line" and a 6-char hash that matches 3 different lines',
    "WHEN a 6-char hash matches 3 different lines",
  ],
  [
    'the model calls edit with op: "replace_line" and a hash that resolves to a line classified as low',
    refusal,
    "WHEN the hash resolves to a low line THEN anchor_low_entropy, with the line number",
  ],
  [
    'the model calls edit with op: "replace_range", start_hash uniquely matching line 5',
    operation,
    "WHEN start_hash matches line 5, end_hash line 8",
  ],
  ["start_hash matches 2 candidate lines", refusal, "WHEN start_hash matches 2 lines"],
  [
    "start_hash matches exactly 1 line and end_hash matches 3 candidate lines",
    refusal,
    "WHEN end_hash matches 3 lines",
  ],
  [
    "start_hash corresponds to line 791 and end_hash corresponds to line 17",
    swap,
    "THEN auto_corrections tells of the swap, in data and text",
  ],
  [
    "start_hash and end_hash both resolve to the same line",
    refusal,
    "WHEN start_hash and end_hash both resolve to the same line",
  ],
  [
    'the model calls edit with op: "replace_range", start_hash uniquely matching line 5',
    operation,
    "WHEN start_hash matches line 5, end_hash line 8",
  ],
  ["start_hash matches 2 candidate lines", refusal, "WHEN start_hash matches 2 lines"],
  [
    "start_hash matches exactly 1 line and end_hash matches 3 candidate lines",
    refusal,
    "WHEN end_hash matches 3 lines",
  ],
  // Contradicts the scenario with lines 791 and 17: a reversed range is swapped and reported, only a range of one line is refused.
  [
    "start_hash corresponds to a line number greater than end_hash's line number",
    swap,
    "THEN auto_corrections tells of the swap, in data and text",
  ],
  [
    'the model calls edit with op: "insert_after", hash uniquely matching line 4',
    operation,
    "WHEN hash matches line 4 and content has two lines",
  ],
  [
    'the model calls edit with op: "insert_after" and a hash that resolves to a low line',
    refusal,
    "WHEN the hash resolves to a low line THEN anchor_low_entropy",
  ],
  [
    'the model calls edit with op: "insert_before", hash uniquely matching line 1',
    operation,
    "WHEN hash matches line 1 and content is",
  ],
  [
    'the model calls edit with op: "delete_line" and a valid hash uniquely matching line 3',
    operation,
    "WHEN a hash matches line 3 THEN line 3 is removed",
  ],
  [
    'the model calls edit with op: "delete_range", start_hash uniquely matching line 2',
    operation,
    "WHEN start_hash matches line 2 and end_hash line 4",
  ],
  [
    "the model calls edit with 3 operations where the first two reference valid hashes",
    "WHEN 3 operations are sent and the third hash is invalid",
  ],
  [
    "the model calls edit with 2 operations where the first has a unique hash",
    refusal,
    "WHEN the second of 2 operations has an ambiguous hash without occurrence",
  ],
  [
    'the model calls edit with [{op: "delete_line", hash: "a1b2"}',
    "WHEN a batch deletes a line and inserts after a later one",
  ],
  [
    "the model reads a file with hashes, the file is modified externally",
    "WHEN a file was read with hashes and then modified by another",
  ],
  [
    "the model reads a file with hashes and calls edit with a hash that matches multiple identical lines",
    refusal,
    "WHEN a hash matches multiple identical lines at all resolution levels",
  ],
  [
    "edit successfully applies 2 operations",
    "WHEN 2 operations are applied from line 12 on",
    "WHEN 2 operations are applied THEN the details have counts",
  ],
  [
    'the model calls edit with op: "replace_line", hash: "d41d", occurrence: 3',
    'WHEN hash "d41d" with occurrence 3 matches lines 2, 5, 7 and 12',
  ],
  [
    'the model calls edit with op: "delete_line", hash: "d41d", occurrence: 1',
    'WHEN delete_line "d41d" with occurrence 1',
  ],
  ["edit successfully modifies lines 20-22", "WHEN lines 20-22 are modified THEN details contain"],
  ["edit receives a hash that matches lines 10 and 25", "WHEN a hash matches lines 10 and 25"],
  ["edit rejects a replace_line targeting a }, line at position 118", 'WHEN a "}," line at position 118 is rejected'],
  [
    'edit successfully applies operations and sanity check returns "clean"',
    "WHEN the sanity check is clean THEN the checkpoint is committed",
  ],
  [
    "edit applies operations that produce sanity warnings",
    "WHEN an edit produces %s THEN it is rejected with safety_check_failed",
  ],
  [
    "edit is called on a file that was previously written by write_file",
    "WHEN edit is called on a file previously written by write_file",
  ],
  [
    "edit is called on a file that was previously only modified by edit",
    "WHEN edit is called on a file previously only modified by edit",
  ],
  ['the model calls edit with path: "/app/foo.ts" and valid operations', 'WHEN edit is called with path "/app/foo.ts"'],
  [
    "the model calls edit without path (and without deprecated file_path)",
    "WHEN edit is called without path and without file_path",
  ],
  ['the model calls edit with file_path: "/app/foo.ts" and no path', "WHEN edit is called with file_path and no path"],
  [
    'the model calls edit with both path: "/app/foo.ts" and file_path',
    "WHEN edit is called with both path and file_path",
  ],
  ...Array.from({ length: 6 }, () => [PROMPT, guidanceOf] as const),
];

const here = new URL("./", import.meta.url);
const tests = readdirSync(here)
  .filter((name) => /^004-.*\.test\.ts$/.test(name) && !name.includes("coverage"))
  .map((name) => readFileSync(new URL(name, here), "utf8"))
  .join("\n");
const seeds = new URL("../../../shared/seeds/", import.meta.url);
const seed = existsSync(seeds) ? readdirSync(seeds).find((name) => name.startsWith("004_")) : undefined;

describe("the scenarios of seed 004", () => {
  it.each(SCENARIOS)("WHEN %s", (_when, ...names) => {
    const missing = names.filter(
      (name) =>
        !new RegExp(`\\bit(?:\\.each\\(\\w+\\)|\\.each\\(\\[[^;]*?\\]\\))?\\(\\s*["'\`][^\\n]*${escaped(name)}`).test(
          tests,
        ),
    );
    expect(missing).toEqual([]);
  });

  it.skipIf(seed === undefined)(
    "are all here, in the order of the seed (skipped where the seed is not at hand)",
    () => {
      const whens = readFileSync(new URL(seed!, seeds), "utf8").split("- WHEN").slice(1).map(squeezed);
      expect(whens).toHaveLength(SCENARIOS.length);
      SCENARIOS.forEach(([when], n) => {
        expect(whens[n]).toContain(squeezed(when));
      });
    },
  );
});

function squeezed(text: string): string {
  return text.replace(/[\s`]+/g, "");
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
