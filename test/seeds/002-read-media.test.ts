// Seed 002, Read of what is no text: PDF pages, pictures for vision.
import { compact } from "stet/surfaces";
import { describe, expect, it } from "vitest";
import { agentWith } from "../support/agent.ts";

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

describe("seed 002: Read of pictures", () => {
  it.each(PICTURES)("%s is %s", async (name, media_type, bytes) => {
    const { done } = agentWith(compact, { [name]: bytes });
    const { data } = await done("Read", { file_path: name });
    expect(data.metadata).toMatchObject({ media_type, width: 4, height: 3, image_data: bytes.toString("base64") });
  });

  it("pattern: the lines of an SVG that match; of another picture it is said that there are none", async () => {
    const { done } = agentWith(compact, { "a.svg": SVG, "b.png": PNG });
    expect((await done("Read", { file_path: "a.svg", pattern: "</s" })).text).toBe("2\t</svg>");
    expect((await done("Read", { file_path: "a.svg", pattern: "no such text" })).text).toBe(
      "No line of /a.svg matches.",
    );
    expect((await done("Read", { file_path: "b.png", pattern: "x", pages: "1" })).warnings).toEqual([
      "`pages` has no meaning for a picture.",
      "`pattern` has no meaning for a picture.",
    ]);
  });

  it("what is larger than any file may be cannot be read in part", async () => {
    const { refused } = agentWith(compact, { "a.png": new Uint8Array(2000) }, { policy: { maxFileBytes: 1000 } });
    expect(await refused("Read", { file_path: "a.png" })).toMatchObject({
      kind: "file_too_large",
      suggestedAction: "Make it smaller: it can only be read as a whole.",
    });
  });

  it("max_binary_size is 1 MiB unless told otherwise", async () => {
    const large = Buffer.concat([PNG, Buffer.alloc(1024 * 1024)]);
    const { done, refused } = agentWith(compact, { "a.png": large });
    const failure = await refused("Read", { file_path: "a.png" });
    expect(failure).toMatchObject({ kind: "file_too_large", details: { maxBytes: 1024 * 1024 } });
    const { data } = await done("Read", { file_path: "a.png", max_binary_size: large.length });
    expect(data.metadata.size).toBe(large.length);
  });
});

/** Each read starts a process that parses the bytes. */
describe("seed 002: Read of the pages of PDFs", () => {
  it("PDF: pages that were not asked for are not parsed", async () => {
    const { done } = agentWith(compact, {
      "b.pdf": pdf(Array.from({ length: 36 }, (_, n) => `page ${n + 1}\nits text`)),
    });
    const first = await done("Read", { file_path: "b.pdf", limit: 4 });
    expect(first.data.metadata).toMatchObject({ pages: [1, 2], total_pages: 36, truncated: true, next_offset: 4 });
    expect([first.text.split("\n").at(-1), first.warnings]).toEqual([
      "(stopped on page 2 of 36; continue with offset 4)",
      [],
    ]);
    const last = await done("Read", { file_path: "b.pdf", pages: "30, 33", limit: 2 });
    expect(last.data.metadata).toMatchObject({ pages: [30] });
    expect(last.text).toMatch(/\n\(stopped on page 30 of 36; continue with offset 2\)$/);
  });

  it("PDF: says how many pages were read where that is all it reads", async () => {
    const { done } = agentWith(compact, { "c.pdf": pdf(Array.from({ length: 51 }, () => "text")) });
    const { data, warnings } = await done("Read", { file_path: "c.pdf" });
    expect(data.metadata.pages).toHaveLength(50);
    expect(warnings).toEqual(["Only the first 50 of 51 pages were read; give `pages` for others."]);
  });

  it("a damaged PDF is refused, one without text is read with a warning", async () => {
    const { done, refused } = agentWith(compact, { "bad.pdf": "%PDF-1.4 nothing", "scan.pdf": pdf([""]) });
    expect((await refused("Read", { file_path: "bad.pdf" })).kind).toBe("not_text");
    expect((await done("Read", { file_path: "scan.pdf" })).warnings).toEqual([
      "These pages hold no text; they may be scanned pictures.",
    ]);
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
