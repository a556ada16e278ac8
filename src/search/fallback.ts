// Searches without ripgrep: walks the files in order and has their text searched in a worker, which ends at the deadline.
import { Worker } from "node:worker_threads";
import type { Path } from "../core/backend.ts";
import { refuse } from "../words/index.ts";
import { isSkipped, onEnd, type SearchCall } from "./call.ts";
import { binaryNote, type FileHits, type Found, type Wanted } from "./engine.ts";
import { type Scanned, type ScanRequest, scan } from "./scan.ts";
import type { Scope } from "./scope.ts";
import { translate } from "./translate.ts";
import { walk } from "./walk.ts";

/** Held whole while it is searched; ripgrep has no such limit. */
export const MAX_BYTES = 64 * 1024 * 1024;
/** Sent to the worker at once. */
const BATCH = { firstFiles: 8, files: 256, bytes: 4 * 1024 * 1024 };

interface Loaded {
  readonly path: Path;
  readonly bytes: Uint8Array;
}

export async function grepByJavascript(
  scope: Scope,
  directory: string | undefined,
  wanted: Wanted,
  call: SearchCall,
): Promise<Found> {
  const { pattern, mode, before, after, maxFileBytes = MAX_BYTES } = wanted;
  const request: Omit<ScanRequest, "files"> = {
    ...translate(pattern),
    multiline: pattern.multiline,
    before,
    after,
    enough: mode === "files" ? 1 : mode === "count" ? Number.POSITIVE_INFINITY : wanted.enough,
    countOnly: mode !== "lines",
  };
  const files: FileHits[] = [];
  const tooLarge: Path[] = [];
  let number = 0;
  let filesScanned = 0;
  for await (const batch of batches(scope, directory, call, maxFileBytes, tooLarge)) {
    const scanned = await scanInWorker({ ...request, files: batch.map(({ bytes }) => bytes) }, call);
    filesScanned += batch.length;
    call.tally.files = filesScanned;
    for (const [n, { count, hits, isBinary }] of scanned.entries()) {
      const { path } = batch[n]!;
      if (isBinary && scope.at.kind === "file") scope.note(binaryNote(path));
      call.tally.matches += count;
      if (count > 0) files.push({ path, count, hits: hits.map((hit) => ({ path, ...hit })) });
      number += mode === "lines" ? count : Math.min(count, 1);
      if (number >= wanted.enough) return { files, cut: true, tooLarge };
    }
  }
  return { files, cut: false, filesScanned, tooLarge };
}

/** Files with their bytes, few at first, so that a frequent pattern is answered soon. */
async function* batches(
  scope: Scope,
  directory: string | undefined,
  { deadline }: SearchCall,
  maxBytes: number,
  tooLarge: Path[],
): AsyncGenerator<Loaded[]> {
  let paths: Path[] = [];
  let max = BATCH.firstFiles;
  for await (const walked of walk(scope, directory, deadline)) {
    for (const { path, kind } of walked) {
      if (kind === "file") paths.push(path);
      if (paths.length < max) continue;
      yield* loaded(scope, paths, maxBytes, tooLarge);
      paths = [];
      max = Math.min(max * 4, BATCH.files);
    }
  }
  yield* loaded(scope, paths, maxBytes, tooLarge);
}

async function* loaded(
  scope: Scope,
  paths: readonly Path[],
  maxBytes: number,
  tooLarge: Path[],
): AsyncGenerator<Loaded[]> {
  const many = paths.length > 1 ? await scope.session.workspace.backend.readMany?.(paths) : undefined;
  let batch: Loaded[] = [];
  let size = 0;
  for (const path of paths) {
    // A copy: what is handed over to the worker is gone here, with all that shares its memory.
    const read = many?.get(path);
    const bytes = read === undefined ? await load(scope, path, maxBytes) : new Uint8Array(read);
    if (bytes === null) continue;
    if (bytes === "too large" || bytes.length > maxBytes) {
      tooLarge.push(path);
      continue;
    }
    batch.push({ path, bytes });
    size += bytes.length;
    if (size < BATCH.bytes) continue;
    yield batch;
    batch = [];
    size = 0;
  }
  if (batch.length > 0) yield batch;
}

/** In memory of its own. Null for a file that is gone or cannot be read. */
async function load({ session, note }: Scope, path: Path, maxBytes: number): Promise<Uint8Array | "too large" | null> {
  try {
    const chunks: Uint8Array[] = [];
    let size = 0;
    for await (const chunk of (await session.workspace.backend.stream(path)) ?? []) {
      size += chunk.length;
      if (size > maxBytes) return "too large";
      chunks.push(chunk);
    }
    return new Uint8Array(Buffer.concat(chunks));
  } catch (error) {
    if (!isSkipped(error)) throw error;
    if (error.kind === "journal_damaged") note(`Not searched: ${error.failure.message}`);
    return null;
  }
}

/** Source text, not a file: it runs from sources, from a build and from a bundle alike. */
const PROGRAM = `
const { parentPort } = require("node:worker_threads");
const scan = ${scan.toString()};
parentPort.on("message", (request) => parentPort.postMessage(scan(request)));
`;

/** Kept for the next search; it does not keep the process alive. */
let idle: Worker | undefined;

function scanInWorker(request: ScanRequest, call: SearchCall): Promise<readonly Scanned[]> {
  call.deadline.check();
  const worker = idle ?? startWorker();
  idle = undefined;
  worker.ref();
  return new Promise((resolve, reject) => {
    const settle = () => {
      stopListening();
      worker.off("message", answered).off("error", failed);
      worker.unref();
    };
    const stopListening = onEnd(call, (why) => {
      settle();
      void worker.terminate();
      reject(why);
    });
    const answered = (answer: readonly Scanned[]) => {
      settle();
      if (idle === undefined) idle = worker;
      else void worker.terminate();
      resolve(answer);
    };
    const failed = (error: Error) => {
      settle();
      reject(workerError(error));
    };
    worker.on("message", answered).on("error", failed);
    worker.postMessage(
      request,
      request.files.map(({ buffer }) => buffer as ArrayBuffer),
    );
  });
}

function startWorker(): Worker {
  try {
    return new Worker(PROGRAM, { eval: true, execArgv: [] });
  } catch (error) {
    throw workerError(error as Error);
  }
}

/** A refusal for what is no defect. */
function workerError(error: Error & { readonly code?: string }): Error {
  if (error.code === "ERR_WORKER_INIT_FAILED") return refuse("search_machine_busy", { code: error.code }, error);
  if (!(error instanceof RangeError)) return error;
  return refuse("pattern_needs_memory", { error: error.message });
}
