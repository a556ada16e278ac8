// Seed 001, "Read it first" can always be followed: what Read shows of files that are no text, and what is said where it cannot.
import { describe, expect, it } from "vitest";
import { textAt } from "../../src/testing/assertions.ts";
import { BACKENDS } from "../support/workspace.ts";
import { firstLine } from "./001-004-followable.ts";
import { caller } from "./001-support.ts";

const PAGE = 256 * 1024;
const BYTES = Buffer.from([0, 1, 0x41, 0x0a, 0xff, 0xfe]);
const write = (file_path: string) => ({ file_path, content: "z\n" });

describe.each(BACKENDS)("seed 001, files that are hard to show, on %s", (_name, make) => {
  it("Read has no binary detection: bytes are shown, and Write may replace them then", async () => {
    const { refused, text, use, workspace } = caller(make({ "bin.dat": BYTES }));
    expect(await refused("Write", write("bin.dat"))).toBe("refusing to overwrite bin.dat: Read it first");
    const shown = await use("Read", { file_path: "bin.dat" });
    expect(shown).toMatchObject({
      ok: true,
      data: { content: "1\t\\x00\\x01A\n2\t\\xff\\xfe\n", endLine: 2, totalLines: 2 },
      warnings: [expect.stringContaining("is not text")],
    });
    const edit = { file_path: "bin.dat", old_string: "A", new_string: "B" };
    expect(await refused("Edit", edit)).toContain("Write replaces it as a whole.");
    expect(await text("Write", write("bin.dat"))).toMatch(/^wrote 2 bytes to bin\.dat\nWarning: .*held no text before/);
    expect(await textAt(workspace.backend, "bin.dat")).toBe("z\n");
  });

  it("shows a large one in pages of whole lines, and says how to go on", async () => {
    const line = Buffer.concat([Buffer.alloc(999), Buffer.from("\n")]);
    const { use, refused } = caller(make({ big: Buffer.concat(Array.from({ length: 100 }, () => line)) }));
    expect(await use("Read", { file_path: "big" })).toMatchObject({
      data: { startLine: 1, endLine: 65, totalLines: 100 },
      warnings: [expect.any(String), "Lines 1-65 of 100 are shown; go on with offset 66."],
    });
    expect(await use("Read", { file_path: "big", offset: 66 })).toMatchObject({
      data: { startLine: 66, endLine: 100 },
    });
    expect(firstLine(await refused("Read", { file_path: "big", offset: 101 }))).toBe(
      "offset 101 exceeds line count 100",
    );
  });

  it("a line that is too long is shown in part, with the way into it, and opens the gate", async () => {
    const text = `${"x".repeat(PAGE)}END`;
    const { refused, use, text: said, workspace } = caller(make({ "min.js": text }));
    const edit = { file_path: "min.js", old_string: "END", new_string: "end" };
    expect(await refused("Edit", edit)).toBe("refusing to edit min.js: Read it first");
    expect(await use("Read", { file_path: "min.js" })).toMatchObject({
      data: { content: `1\t${"x".repeat(PAGE)}\n`, endLine: 1, totalLines: 1, nextColumn: PAGE + 1 },
      warnings: [
        `Line 1 is shown from character 1 to ${PAGE}; go on in it with offset 1 and start_column ${PAGE + 1}.`,
      ],
    });
    expect(await said("Read", { file_path: "min.js", offset: 1, start_column: PAGE + 1 })).toBe("1\tEND\n");
    await said("Edit", edit);
    expect(await textAt(workspace.backend, "min.js")).toBe(`${"x".repeat(PAGE)}end`);
  });

  it("what was not shown of such a line counts as never shown", async () => {
    const { text, refused } = caller(make({ a: `${"x".repeat(PAGE + 1)}\nshort\n` }), { strict: true });
    expect(await text("Read", { file_path: "a" })).toContain("or past it with offset 2.");
    expect(await text("Read", { file_path: "a", offset: 2 })).toBe("2\tshort\n");
    expect(await refused("Write", write("a"))).toMatch(/lines? 1 (was|were) never shown/);
    await text("Read", { file_path: "a", start_column: PAGE + 1 });
    expect(await text("Write", write("a"))).toMatch(/^wrote 2 bytes/);
  });

  it("a long line of a file that is no text is shown in parts too", async () => {
    const { use } = caller(make({ b: Buffer.alloc(70_000) }));
    const first = await use("Read", { file_path: "b" });
    expect(first).toMatchObject({ data: { nextColumn: 65_537 } });
    const rest = await use("Read", { file_path: "b", start_column: 65_537 });
    const shown = [first, rest].map((each) => (each.data as { content: string }).content.slice(2, -1)).join("");
    expect(shown).toBe("\\x00".repeat(70_000));
  });

  it("a file over the size limit is left as it is, and nobody is told to shrink it", async () => {
    const { refused } = caller(make({ a: "one\ntwo\n", b: BYTES }), { policy: { maxFileBytes: 4 } });
    expect(await refused("Write", write("a"))).toContain("too large to be changed by these tools: leave it as it is");
    expect(await refused("Read", { file_path: "b" })).toContain("Leave it as it is.");
  });

  it.each([0, -1, 2000, 2001, 5])("Read with limit %d says when it is cut short of what was meant", async (limit) => {
    const { use } = caller(make({ a: "l\n".repeat(2500) }));
    const last = limit > 0 ? limit : 2000;
    const { warnings = [] } = (await use("Read", { file_path: "a", limit })) as { warnings?: readonly string[] };
    const said = `Lines 1-${last} of 2500 are shown; go on with offset ${last + 1}.`;
    expect(warnings).toEqual(limit === 5 ? [] : [said]);
  });
});
