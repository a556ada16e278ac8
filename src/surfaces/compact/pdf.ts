// Text of PDF pages. The parser runs in a thread of its own, which the deadline can end whatever the document does to it.
import { once } from "node:events";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { Worker } from "node:worker_threads";
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
  deadline.check();
  const copy = new Uint8Array(bytes);
  const require = createRequire(import.meta.url);
  const library = pathToFileURL(require.resolve("unpdf")).href;
  const worker = new Worker(PROGRAM, {
    eval: true,
    workerData: { library, bytes: copy },
    transferList: [copy.buffer],
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: 512 },
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
    throw new Refusal(
      "not_text",
      `${printable(path)} cannot be read as a PDF: ${legible(String((error as Error).message)).replace(/\.$/, "")}.`,
      {
        path,
        next: "Read another file, or convert this one to text first.",
      },
    );
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

// Source text, not a file: it runs from sources, from a build and from a bundle alike.
const PROGRAM = `
const { parentPort, workerData } = require("node:worker_threads");
(async () => {
  const { getDocumentProxy } = await import(workerData.library);
  const document = await getDocumentProxy(workerData.bytes, { verbosity: 0 });
  parentPort.postMessage({ value: document.numPages });
  parentPort.once("message", async (pages) => {
    try {
      const read = [];
      for (const page of pages) {
        const { items } = await (await document.getPage(page)).getTextContent();
        read.push({ page, text: items.map((item) => (item.str ?? "") + (item.hasEOL ? "\\n" : "")).join("") });
      }
      parentPort.postMessage({ value: read });
    } catch (error) {
      parentPort.postMessage({ error: String(error?.message ?? error) });
    }
  });
})().catch((error) => parentPort.postMessage({ error: String(error?.message ?? error) }));
`;
