// Seed 004, the guidance texts: every quoted sentence is where the seed wants it, and the tool list stays small.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { anchors, guidance } from "../../src/surfaces/anchors/index.ts";
import { inputSchema } from "../../src/surfaces/schema.ts";

const edit = anchors.tools[1];
/** Quotes differ from the texts at most in white space and code marks. */
const plain = (text: string) => text.replace(/[\s`]+/g, "");

const QUOTES: readonly (readonly [text: keyof typeof guidance, inEdit: boolean, quotes: readonly string[]])[] = [
  [
    "sameTurn",
    true,
    [
      "After reading a file with `read_file(hashes: true)`, apply edits to that file in the same response turn or the immediate next turn.",
      "Do not read file A, then read file B, then later edit file A — the anchors from A will be stale and cause cross-version conflicts.",
      "Process one file completely (read → edit) before reading anchors for another file.",
    ],
  ],
  [
    "anchorSelection",
    true,
    [
      "Anchor selection guidance: Prefer lines with unique, distinctive content as anchors.",
      "Avoid anchoring on empty lines, closing braces (`}`), or frequently repeated boilerplate (e.g., `position: fixed;`, `display: flex;` in CSS, `</div>` in HTML).",
      "For files with repetitive content, use `replace_range` with two unique boundary anchors instead of `replace_line` — range operations enforce uniqueness on both endpoints and are rejected if ambiguous.",
      "When a `replace_line` anchor matches multiple lines, use the `occurrence` field (1-indexed) and `line` field (advisory line number) together to disambiguate.",
    ],
  ],
  [
    "operationTable",
    false,
    [
      "| Situation | Recommended Operation |",
      "| Change a single line with unique content | replace_line |",
      "| Change a contiguous block of lines | replace_range |",
      "| Insert new content between two existing lines | insert_after / insert_before |",
      "| Remove a single unique line | delete_line |",
      "| Remove a contiguous block of lines | delete_range |",
      "Target line is repetitive (empty line, }, boilerplate) |\nreplace_range wrapping it with unique neighbor anchors |",
    ],
  ],
  [
    "multiFile",
    false,
    [
      "Multi-file editing: When modifying multiple files, complete all operations on one file before moving to the next.",
      "Batch operations targeting the same file into a single `edit` call where possible (all operations in one call are atomic against the same snapshot).",
      "Avoid interleaving reads and edits across different files — read A → edit A → read B → edit B, not read A → read B → edit A → edit B.",
    ],
  ],
  [
    "parameterNotes",
    true,
    [
      "Parameter notes:",
      "Use `path` to specify the file; `file_path` is deprecated and will be rejected.",
      "replace_line / delete_line / insert_after / insert_before use hash (single anchor).",
      "replace_range / delete_range use start_hash + end_hash (two anchors).",
      "Mixing these (e.g., `start_hash` on a `replace_line`) causes validation failure.",
    ],
  ],
  [
    "advisoryLineNumbers",
    true,
    [
      "the line number is advisory (snapshot position) only, and the hash is the authoritative identity for edit operations",
    ],
  ],
];

describe("guidance", () => {
  it.each(QUOTES)(
    "WHEN the system prompt is assembled THEN it contains %s, sentence by sentence",
    (text, inEdit, quotes) => {
      for (const quote of quotes) {
        expect(plain(guidance[text])).toContain(plain(quote));
        expect(plain(anchors.guidance)).toContain(plain(quote));
        if (inEdit) expect(plain(edit.description)).toContain(plain(quote));
      }
    },
  );

  const seeds = new URL("../../../shared/seeds/", import.meta.url);
  const seed = existsSync(seeds) ? readdirSync(seeds).find((name) => name.startsWith("004_")) : undefined;

  it.skipIf(seed === undefined)(
    "holds every text that the seed quotes, whole (skipped where the seed is not at hand)",
    () => {
      const asked = readFileSync(new URL(seed!, seeds), "utf8");
      const wanted = asked.matchAll(
        /THEN the (edit tool description|Tool Use Rules section) SHALL[^"]*to:\s*"([^"]*)"/g,
      );
      const found = [...wanted].map(([, where, quote]) => {
        // The seed has lost the marks of some of its lists on the way.
        const words = plain(quote!).replaceAll("-", "");
        const holder = where === "edit tool description" ? edit.description : anchors.guidance;
        expect(plain(holder).replaceAll("-", "")).toContain(words);
        return where;
      });
      expect(found).toHaveLength(5);
      const rows = asked.match(/^\| .* \|$/gm) ?? [];
      expect(rows.length).toBeGreaterThanOrEqual(6);
      for (const row of rows) expect(plain(anchors.guidance)).toContain(plain(row));
    },
  );

  it("is one section of Tool Use Rules with all six texts", () => {
    expect(anchors.guidance).toMatch(/^## Tool Use Rules\n/);
    expect(Object.keys(guidance)).toHaveLength(6);
    for (const text of Object.values(guidance)) expect(anchors.guidance).toContain(text);
  });

  it("the disclaimer about line numbers comes before the usage guidance", () => {
    expect(edit.description.indexOf(guidance.advisoryLineNumbers)).toBeLessThan(
      edit.description.indexOf(guidance.sameTurn),
    );
  });

  it("the tool list takes at most 8 KB", () => {
    const sizes = anchors.tools.map((tool) => {
      const { name, description } = tool;
      return [name, Buffer.byteLength(JSON.stringify({ name, description, inputSchema: inputSchema(tool) }))] as const;
    });
    const total = sizes.reduce((sum, [, bytes]) => sum + bytes, 0);
    console.log(`anchors: ${total} bytes of tool list (${sizes.map((size) => size.join(" ")).join(", ")})`);
    expect(total).toBeLessThanOrEqual(8 * 1024);
  });
});
