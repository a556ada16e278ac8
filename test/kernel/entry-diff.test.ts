// Diffs of what an entry did: bytes that are no text are shown as such, and no lines are counted where a diff was cut.
import { describe, expect, it } from "vitest";
import { memory } from "../../src/backends/memory/index.ts";
import { versionOf } from "../../src/core/version.ts";
import { sectionsIn } from "../../src/kernel/history/journal/diff-sections.ts";
import { toldDiff } from "../../src/kernel/history/journal/entry-diff.ts";
import { filesOf } from "../../src/kernel/history/journal/entry-files.ts";
import { AUTHOR, change } from "../../src/testing/assertions.ts";

const LONE = /\p{Surrogate}/u;
const ASKED = { maxBytes: 10_000, room: { bytes: 1_000_000 } };

const latin1 = (text: string) => versionOf([Buffer.from(text, "latin1")]);

/** A version whose é is one byte, which is not UTF-8, between characters that are. */
async function strayByte() {
  const backend = memory({ files: {} });
  const to = latin1("first \u00c3\u00a9\nsecond caf\u00e9 au lait\n");
  const { entry } = await backend.commit([change("a.txt", null, to)], AUTHOR);
  return { backend, file: filesOf(entry)[0]! };
}

describe("the diff of an entry", () => {
  it("of kept versions shows a stray byte by its number", async () => {
    const { backend, file } = await strayByte();
    const { diff, diffFrom } = await toldDiff(backend, file, { ...ASKED, room: { bytes: 1_000_000 } });
    expect(diffFrom).toBe("versions");
    expect(diff).toMatchObject({
      text: expect.stringContaining("+first é\n+second caf\\xE9 au lait\n"),
      insertions: 2,
    });
    expect("text" in diff && LONE.test(diff.text)).toBe(false);
  });

  it("as the journal has it does so too", async () => {
    const { backend, file } = await strayByte();
    const section = { text: "--- /dev/null\n+++ b/a.txt\n@@ -0,0 +1 @@\n+second caf\udce9 \ud83d\n" };
    const told = await toldDiff(backend, file, { ...ASKED, room: { bytes: 0 }, section });
    expect(told).toMatchObject({
      diffFrom: "journal",
      diff: { left: "not looked at", asJournalSays: { text: expect.stringContaining("caf\\xE9 \\uD83D\n") } },
    });
  });
});

describe("the section of a file in a diff", () => {
  const HEADER = "--- a/cut.txt\n+++ b/cut.txt\n@@ -1,3 +1,3 @@\n";

  it.each([
    ["right behind the header of a hunk", HEADER.slice(0, -1)],
    ["behind a whole line", `${HEADER} a\n-b`],
    ["when only old lines are left", `${HEADER} a\n-b\n+c\n+d`],
    ["when only new lines are left", `${HEADER} a\n-b\n-c`],
    ["in its second hunk", `${HEADER.replaceAll("1,3", "1")}-a\n+b\n@@ -9,2 +9,2 @@\n-c`],
  ])("counts no lines when the diff ends %s", (_where, diff) => {
    const section = sectionsIn(diff).get("cut.txt");
    expect(section).toEqual({ text: `${diff}\n` });
    expect(section).not.toHaveProperty("lines");
  });

  it("counts them when the diff ends with the hunk", () => {
    expect(sectionsIn(`${HEADER} a\n-b\n+c\n d`).get("cut.txt")?.lines).toEqual({ insertions: 1, deletions: 1 });
  });
});
