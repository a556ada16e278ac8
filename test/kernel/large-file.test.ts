// Large files: the bytes are held once, and other work gets its turn meanwhile.
import { closeSync, ftruncateSync, openSync, readSync, statSync, writeSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { disk } from "../../src/backends/disk/index.ts";
import { editFile } from "../../src/kernel/verbs.ts";
import { Workspace } from "../../src/kernel/workspace.ts";
import { directoryWith } from "../support/workspace.ts";

const SIZE = 48 * 1024 * 1024;
const AT = 30_000_000;

function largeFile(root: string): string {
  const path = join(root, "large.txt");
  const fd = openSync(path, "w");
  const chunk = Buffer.from(`${"x".repeat(1023)}\n`.repeat(1024));
  for (let at = 0; at < SIZE; at += chunk.length) writeSync(fd, chunk);
  writeSync(fd, "MARK", AT);
  ftruncateSync(fd, SIZE);
  closeSync(fd);
  return path;
}

describe("a file of 48 MiB", () => {
  it("is edited without a second copy of its bytes, and without keeping everything else waiting", async () => {
    const root = directoryWith({});
    const path = largeFile(root);
    const workspace = new Workspace(disk({ root, durability: "fast" }), { policy: { maxFileBytes: 2 * SIZE } });
    const session = workspace.session();
    let turns = 0;
    let most = 0;
    const before = process.memoryUsage().arrayBuffers;
    const watch = setInterval(() => {
      turns++;
      most = Math.max(most, process.memoryUsage().arrayBuffers - before);
    }, 1);
    const edit = ({ body }: { body: string }) => [
      { start: body.indexOf("MARK"), end: body.indexOf("MARK") + 4, text: "EDITED" },
    ];
    const { entry } = await editFile(session, "large.txt", edit, { proof: { by: "waived" } });
    clearInterval(watch);

    expect(entry?.changes[0]).toMatchObject({ fromSize: SIZE, toSize: SIZE + 2 });
    expect(most).toBeLessThan(SIZE * 1.5);
    expect(turns).toBeGreaterThan(10);
    const piece = Buffer.alloc(8);
    const fd = openSync(path, "r");
    readSync(fd, piece, 0, 8, AT - 1);
    closeSync(fd);
    expect(piece.toString()).toBe("xEDITEDx");
    expect(statSync(path).size).toBe(SIZE + 2);
    await workspace.close();
  });
});

describe("a page of a file too large to hold", () => {
  const LINES = 500_000;
  const lineAt = (n: number): string => `line number ${n} text`;

  it("has the lines that were asked for, wherever they lie", async () => {
    const text = Array.from({ length: LINES }, (_, n) => `${lineAt(n + 1)}\n`).join("");
    expect(text.length).toBeGreaterThan(10 * 1024 * 1024);
    const workspace = new Workspace(disk({ root: directoryWith({ "large.txt": text }) }));
    const session = workspace.session();
    const borders = Array.from({ length: 10 }, (_, mib) => text.slice(0, mib * 1024 * 1024).split("\n").length);
    for (const from of [1, 100, LINES - 2, ...borders.flatMap((line) => [Math.max(1, line - 2), line])]) {
      const { body, lines, shown } = await session.read("large.txt", { from, to: from + 2 });
      const wanted = [from, from + 1, from + 2].filter((n) => n <= LINES);
      expect({ body, lines, shown }).toEqual({
        body: wanted.map((n) => `${lineAt(n)}\n`).join(""),
        lines: LINES,
        shown: { from, to: wanted.at(-1) },
      });
    }
    await workspace.close();
  });
});
