// Pages in other encodings, and of lines longer than all that can be held.
import { Workspace } from "stet";
import { memory } from "stet/backends/memory";
import { describe, expect, it } from "vitest";
import { memoryWorkspace } from "../support/workspace.ts";

const text = Array.from({ length: 40 }, (_, n) => `Zeile ${n + 1} größer`).join("\n");

describe("a page in a declared encoding", () => {
  const bytes = Buffer.from(text, "latin1");
  it.each([
    ["held whole", 1_000_000],
    ["too large to be held", 10],
  ])("%s: its lines, and the start of one", async (_how, maxFileBytes) => {
    const session = memoryWorkspace({ a: bytes }, { policy: { maxFileBytes } }).session();
    const encoding = "iso-8859-1";
    expect((await session.read("a", { from: 3, to: 3 }, { encoding })).body).toBe("Zeile 3 größer\n");
    const part = await session.read("a", { from: 3, to: 9 }, { encoding, pageBytes: 12 });
    expect(part).toMatchObject({ body: "Zeile 3 grö", shown: { from: 3, to: 3 }, isCut: true });
    expect(part.notes.join()).toMatch(/^Line 3 has 1\d bytes, and only its start is shown/);
  });
});

describe("a page whose encoding is not declared", () => {
  it.each([
    ["a byte order mark", "\ufeffab\n", true, "ab\n"],
    ["a letter that begins like one", "\uff3fb\n", false, "\uff3fb\n"],
    ["a letter that differs in its last byte", "\ufef0b\n", false, "\ufef0b\n"],
    ["less than a mark", "é", false, "é"],
  ])("of a file that is too large to be held and begins with %s", async (_what, content, bom, body) => {
    const session = memoryWorkspace({ a: content }, { policy: { maxFileBytes: 1 } }).session();
    expect(await session.read("a", { from: 1, to: 1 })).toMatchObject({ bom, body, lines: 1 });
  });

  it("is UTF-16 where the whole file is held", async () => {
    const wide = Buffer.from(`\ufeff${text}😀`, "utf16le");
    const session = memoryWorkspace({ a: wide }).session();
    expect(await session.read("a", { from: 40, to: 40 }, { pageBytes: 20 })).toMatchObject({
      body: "Zeile 40 größer",
      isCut: true,
      encoding: "utf-16le",
    });
    expect((await session.read("a", { from: 40, to: 40 }, { pageBytes: 21 })).body).toBe("Zeile 40 größer😀");
  });

  it("shows what is not UTF-8 as what it is, on every page alike", async () => {
    const session = memoryWorkspace({ a: Buffer.from(text, "latin1") }, { policy: { maxFileBytes: 10 } }).session();
    for (const range of [
      { from: 1, to: 1 },
      { from: 30, to: 40 },
    ]) {
      const { body, encoding, notes } = await session.read("a", range);
      expect([body.includes("gr\udcf6\udcdfer"), encoding]).toEqual([true, "utf-8"]);
      expect(notes).toEqual([expect.stringMatching(/kept as found and shown as \\xNN$/)]);
    }
  });

  it("keeps a byte order mark that stands within the text, and a NUL far from its beginning", async () => {
    const body = `${"a\n".repeat(5000)}\ufeffmarked\nnul \0 here\n`;
    const session = memoryWorkspace({ a: body }, { policy: { maxFileBytes: 10 } }).session();
    expect((await session.read("a", { from: 5001, to: 5002 })).body).toBe("\ufeffmarked\nnul \0 here\n");
  });
});

describe.each([1, 100])("a page of a file that comes in chunks of %i bytes", (size) => {
  const sessionOn = (content: string) => {
    const backend = memory({ files: { a: content } });
    const inChunks = async function* (chunks: AsyncIterable<Uint8Array>) {
      for await (const chunk of chunks)
        for (let at = 0; at < chunk.length; at += size) yield Uint8Array.from(chunk.subarray(at, at + size));
    };
    const stream: typeof backend.stream = async (path) => {
      const chunks = await backend.stream(path);
      return chunks && inChunks(chunks);
    };
    return new Workspace({ ...backend, stream }, { policy: { maxFileBytes: 1 } }).session();
  };

  it.each([
    ["a\r\nbc\r\nd\r\n", "crlf"],
    ["a\nbc\nd\n", "lf"],
    ["a\r\nbc\nd", "mixed"],
    ["a\rbc\rd", "cr"],
    ["abcd", "none"],
  ])("%j: its line endings are %s", async (content, eol) => {
    expect((await sessionOn(content).read("a", { from: 1, to: 1 })).eol).toBe(eol);
  });

  it("is binary for a NUL in any of its first chunks", async () => {
    const at = (n: number) => sessionOn(`${"a".repeat(n)}\0b\n`).read("a", { from: 1, to: 1 }, { pageBytes: 1 });
    await expect(at(150)).rejects.toMatchObject({ kind: "binary_file" });
    await expect(at(8191)).rejects.toMatchObject({ kind: "binary_file" });
    expect((await at(8192)).body).toBe("a");
  });
});
