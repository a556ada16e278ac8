// What a caller does about a refused edit, patch or anchor, taking the next action at its word.
import type { Refused, Way } from "./refused.ts";
import { hash } from "./rows.ts";
import { LINES } from "./world.ts";

const [A, B, C] = LINES as [string, string, string];

export const EDITS: readonly Way[] = [
  [
    /give its text as the old text/,
    async (refused) => {
      const [line] = refused.said(/the file has `([^`]+)`/);
      await refused.edited({ from: line! });
    },
  ],
  [
    /copy the EXACT text to replace into old_string/,
    async (refused) => {
      await refused.read();
      await refused.edited({ from: B, to: "x" });
    },
  ],
  [/Read the file again; check that it is the right one/, (refused) => refused.read()],
  [
    /(?:text|lines) before or after it that only the right place has|Give more of the text around it/,
    (refused) => refused.edited({ from: refused.path === "ab.txt" ? "ab ab" : "same here\nother" }),
  ],
  [
    /set expectedOccurrences|correct the old text or the number/,
    (refused) => refused.edited({}, { expectedOccurrences: refused.error.details?.matchCount }),
  ],
  [/set replace_all/, (refused) => refused.again({ replace_all: true })],
  [/^Set expected_count to 1/, (refused) => refused.again({ expected_count: 1 })],
  [
    /Add context lines to the hunk until they occur only once/,
    (refused) => refused.patched("*** Update File: twice.txt", "@@", "-same here", "+x", " other"),
  ],
  [
    /Make one edit of the two/,
    (refused) => refused.again({ edits: [{ oldText: `${A}\n${B}\n${C}`, newText: "x\ny" }] }),
  ],
  [
    /Put (?:that|the) change into (?:the new text of )?edit 1/,
    (refused) => refused.again({ edits: [{ oldText: A, newText: "third" }] }),
  ],
  [
    /send edit 2 in (?:a call of its own|a later call)/,
    async (refused) => {
      const [first, second] = refused.input.edits as object[];
      const { data } = (await refused.again({ edits: [first] })) as { data: { afterSha256: string } };
      await refused.again({ edits: [second], expectedSha256: data.afterSha256 });
    },
  ],
  [/Give the new text with the change in it/, (refused) => refused.edited({ to: "x" })],
  [/Give the (?:exact )?text to replace/, (refused) => refused.edited({ from: "one" })],
  [
    /Read lines 1-\d and (?:give whole words|copy the indentation exactly)/,
    async (refused) => {
      await refused.read(refused.path, [1, 3]);
      await refused.edited({ from: (await refused.now()).trimEnd() });
    },
  ],
  [/Write the lines out/, (refused) => refused.edited({ to: [A, "x", ...LINES.slice(1, 6)].join("\n") })],
  [/edit only the lines that change/, (refused) => refused.edited({ from: A, to: "x" })],
  [
    /(?:between|from) \d+ (?:and|to) \d+\.$|^Use offset 0\.$/,
    async (refused) => {
      const key = Object.hasOwn(refused.asked, "offset") ? "offset" : "insert_at_line";
      const bounds = /(\d+) (?:and|to) (\d+)\.$/.exec(refused.error.suggestedAction!)?.slice(1) ?? ["0"];
      for (const bound of bounds.map(Number).reverse()) await refused.again({ [key]: bound });
    },
  ],
  [
    /Read a.txt again and write the hunk with the file's exact lines/,
    async (refused) => {
      await refused.read("a.txt");
      await refused.patched("*** Update File: a.txt", "@@", `-${A}`, "+x");
    },
  ],
  [/Write the hunk with \+ lines only/, (refused) => refused.patched("*** Update File: empty.txt", "@@", "+x")],
  [/Nothing is left to do here|nothing is left to do[.;]/, "no call"],
];

const operation = (refused: Refused) => (refused.input.operations as Readonly<Record<string, unknown>>[])[0]!;

export const ANCHORS: readonly Way[] = [
  [
    /[Rr]ead the file again with hashes/,
    async (refused) => {
      const { file_version } = await refused.read();
      const version = refused.asked.expected_file_version !== undefined && { expected_file_version: file_version };
      const [first] = (await refused.now()).split("\n");
      if (refused.given.tool === "write_file") await refused.again({ ...version });
      else await refused.again({ ...version, operations: [{ op: "delete_line", hash: hash(first!) }] });
    },
  ],
  [
    /^Read lines? \d+(-\d+)? with read_file, hashes true, offset \d+, limit \d+, and use the new anchors/,
    async (refused) => {
      const [offset, limit] = refused.said(/offset (\d+), limit (\d+)/).map(Number) as [number, number];
      await refused.read(refused.path, [offset + 1, offset + limit]);
      await refused.again({});
    },
  ],
  [
    /^If line \d+ is meant, send /,
    async (refused) => {
      const [key = "hash", anchor, occurrence] = refused.said(
        /is meant, send (?:"(\w+)": )?"([^"]+)"(?:, "occurrence": (\d+))?/,
      );
      await refused.operated((each) => ({
        ...each,
        [key]: anchor,
        ...(occurrence && { occurrence: Number(occurrence) }),
      }));
    },
  ],
  [
    /Go on with the anchors below/,
    async (refused) => {
      const [anchor] = refused.said(/Anchors of the file now:\n\s*(\d+#[0-9a-f]+)/);
      await refused.again({ operations: [{ op: "delete_line", hash: anchor }] });
    },
  ],
  [
    /use insert_after with the hash d41d8c/,
    (refused) => refused.again({ operations: [{ op: "insert_after", hash: "d41d8c", content: "x" }] }),
  ],
  [
    /Copy the 6 characters after the #/,
    async (refused) => {
      await refused.read();
      await refused.operated((each) => ({ ...each, hash: hash(A) }));
    },
  ],
  [
    /one of the hashes shown in brackets/,
    async (refused) => {
      const [anchor] = refused.said(/\((?:hash|ctx)=([0-9a-f]+)/);
      await refused.operated(({ occurrence: _occurrence, line: _line, ...each }) => ({ ...each, hash: anchor }));
    },
  ],
  [
    /[Aa]dd the "occurrence" \(the number after #\)/,
    (refused) => refused.operated((each) => ({ ...each, occurrence: 1 })),
  ],
  [
    /Give "occurrence" and "line" of the same line/,
    async (refused) => {
      const [line] = refused.said(/occurrence \d+ is line (\d+)/);
      await refused.operated((each) => ({ ...each, line: Number(line) }));
    },
  ],
  [
    /Name the line with its number, as "start_hash"/,
    (refused) =>
      refused.operated((each) => ({ ...each, start_hash: `1#${each.start_hash}`, end_hash: `2#${each.end_hash}` })),
  ],
  [
    /^To write it with its neighbours, use replace_range/,
    async (refused) => {
      const [start, end] = refused.said(/replace_range from "([^"]+)" to "([^"]+)"/);
      const range = { op: "replace_range", start_hash: start, end_hash: end, content: "x" };
      await refused.again({ operations: [range] });
    },
  ],
  [/or add "occurrence": 1/, (refused) => refused.operated((each) => ({ ...each, occurrence: 1 }))],
  [
    /^Use replace_line with "hash"/,
    (refused) =>
      refused.again({ operations: [{ op: "replace_line", hash: operation(refused).start_hash, content: "x" }] }),
  ],
  [
    /Rewrite them as one replace_range over the whole block/,
    (refused) =>
      refused.again({ operations: [{ op: "replace_range", start_hash: hash(A), end_hash: hash(C), content: "x" }] }),
  ],
  [
    /Send only one of them for that line|Provide at least one operation/,
    (refused) => refused.again({ operations: [{ op: "delete_line", hash: hash(B) }] }),
  ],
  [/send it again with "safety_check": "warn"/, (refused) => refused.again({ safety_check: "warn" })],
];
