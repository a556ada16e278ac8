// Text of PDF pages. The parser runs in a thread of its own, which the deadline can end whatever the document does to it.
import { once } from "node:events";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { Worker } from "node:worker_threads";
import { inTurn } from "../../kernel/apart.ts";
import type { Cancellation, Deadline } from "../../kernel/deadline.ts";
import { Refusal } from "../../kernel/failure.ts";
import { legible, printable } from "../legible.ts";
import { pagesIn } from "./pages.ts";

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

export async function pdfText(
  path: string,
  bytes: Uint8Array,
  pages: string | undefined,
  deadline: Deadline,
  signal?: Cancellation,
): Promise<PdfText> {
  return inTurn(deadline, () => readInThread(path, bytes, pages, deadline, signal));
}

async function readInThread(
  path: string,
  bytes: Uint8Array,
  pages: string | undefined,
  deadline: Deadline,
  signal?: Cancellation,
): Promise<PdfText> {
  const copy = new Uint8Array(bytes);
  const require = createRequire(import.meta.url);
  const library = pathToFileURL(require.resolve("unpdf")).href;
  const worker = new Worker(PROGRAM, {
    eval: true,
    workerData: { library, bytes: copy, unpacked: unpackedBytes(bytes), tooMuch: tooMuch(unpackedLimit(bytes)) },
    transferList: [copy.buffer],
    stdout: true,
    stderr: true,
    execArgv: [],
    resourceLimits: HEAP,
  });
  worker.on("error", () => {});
  // A little later than the deadline, so that it is the deadline that says so.
  const late = AbortSignal.timeout(Math.ceil(deadline.remainingMs()) + 5);
  const left = new AbortController();
  const leave = () => left.abort();
  signal?.addEventListener("abort", leave);
  const stop = AbortSignal.any([late, left.signal]);
  try {
    const total = (await answer(worker, stop)) as number;
    worker.postMessage(pagesIn(pages ?? `1-${DEFAULT_PAGES}`, total));
    return { total, pages: (await answer(worker, stop)) as PdfText["pages"] };
  } catch (error) {
    if (error instanceof Refusal) throw error;
    deadline.check();
    const isFull = (error as { readonly code?: unknown }).code === "ERR_WORKER_OUT_OF_MEMORY";
    const why = isFull ? tooMuch(`${HEAP.maxOldGenerationSizeMb} MiB of memory`) : String((error as Error).message);
    const isTooMuch = isFull || why === tooMuch(unpackedLimit(bytes));
    throw new Refusal("not_text", `${printable(path)} cannot be read as a PDF: ${legible(why).replace(/\.$/, "")}.`, {
      path,
      next: isTooMuch
        ? "Read fewer pages in one call with `pages`, or convert the file to text first."
        : "Read another file, or convert this one to text first.",
    });
  } finally {
    signal?.removeEventListener("abort", leave);
    await worker.terminate();
  }
}

/** It answers once after it has started, and once after it was told the pages. */
async function answer(worker: Worker, stop: AbortSignal): Promise<unknown> {
  const [{ value, error }] = await once(worker, "message", { signal: stop });
  if (error === undefined) return value;
  throw new Error(error);
}

/** For what a page unpacks to, besides twice the file. A few kilobytes can unpack to gigabytes. */
const UNPACKED_BYTES = 24 * 1024 * 1024;
/** Buffers are not in it. */
const HEAP = { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 8 };

function unpackedBytes({ length }: Uint8Array): number {
  return UNPACKED_BYTES + 2 * length;
}

function unpackedLimit(bytes: Uint8Array): string {
  return `${unpackedBytes(bytes) >> 20} MiB of unpacked data`;
}

function tooMuch(what: string): string {
  return `it takes more than ${what}, the most that one call may use`;
}

// Source text, not a file: it runs from sources, from a build and from a bundle alike. No limit of a thread holds for
// buffers, so the parser gets constructors and a decompressor that look how much is in use.
const PROGRAM = `
const { parentPort, workerData } = require("node:worker_threads");
const SMALL = 64 * 1024;
let isFull = false;
function takeRoom(size) {
  if (size + process.memoryUsage().arrayBuffers <= workerData.unpacked) return;
  isFull = true;
  throw new RangeError(workerData.tooMuch);
}
for (const name of ["ArrayBuffer", "Uint8Array", "Int8Array", "Uint8ClampedArray", "Uint16Array", "Int16Array",
  "Uint32Array", "Int32Array", "Float32Array", "Float64Array"]) {
  globalThis[name] = new Proxy(globalThis[name], {
    construct(kind, given, asked) {
      const [first] = given;
      const counts = ArrayBuffer.isView(first) || Array.isArray(first);
      const size = (counts ? first.length : Number(first) || 0) * (kind.BYTES_PER_ELEMENT ?? 1);
      if (size > SMALL) takeRoom(size);
      return Reflect.construct(kind, given, asked);
    },
  });
}
const Decompression = globalThis.DecompressionStream;
globalThis.DecompressionStream = class {
  constructor(format) {
    const { readable, writable } = new Decompression(format);
    let unseen = 0;
    const counted = new TransformStream({
      transform(chunk, out) {
        unseen += chunk.byteLength;
        if (unseen > SMALL) takeRoom(unseen = 0);
        out.enqueue(chunk);
      },
    });
    this.readable = readable.pipeThrough(counted);
    this.writable = writable;
  }
};
(async () => {
  const { getDocumentProxy } = await import(workerData.library);
  const document = await getDocumentProxy(workerData.bytes, { verbosity: 0 });
  parentPort.postMessage({ value: document.numPages });
  parentPort.once("message", async (pages) => {
    try {
      const read = [];
      for (const page of pages) {
        const proxy = await document.getPage(page);
        const { items } = await proxy.getTextContent();
        read.push({ page, text: items.map((item) => (item.str ?? "") + (item.hasEOL ? "\\n" : "")).join("") });
        proxy.cleanup();
      }
      parentPort.postMessage(isFull ? { error: workerData.tooMuch } : { value: read });
    } catch (error) {
      parentPort.postMessage({ error: isFull ? workerData.tooMuch : String(error?.message ?? error) });
    }
  });
})().catch((error) => parentPort.postMessage({ error: isFull ? workerData.tooMuch : String(error?.message ?? error) }));
`;
