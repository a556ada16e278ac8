// Seed 002, Read of what is no text: PDF pages, pictures for vision.
import { describe, expect, it } from "vitest";
import { call } from "../../src/surfaces/call.ts";
import { compact } from "../../src/surfaces/compact/index.ts";
import { pagesIn } from "../../src/surfaces/compact/media/pages.ts";
import { HEAVY } from "../support/processes.ts";
import { BACKENDS } from "../support/workspace.ts";
import { opened } from "./002-calling.ts";

const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);
const hex = (text: string): Buffer => Buffer.from(text.replaceAll(" ", ""), "hex");
const SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="4" height="3">\n</svg>\n';

/** The least that tells type and size, 4 × 3 pixels each. */
const PICTURES: readonly (readonly [name: string, mediaType: string, bytes: Buffer])[] = [
  ["a.gif", "image/gif", Buffer.concat([Buffer.from("GIF89a"), hex("0400 0300 00 00 00 3b")])],
  [
    "a.jpg",
    "image/jpeg",
    hex("ffd8 ffe0 0010 4a46494600 0101 00 0001 0001 0000 ffc0 000b 08 0003 0004 01 011100 ffd9"),
  ],
  [
    "a.jpeg",
    "image/jpeg",
    hex("ffd8 ffe0 0010 4a46494600 0101 00 0001 0001 0000 ffc0 000b 08 0003 0004 01 011100 ffd9"),
  ],
  [
    "a.webp",
    "image/webp",
    Buffer.concat([
      Buffer.from("RIFF"),
      hex("16000000"),
      Buffer.from("WEBPVP8X"),
      hex("0a000000 00 000000 030000 020000"),
    ]),
  ],
  [
    "a.bmp",
    "image/bmp",
    Buffer.concat([Buffer.from("BM"), hex("3a000000 00000000 36000000 28000000 04000000 03000000 0100 1800")]),
  ],
  ["a.ico", "image/x-icon", hex("0000 0100 0100 04 03 00 00 0100 2000 00000000 16000000")],
  [
    "a.tiff",
    "image/tiff",
    hex("4949 2a00 08000000 0200 0001 0300 01000000 0400 0000 0101 0300 01000000 0300 0000 00000000"),
  ],
  ["a.svg", "image/svg+xml", Buffer.from(SVG)],
];

describe.each(BACKENDS)("seed 002: Read of pictures on %s", (_name, make) => {
  it("metadata.image_data carries the base64, with media type and size", async () => {
    const { ok, absolute } = opened(make, { "a.png": PNG });
    const { data, text } = await ok("Read", { file_path: "a.png" });
    expect(data.metadata).toMatchObject({ media_type: "image/png", width: 1, height: 1, size: PNG.length });
    expect(Buffer.from(data.metadata.image_data, "base64").equals(PNG)).toBe(true);
    expect(text).toBe(`Image ${absolute("a.png")}: image/png, 1 × 1 pixels, ${PNG.length} bytes.`);
  });

  it.each(PICTURES)("%s is %s", async (name, media_type, bytes) => {
    const { ok } = opened(make, { [name]: bytes });
    const { data } = await ok("Read", { file_path: name });
    expect(data.metadata).toMatchObject({ media_type, width: 4, height: 3, image_data: bytes.toString("base64") });
  });

  it("an SVG is shown as the text it is, too", async () => {
    const { ok } = opened(make, { "a.svg": SVG });
    expect((await ok("Read", { file_path: "a.svg" })).text).toBe(`1\t${SVG.split("\n")[0]}\n2\t</svg>`);
  });

  it("pattern: the lines of an SVG that match; of another picture it is said that there are none", async () => {
    const { ok, absolute } = opened(make, { "a.svg": SVG, "b.png": PNG });
    expect((await ok("Read", { file_path: "a.svg", pattern: "</s" })).text).toBe("2\t</svg>");
    expect((await ok("Read", { file_path: "a.svg", pattern: "no such text" })).text).toBe(
      `No line of ${absolute("a.svg")} matches.`,
    );
    expect((await ok("Read", { file_path: "b.png", pattern: "x", pages: "1" })).warnings).toEqual([
      "`pages` has no meaning for a picture.",
      "`pattern` has no meaning for a picture.",
    ]);
  });

  it("content decides, not the name", async () => {
    const { ok } = opened(make, { "no-extension": PNG, "text.png": "just text\n" });
    expect((await ok("Read", { file_path: "no-extension" })).data.metadata.media_type).toBe("image/png");
    expect((await ok("Read", { file_path: "text.png" })).data.content).toBe("1\tjust text");
  });

  it("what is larger than any file may be cannot be read in part", async () => {
    const { refused } = opened(make, { "a.png": new Uint8Array(2000) }, { policy: { maxFileBytes: 1000 } });
    expect(await refused("Read", { file_path: "a.png" })).toMatchObject({
      kind: "file_too_large",
      suggestedAction: "Make it smaller: it can only be read as a whole.",
    });
  });

  it("max_binary_size is 1 MiB unless told otherwise", async () => {
    const large = Buffer.concat([PNG, Buffer.alloc(1024 * 1024)]);
    const { ok, refused } = opened(make, { "a.png": large });
    const failure = await refused("Read", { file_path: "a.png" });
    expect(failure).toMatchObject({ kind: "file_too_large", details: { maxBytes: 1024 * 1024 } });
    const { data } = await ok("Read", { file_path: "a.png", max_binary_size: large.length });
    expect(data.metadata.size).toBe(large.length);
  });
});

const files = { "a.pdf": pdf(["first line\nsecond line", "page two", "page three"]) };

describe.each(BACKENDS)("seed 002: Read of PDFs on %s", (_name, make) => {
  it("gives the text of the pages with line numbers", async () => {
    const { ok } = opened(make, files);
    const { data } = await ok("Read", { file_path: "a.pdf" });
    expect(data.content.split("\n")).toEqual([
      "1\t--- page 1 of 3 ---",
      "2\tfirst line",
      "3\tsecond line",
      "4\t--- page 2 of 3 ---",
      "5\tpage two",
      "6\t--- page 3 of 3 ---",
      "7\tpage three",
    ]);
    expect(data.metadata).toMatchObject({ lines: 7, total_pages: 3, pages: [1, 2, 3], size: files["a.pdf"].length });
  });

  it("offset and limit count lines of the text; the file's bytes stay as they are", async () => {
    const { ok, bytes } = opened(make, files);
    const { data } = await ok("Read", { file_path: "a.pdf", offset: 4, limit: 1 });
    expect(data.content).toBe("5\tpage two");
    expect(data.metadata.next_offset).toBe(5);
    expect(await bytes("a.pdf")).toBe(files["a.pdf"].toString("latin1"));
  });

  it("a document that takes too long is given up, and a caller who goes away is not waited for", async () => {
    const { session } = opened(make, files);
    const late = await call(session, compact, "Read", { file_path: "a.pdf" }, { deadlineMs: 1 });
    expect(late).toMatchObject({ ok: false, error: { kind: "timeout" } });
    const limited = opened(make, files, { limits: { callMs: 1 } });
    expect(await limited.refused("Read", { file_path: "a.pdf" })).toMatchObject({ kind: "timeout" });
    const signal = AbortSignal.abort();
    const gone = await call(session, compact, "Read", { file_path: "a.pdf" }, { signal });
    expect(gone).toMatchObject({ ok: false, error: { kind: "cancelled" } });
  });

  it("pages of another file have no meaning, and that is said", async () => {
    const { ok } = opened(make, { a: "1\n" });
    expect((await ok("Read", { file_path: "a", pages: "1" })).warnings[0]).toContain("not a PDF");
  });
});

/** What becomes of the bytes, wherever they came from: each read starts a process that parses them. */
const ENOUGH = HEAVY ? BACKENDS : BACKENDS.slice(0, 1);

describe.each(ENOUGH)("seed 002: Read of the pages of PDFs on %s", (_name, make) => {
  it('pages: ranges such as "1-5"', async () => {
    const { ok, refused } = opened(make, files);
    const { data } = await ok("Read", { file_path: "a.pdf", pages: "2-5" });
    expect(data.metadata.pages).toEqual([2, 3]);
    expect(data.content).not.toContain("first line");
    expect((await refused("Read", { file_path: "a.pdf", pages: "4" })).text).toContain("(the document has 3)");
    expect((await refused("Read", { file_path: "a.pdf", pages: "x" })).kind).toBe("invalid_input");
  });

  it("PDF: pages that were not asked for are not parsed", async () => {
    const { ok } = opened(make, { "b.pdf": pdf(Array.from({ length: 36 }, (_, n) => `page ${n + 1}\nits text`)) });
    const whole = (await ok("Read", { file_path: "b.pdf" })).data as { content: string };
    const first = await ok("Read", { file_path: "b.pdf", limit: 4 });
    expect(first.data.metadata).toMatchObject({ pages: [1, 2], total_pages: 36, truncated: true, next_offset: 4 });
    expect([first.text.split("\n").at(-1), first.warnings]).toEqual([
      "(stopped on page 2 of 36; continue with offset 4)",
      [],
    ]);
    const next = await ok("Read", { file_path: "b.pdf", offset: 4, limit: 5 });
    expect(next.data.metadata).toMatchObject({ pages: [2, 3], next_offset: 9 });
    const { data } = await ok("Read", { file_path: "b.pdf", offset: 9, limit: 1000 });
    const parts = [first.data, next.data, data].map(({ content }) => content);
    expect(parts.join("\n")).toBe(whole.content);
    const last = await ok("Read", { file_path: "b.pdf", pages: "30, 33", limit: 2 });
    expect(last.data.metadata).toMatchObject({ pages: [30] });
    expect(last.text).toMatch(/\n\(stopped on page 30 of 36; continue with offset 2\)$/);
    const behind = await ok("Read", { file_path: "b.pdf", pages: "30", offset: 3 });
    expect(behind.text).toBe("Nothing at offset 3: these pages have 3 lines.");
  });

  it("PDF: says how many pages were read where that is all it reads", async () => {
    const { ok } = opened(make, { "c.pdf": pdf(Array.from({ length: 51 }, () => "text")) });
    const { data, warnings } = await ok("Read", { file_path: "c.pdf" });
    expect(data.metadata.pages).toHaveLength(50);
    expect(warnings).toEqual(["Only the first 50 of 51 pages were read; give `pages` for others."]);
  });

  it("a damaged PDF is refused, one without text is read with a warning", async () => {
    const { ok, refused } = opened(make, { "bad.pdf": "%PDF-1.4 nothing", "scan.pdf": pdf([""]) });
    const failure = await refused("Read", { file_path: "bad.pdf" });
    expect(failure.kind).toBe("not_text");
    expect(failure.text).toMatch(/^Nothing was read\. bad\.pdf cannot be read as a PDF: /);
    expect((await ok("Read", { file_path: "scan.pdf" })).warnings).toEqual([
      "These pages hold no text; they may be scanned pictures.",
    ]);
  });
});

describe("seed 002: page ranges", () => {
  it.each([
    ["3", [3]],
    ["1-3", [1, 2, 3]],
    ["2-", [2, 3, 4, 5]],
    ["1, 4-9, 1", [1, 4, 5]],
  ])("%s", (spec, pages) => {
    expect(pagesIn(spec, 5)).toEqual(pages);
  });

  it.each(["", "0", "3-1", "a", "1-2-3", "6", "-2", "1;2"])("%j is refused", (spec) => {
    expect(() => pagesIn(spec, 5)).toThrow(/pages:/);
  });
});

/** A plain PDF, one text per page. */
function pdf(pages: readonly string[]): Buffer {
  const font = 3 + pages.length * 2;
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    `<< /Type /Pages /Kids [${pages.map((_, index) => `${3 + index * 2} 0 R`).join(" ")}] /Count ${pages.length} >>`,
    ...pages.flatMap((text, index) => {
      const lines = text.split("\n").map((line) => `(${line}) Tj 0 -14 Td`);
      const stream = `BT /F1 12 Tf 72 720 Td ${lines.join(" ")} ET`;
      return [
        `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents ${4 + index * 2} 0 R /Resources << /Font << /F1 ${font} 0 R >> >> >>`,
        `<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`,
      ];
    }),
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
  ];
  let out = "%PDF-1.4\n";
  const starts = objects.map((object, index) => {
    const start = out.length;
    out += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return `${String(start).padStart(10, "0")} 00000 n \n`;
  });
  const xref = `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${starts.join("")}`;
  return Buffer.from(
    `${out}${xref}trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${out.length}\n%%EOF\n`,
  );
}
