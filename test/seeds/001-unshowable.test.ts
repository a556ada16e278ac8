// Seed 001, "Read it first" can always be followed: what Read shows of files that are no text, and what is said where it cannot.
import { describe, expect, it } from "vitest";
import { textAt } from "../../src/testing/assertions.ts";
import { BACKENDS } from "../support/workspace.ts";
import { firstLine } from "./001-004-followable.ts";
import { caller } from "./001-support.ts";

const MIB = 1024 * 1024;
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

  it("nobody is sent to Read a file of one line that is too long for it", async () => {
    const { refused } = caller(make({ "min.js": "x".repeat(MIB + 1) }));
    for (const [tool, input] of [
      ["Write", write("min.js")],
      ["Edit", { file_path: "min.js", old_string: "x", new_string: "y" }],
    ] as const)
      expect(await refused(tool, input)).toBe(
        `refusing to ${tool === "Write" ? "overwrite" : "edit"} min.js: its lines are too long to be Read. Leave it as it is, and write to another path.`,
      );
    const said = await refused("Read", { file_path: "min.js" });
    expect(said).toContain("It is the only line");
    expect(said).not.toContain("before or after");
  });

  it("a long line among others is left out by reading the others, which opens the gate", async () => {
    const { refused, text } = caller(make({ a: `${"x".repeat(MIB + 1)}\nshort\n` }));
    expect(await refused("Write", write("a"))).toBe("refusing to overwrite a: Read it first");
    expect(await refused("Read", { file_path: "a" })).toContain("Read the lines before or after it");
    expect(await text("Read", { file_path: "a", offset: 2 })).toBe("2\tshort\n");
    expect(await text("Write", write("a"))).toMatch(/^wrote 2 bytes/);
  });

  it("a file over the size limit is left as it is, and nobody is told to shrink it", async () => {
    const { refused } = caller(make({ a: "one\ntwo\n", b: BYTES }), { policy: { maxFileBytes: 4 } });
    expect(await refused("Write", write("a"))).toContain("a file that is too large already is left as it is");
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
