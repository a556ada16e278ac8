// What a terminal would obey is in the words of a result only where a file is read for editing; tabs stay tabs.
import { linkSync } from "node:fs";
import { join } from "node:path";
import { anchors, compact, type Surface, tracked, workspace } from "stet/surfaces";
import { describe, expect, it } from "vitest";
import { agentIn, agentOnDisk, agentWith, surfaceOnFiles } from "../support/agent.ts";
import { workspaceIn } from "../support/workspace.ts";

const HOSTILE = "\tneedle \u001b[2J \u0007 \u202e \u2028 \u0085 here";
const SHOWN = "\tneedle \\u{1b}[2J \\u{7} \\u{202e} \\u{2028} \\u{85} here";
const BODY = `first\n${HOSTILE}\nthird 👨‍👩‍👧 x\n`;
const OBEYED = /(?![\n\t])\p{Cc}|[\u2028\u2029\u202a-\u202e]/u;

const SEARCHES: readonly (readonly [string, Surface, string, object])[] = [
  ["workspace", workspace, "search_files", { query: "needle", mode: "text", contextLines: 1 }],
  ["tracked", tracked, "Grep", { pattern: "needle" }],
  ["compact", compact, "Grep", { pattern: "needle", output_mode: "content" }],
];

describe("a hit", () => {
  it.each(SEARCHES)("of %s shows control characters", async (_, surface, tool, input) => {
    const text = await agentWith(surface, { "a.txt": BODY }).text(tool, input);
    expect(text).toContain(SHOWN);
    expect(text).not.toMatch(OBEYED);
  });
});

const EDITS: readonly (readonly [string, Surface, string, (sha: string, text: string) => object])[] = [
  [
    "workspace",
    workspace,
    "edit_file",
    (expectedSha256, oldText) => ({ path: "a.txt", edits: [{ oldText, newText: "new" }], expectedSha256 }),
  ],
  ["tracked", tracked, "Edit", (_, old_string) => ({ file_path: "a.txt", old_string, new_string: "new" })],
  ["compact", compact, "Edit", (_, old_string) => ({ file_path: "a.txt", old_string, new_string: "new" })],
];

describe.each(EDITS)("an edit of %s", (_, surface, tool, input) => {
  it("finds them as they are, and shows them in its diff", async () => {
    const agent = agentWith(surface, { "a.txt": BODY });
    const { text, data } = await agent.done(tool, input(await agent.sha("a.txt"), HOSTILE));
    expect(text).not.toMatch(OBEYED);
    expect(JSON.stringify(data)).toContain(JSON.stringify(SHOWN).slice(1, -1));
    expect(await agent.content("a.txt")).toBe(BODY.replace(HOSTILE, "new"));
  });

  it("shows them in the lines of a refusal", async () => {
    const agent = agentWith(surface, { "a.txt": BODY });
    const { text } = await agent.refused(tool, input(await agent.sha("a.txt"), `${HOSTILE} there is none`));
    expect(text).not.toMatch(OBEYED);
  });
});

describe("a file that has another name by hard link", () => {
  const READS: readonly (readonly [string, Surface, string, object])[] = [
    ["workspace", workspace, "read_file", { path: "a.txt" }],
    ["tracked", tracked, "Read", { file_path: "a.txt" }],
    ["compact", compact, "Read", { file_path: "a.txt" }],
    ["anchors", anchors, "read_file", { path: "a.txt" }],
    ["files", surfaceOnFiles("files"), "files", { params: { command: "read", file_path: "a.txt" } }],
  ];

  it.each(READS)("says so when %s reads it", async (_, surface, tool, input) => {
    const { root, ...first } = agentOnDisk(surface, { "a.txt": BODY });
    const textAnew = () => agentIn(workspaceIn(root), surface).text(tool, input);
    expect(await first.text(tool, input)).not.toContain("hard link");
    linkSync(join(root, "a.txt"), join(root, "b.txt"));
    expect(await textAnew()).toContain("The file has 1 other name by hard link");
    linkSync(join(root, "a.txt"), join(root, "c.txt"));
    const text = await textAnew();
    expect(text).toContain("The file has 2 other names by hard link");
    expect(text).toContain("\u001b[2J");
  });
});
