import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Workspace } from "stet";
import { disk } from "stet/backends/disk";
import { describe, expect, it } from "vitest";
import { path, refuses } from "../support/assertions.ts";
import { directoryWith, memoryWorkspace } from "../support/workspace.ts";

describe("reading", () => {
  const open = (files: Record<string, string | Uint8Array>, options = {}) => memoryWorkspace(files, options).session();

  it("gives text, line count and the sha256 of the whole file", async () => {
    const session = open({ "a.txt": "one\ntwo\nthree" });
    const whole = await session.read("a.txt");
    expect(whole).toMatchObject({
      body: "one\ntwo\nthree",
      lines: 3,
      shown: { from: 1, to: 3 },
      finalNewline: false,
      size: 13,
    });
    const slice = await session.read("a.txt", { from: 2, to: 2 });
    expect(slice).toMatchObject({ body: "two\n", sha: whole.sha, shown: { from: 2, to: 2 } });
  });

  it("clamps ranges and shows nothing behind the end", async () => {
    const session = open({ "a.txt": "one\ntwo\n" });
    expect(await session.read("a.txt", { from: 2, to: 99 })).toMatchObject({
      body: "two\n",
      shown: { from: 2, to: 2 },
    });
    expect(await session.read("a.txt", { from: 5, to: 9 })).toMatchObject({
      body: "",
      shown: { from: 5, to: 4 },
      lines: 2,
    });
    await expect(session.read("a.txt", { from: -3, to: 1 })).rejects.toMatchObject({ kind: "invalid_input" });
  });

  it("reads an empty file", async () => {
    expect(await open({ e: "" }).read("e")).toMatchObject({ body: "", lines: 0, size: 0, finalNewline: false });
  });

  it("keeps CRLF in the body and says so; leaves the byte order mark out", async () => {
    const session = open({ a: "\ufeffx\r\ny\r\n" });
    expect(await session.read("a")).toMatchObject({ body: "x\r\ny\r\n", bom: true, eol: "crlf" });
  });

  it("refuses what is absent, a directory, binary, too large", async () => {
    const session = open(
      { "d/a": "x", bin: Uint8Array.of(1, 0, 2), big: "x".repeat(101) },
      { policy: { maxFileBytes: 100 } },
    );
    await refuses("not_found", () => session.read("nope"));
    await refuses("not_a_file", () => session.read("d"));
    await refuses("binary_file", () => session.read("bin"));
    const refusal = await refuses("file_too_large", () => session.read("big"));
    expect(refusal.failure.details).toMatchObject({ size: 101, maxBytes: 100 });
  });

  it("reads a page of a file that is too large to hold, with the same sha256 and line count", async () => {
    const lines = Array.from({ length: 300 }, (_, i) => `line ${i + 1} ${"ü".repeat(i % 7)}`);
    const text = `${lines.join("\r\n")}\r\n`;
    const whole = await open({ a: text }).read("a");
    const session = open({ a: text }, { policy: { maxFileBytes: 1000 } });
    const page = await session.read("a", { from: 10, to: 12 });
    expect(page).toMatchObject({
      body: `${lines.slice(9, 12).join("\r\n")}\r\n`,
      sha: whole.sha,
      lines: 300,
      eol: "crlf",
      shown: { from: 10, to: 12 },
    });
    expect(page.whole).toBeUndefined();
    expect((await session.ledger.get(path("a")))?.shown).toEqual([{ from: 10, to: 12 }]);
    expect(await session.read("a", { from: 299, to: 400 })).toMatchObject({
      body: `${lines.slice(298).join("\r\n")}\r\n`,
    });
  });

  it("remembers which lines were shown", async () => {
    const session = open({ a: "1\n2\n3\n4\n5\n" });
    await session.read("a", { from: 2, to: 3 });
    await session.read("./a", { from: 5, to: 5 });
    expect((await session.ledger.get(path("a")))?.shown).toEqual([
      { from: 2, to: 3 },
      { from: 5, to: 5 },
    ]);
  });

  it("a read that fails marks nothing as seen", async () => {
    const session = open({ bin: Uint8Array.of(1, 0, 2) });
    await refuses("binary_file", () => session.read("bin"));
    expect(await session.ledger.get(path("bin"))).toBeUndefined();
    const { at, version } = await session.readBytes("bin");
    expect(await session.ledger.get(path("bin"))).toBeUndefined();
    await session.showed(at.path, version);
    expect(await session.ledger.get(path("bin"))).toBeDefined();
  });
});

describe("links", () => {
  it("a link and its target are one entry in what was seen", async () => {
    const root = directoryWith({ "real.txt": "x\n" });
    symlinkSync("real.txt", join(root, "link.txt"));
    const session = new Workspace(disk({ root })).session();
    expect((await session.read("link.txt")).path).toBe("real.txt");
    expect(await session.ledger.get(path("real.txt"))).toBeDefined();
  });

  it("the root may be reached by a link, and may go away", async () => {
    const root = directoryWith({ "a.txt": "x\n" });
    const other = directoryWith({});
    const link = join(other, "ws");
    symlinkSync(root, link);
    const session = new Workspace(disk({ root: link })).session();
    expect((await session.read(join(link, "a.txt"))).body).toBe("x\n");
    rmSync(root, { recursive: true });
    mkdirSync(root);
    writeFileSync(join(root, "a.txt"), "another\n");
    await refuses("unsupported", () => session.read("a.txt"));
  });
});
