// Large files: an edit changes its own bytes, and a page has its lines wherever they lie.
import { closeSync, ftruncateSync, openSync, readSync, statSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { shaOf } from "stet";
import { expect, it } from "vitest";
import { refuses } from "../support/assertions.ts";
import { directoryWith, workspaceIn } from "../support/workspace.ts";

const MIB = 1024 * 1024;
const SIZE = (process.env.STET_HEAVY === "1" ? 48 : 12) * MIB;
const AT = SIZE - 300_000;

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

it("a file of many MiB is edited in its place", async () => {
  const root = directoryWith({});
  const path = largeFile(root);
  const workspace = workspaceIn(root, { policy: { maxFileBytes: 2 * SIZE } });
  const edit = ({ body }: { body: string }) => [
    { start: body.indexOf("MARK"), end: body.indexOf("MARK") + 4, text: "EDITED" },
  ];
  const { entry } = await workspace.session().edit("large.txt", edit, { proof: { by: "waived" } });
  expect(entry?.changes[0]).toMatchObject({ fromSize: SIZE, toSize: SIZE + 2 });
  const piece = Buffer.alloc(8);
  const fd = openSync(path, "r");
  readSync(fd, piece, 0, 8, AT - 1);
  closeSync(fd);
  expect(piece.toString()).toBe("xEDITEDx");
  expect(statSync(path).size).toBe(SIZE + 2);
  await workspace.close();
});

it("a page of a file too large to hold has the lines that were asked for", async () => {
  const lines = Array.from({ length: 100_000 }, (_, n) => `line number ${n + 1} text\n`);
  const workspace = workspaceIn(directoryWith({ a: lines.join("") }), { policy: { maxFileBytes: MIB } });
  const session = workspace.session();
  const border = lines.join("").slice(0, MIB).split("\n").length;
  for (const from of [1, 100, border - 1, border, lines.length - 1]) {
    const { body, shown, ...read } = await session.read("a", { from, to: from + 2 });
    const wanted = lines.slice(from - 1, from + 2);
    expect([body, read.lines]).toEqual([wanted.join(""), lines.length]);
    expect(shown).toEqual({ from, to: from + wanted.length - 1 });
  }
  await workspace.close();
});

it("a file beyond what is read in pages is refused with the limit, and one of just that size is not", async () => {
  const size = MIB + 6;
  const files = { a: "x".repeat(size - 1).concat("\n"), b: "x".repeat(size).concat("\n") };
  const policy = { maxFileBytes: MIB };
  const workspace = workspaceIn(directoryWith(files), { policy, limits: { pagedBytes: size } });
  const session = workspace.session();
  const first = { from: 1, to: 1 };
  expect(await session.read("a", first)).toMatchObject({ lines: 1, size });
  const { failure } = await refuses("file_too_large", () => session.read("b", first));
  expect(failure.details).toMatchObject({ size: size + 1, maxBytes: size });
  await workspace.close();
});

it("a large file that another program changed is shown as it is, also with the same size", async () => {
  const bytes = Buffer.from("one\ntwo\n".repeat(MIB / 4));
  const root = directoryWith({ a: bytes });
  const workspace = workspaceIn(root);
  const session = workspace.session();
  const second = { from: 2, to: 2 };
  const first = await session.read("a", second);
  expect(await session.read("a", second)).toMatchObject({ body: "two\n", sha: first.sha });
  expect((await session.read("a", second, { encoding: "utf-16le" })).body).not.toBe("two\n");
  bytes.write("2nd\n", 4);
  writeFileSync(join(root, "a"), bytes);
  expect(await session.read("a", second)).toMatchObject({ body: "2nd\n", sha: shaOf([bytes]) });
  await workspace.close();
});
