// Text of PDF pages. The parser runs in a process of its own, which the deadline can end whatever the document does to it.
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import type { Deadline } from "../../core/deadline.ts";
import { Refusal } from "../../core/failure.ts";
import { printable } from "../../core/printable.ts";
import { limited } from "../../kernel/run-in-worker.ts";
import { OutOfMemory, startWorker } from "../../processes/worker.ts";
import { legible } from "../shared/legible.ts";

export interface PdfText {
  readonly total: number;
  readonly pages: readonly { readonly page: number; readonly text: string }[];
}

/** Pages read when none are named: more than one answer can show. */
const DEFAULT_PAGES = 50;

export function isPdf(bytes: Uint8Array): boolean {
  // Readers accept some bytes before the header, so mail gateways and the like leave them there.
  return Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, 1024)).includes("%PDF-");
}

export interface Wanted {
  readonly pages: string | undefined;
  /** Where no pages are named, none are read beyond those that hold so many lines. */
  readonly lines: number;
}

export async function pdfText(path: string, bytes: Uint8Array, wanted: Wanted, deadline: Deadline): Promise<PdfText> {
  return limited(deadline, () => readApart(path, bytes, wanted, deadline));
}

async function readApart(
  path: string,
  bytes: Uint8Array,
  { pages, lines }: Wanted,
  deadline: Deadline,
): Promise<PdfText> {
  const require = createRequire(import.meta.url);
  const library = pathToFileURL(require.resolve("unpdf")).href;
  const worker = startWorker({ source: PROGRAM }, HEAP_MEGABYTES);
  const ask = async (message: unknown): Promise<unknown> => {
    const answer = worker.answer();
    worker.send(message);
    const { value, error } = (await deadline.race(answer)) as { value?: unknown; error?: string };
    if (error === undefined) return value;
    throw new Error(error);
  };
  try {
    const limits = { unpacked: unpackedBytes(bytes), tooMuch: tooMuch(unpackedLimit(bytes)) };
    const total = (await ask({ library, bytes, ...limits })) as number;
    const numbers = pagesIn(pages ?? `1-${DEFAULT_PAGES}`, total);
    const asked = { numbers, lines: pages === undefined ? lines : Number.MAX_SAFE_INTEGER };
    return { total, pages: (await ask(asked)) as PdfText["pages"] };
  } catch (error) {
    if (error instanceof Refusal) throw error;
    deadline.check();
    const isFull = error instanceof OutOfMemory;
    const why = isFull ? tooMuch(`${HEAP_MEGABYTES} MiB of memory`) : String((error as Error).message);
    const isTooMuch = isFull || why === tooMuch(unpackedLimit(bytes));
    throw new Refusal("not_text", `${printable(path)} cannot be read as a PDF: ${legible(why).replace(/\.$/, "")}.`, {
      path,
      next: isTooMuch
        ? "Read fewer pages in one call with `pages`, or convert the file to text first."
        : "Read another file, or convert this one to text first.",
    });
  } finally {
    worker.end();
  }
}

/** For what a page unpacks to, besides twice the file. A few kilobytes can unpack to gigabytes. */
const UNPACKED_BYTES = 24 * 1024 * 1024;
/** Buffers are not in it. */
const HEAP_MEGABYTES = 64;

function unpackedBytes({ length }: Uint8Array): number {
  return UNPACKED_BYTES + 2 * length;
}

function unpackedLimit(bytes: Uint8Array): string {
  return `${unpackedBytes(bytes) >> 20} MiB of unpacked data`;
}

function tooMuch(what: string): string {
  return `it takes more than ${what}, the most that one call may use`;
}

// Source text, not a file: it runs from sources, from a build and from a bundle alike. No limit of V8 holds for
// buffers, so the parser gets constructors that look how much is in use.
const PROGRAM = `
const { parentPort } = require("node:worker_threads");
const port = parentPort ?? process;
const answer = (message) => parentPort ? parentPort.postMessage(message) : process.send(message);
process.on("disconnect", () => process.exit());
const SMALL = 64 * 1024;
const Bytes = Uint8Array;
let given;
let isFull = false;
function takeRoom(size) {
  if (given === undefined || size + process.memoryUsage().arrayBuffers <= given.unpacked) return;
  isFull = true;
  throw new RangeError(given.tooMuch);
}
const failed = (error) => answer({ error: isFull ? given.tooMuch : String(error?.message ?? error) });
for (const name of ["ArrayBuffer", "Uint8Array"]) {
  globalThis[name] = new Proxy(globalThis[name], {
    construct(kind, given, asked) {
      const size = typeof given[0] === "number" ? given[0] : (given[0]?.length ?? 0);
      if (size > SMALL) takeRoom(size);
      return Reflect.construct(kind, given, asked);
    },
  });
}
// The library has a decompressor of its own, whose buffers are counted.
delete globalThis.DecompressionStream;
port.once("message", async (message) => {
  try {
    given = message;
    const { getDocumentProxy } = await import(given.library);
    const document = await getDocumentProxy(new Bytes(given.bytes), { verbosity: 0 });
    port.once("message", (asked) => read(document, asked).catch(failed));
    answer({ value: document.numPages });
  } catch (error) {
    failed(error);
  }
});
async function read(document, { numbers, lines }) {
  const texts = [];
  let count = 0;
  for (const page of numbers) {
    if (count >= lines) break;
    const proxy = await document.getPage(page);
    const { items } = await proxy.getTextContent();
    texts.push({ page, text: items.map((item) => (item.str ?? "") + (item.hasEOL ? "\\n" : "")).join("") });
    count += 1 + texts.at(-1).text.split("\\n").length;
    proxy.cleanup();
  }
  answer(isFull ? { error: given.tooMuch } : { value: texts });
}
`;

/** 1-based page numbers in order, each once, cut at the last page. */
export function pagesIn(spec: string, total: number): number[] {
  const pages = new Set<number>();
  for (const part of spec.split(",")) {
    const [, from, dash, to] = /^\s*(\d{1,6})\s*(?:(-)\s*(\d{1,6})?\s*)?$/.exec(part) ?? [];
    if (from === undefined) throw badPages(spec, "is no page range");
    const first = Number(from);
    const last = dash === undefined ? first : to === undefined ? total : Number(to);
    if (first < 1 || last < first) throw badPages(spec, "is no page range");
    if (first > total) throw badPages(spec, `lies behind the last page (the document has ${total})`);
    for (let page = first; page <= Math.min(last, total); page++) pages.add(page);
  }
  return [...pages].sort((a, b) => a - b);
}

function badPages(spec: string, why: string): Refusal {
  return new Refusal("invalid_input", `pages: ${JSON.stringify(spec.slice(0, 40))} ${why}.`, {
    next: 'Give pages such as "3" or "1-5".',
  });
}
