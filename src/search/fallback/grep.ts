// Searches without ripgrep: walks the backend in order, and has the text of the files searched in a worker.
import { isUtf8 } from "node:buffer";
import type { Path } from "../../core/backend.ts";
import { listed } from "../../core/counted.ts";
import type { Deadline } from "../../core/deadline.ts";
import { Refusal } from "../../core/failure.ts";
import { decode } from "../../kernel/text/text.ts";
import { isPassedOver } from "../endings.ts";
import { javascriptPattern, type Pattern } from "../pattern.ts";
import type { FileHits, Found, SearchCall, Wanted } from "../results.ts";
import type { Scope } from "../scope.ts";
import { inTurn } from "../searches-at-once.ts";
import type { ScanRequest } from "./scan.ts";
import { scanInWorker } from "./scan-worker.ts";
import { walk } from "./walk.ts";

/** Held whole while it is searched; ripgrep has no such limit. */
export const LARGEST = 64 * 1024 * 1024;
/** What is sent to the worker at once: small at first, so that a frequent pattern is answered soon. */
const BATCH = { files: 256, bytes: 4 * 1024 * 1024 };

type Paths = Iterable<Path> | AsyncIterable<Path>;

/** From the first file on in its turn: those who wait hold no text. */
export function grepByJavascript(scope: Scope, wanted: Wanted, call: SearchCall, paths?: Paths): Promise<Found> {
  return inTurn(call, () => search(scope, wanted, call, paths));
}

async function search(
  scope: Scope,
  wanted: Wanted,
  { deadline, signal, tally }: SearchCall,
  paths?: Paths,
): Promise<Found> {
  const { pattern, mode } = wanted;
  const request: Omit<ScanRequest, "files"> = {
    ...javascriptPattern(pattern),
    multiline: pattern.multiline,
    firstPerLine: wanted.firstPerLine,
    before: wanted.before,
    after: wanted.after,
    enough: mode === "files" ? 1 : mode === "count" ? Number.POSITIVE_INFINITY : wanted.enough,
    bare: mode !== "lines",
  };
  const found: FileHits[] = [];
  const tooLarge: Path[] = [];
  let enough = wanted.enough;
  let filesScanned = 0;
  for await (const batch of batches(scope, wanted, paths ?? filesOf(scope, wanted, deadline, tooLarge), tooLarge)) {
    const texts = batch.map(({ bytes }) => bytes);
    const scanned = await scanInWorker({ ...request, files: texts }, deadline, signal);
    filesScanned += batch.length;
    tally.files = filesScanned;
    for (const [n, { count, hits }] of scanned.entries()) {
      const { path } = batch[n]!;
      tally.matches += count;
      if (count > 0) found.push({ path, count, hits: hits.map((hit) => ({ path, ...hit })) });
      enough -= mode === "lines" ? count : Math.min(count, 1);
      if (enough <= 0) return { files: found, cut: true, notes: skipped(tooLarge, wanted) };
    }
  }
  return { files: found, cut: false, filesScanned, notes: skipped(tooLarge, wanted) };
}

interface Loaded {
  readonly path: Path;
  readonly bytes: Uint8Array;
}

/** What is said of files that are too large to be searched. */
export function skipped(tooLarge: readonly Path[], { maxFileBytes = LARGEST }: Wanted): readonly string[] {
  if (tooLarge.length === 0) return [];
  const names = listed(tooLarge);
  return [`Not searched, because larger than ${maxFileBytes} bytes: ${names}. Read a range of lines there instead.`];
}

async function* filesOf(
  scope: Scope,
  { maxFileBytes = LARGEST }: Wanted,
  deadline: Deadline,
  tooLarge: Path[],
): AsyncGenerator<Path> {
  for await (const { path, kind, size } of walk(scope, deadline)) {
    if (kind !== "file" || !scope.accepts(path)) continue;
    if (size <= maxFileBytes) yield path;
    else tooLarge.push(path);
  }
}

async function* batches(
  scope: Scope,
  { maxFileBytes = LARGEST, pattern }: Wanted,
  files: Paths,
  tooLarge: Path[],
): AsyncGenerator<Loaded[]> {
  const asRead = needsReading(pattern) ? scope.session.workspace.policy.maxFileBytes : 0;
  let batch: Loaded[] = [];
  let size = 0;
  let most = 8;
  for await (const [path, bytes] of loaded(scope, files)) {
    const isTooLarge = bytes === "too large" || (bytes?.length ?? 0) > maxFileBytes;
    if (isTooLarge) tooLarge.push(path);
    if (bytes === null || bytes === "too large" || isTooLarge) continue;
    batch.push({ path, bytes: bytes.length > asRead ? bytes : asReadsShow(bytes) });
    size += bytes.length;
    if (batch.length < most && size < BATCH.bytes) continue;
    yield batch;
    batch = [];
    size = 0;
    most = Math.min(most * 4, BATCH.files);
  }
  if (batch.length > 0) yield batch;
}

/** Many at a time where the backend can; few at first, since those may be enough. */
async function* loaded(scope: Scope, files: Paths): AsyncGenerator<[Path, Awaited<ReturnType<typeof load>>]> {
  const { backend } = scope.session.workspace;
  const all = async function* (paths: readonly Path[]): ReturnType<typeof loaded> {
    const many = paths.length > 1 ? await backend.readMany?.(paths) : undefined;
    for (const path of paths) yield [path, copyOf(many?.get(path)) ?? (await load(scope, path))];
  };
  let waiting: Path[] = [];
  let most = backend.readMany === undefined ? 1 : 8;
  for await (const path of files) {
    waiting.push(path);
    if (waiting.length < most) continue;
    yield* all(waiting);
    waiting = [];
    most = Math.min(most * 4, backend.readMany === undefined ? 1 : BATCH.files);
  }
  yield* all(waiting);
}

/** ripgrep matches characters of UTF-8 only, so a letter beyond ASCII is not found in a file of another encoding. */
export function needsReading({ text }: Pattern): boolean {
  return /[^\0-\x7f]/.test(text);
}

/** In UTF-8, where it is text in another encoding. With memory of its own, as below. */
function asReadsShow(bytes: Uint8Array): Uint8Array {
  if (isUtf8(bytes)) return bytes;
  try {
    const { body, invalid } = decode(bytes);
    return invalid > 0 ? bytes : new TextEncoder().encode(body);
  } catch (error) {
    if (error instanceof Refusal) return bytes;
    throw error;
  }
}

/** With memory of its own: what is handed over to the worker is gone here, with all that shares it. */
function copyOf(bytes: Uint8Array | undefined): Uint8Array | undefined {
  return bytes && new Uint8Array(bytes);
}

/** A copy of its own, to be handed over. Null for a file that has gone or cannot be read. */
async function load({ session, note }: Scope, path: Path): Promise<Uint8Array | "too large" | null> {
  try {
    const chunks: Uint8Array[] = [];
    let size = 0;
    for await (const chunk of (await session.workspace.backend.stream(path)) ?? []) {
      size += chunk.length;
      if (size > LARGEST) return "too large";
      chunks.push(chunk.slice());
    }
    const whole = new Uint8Array(size);
    let end = 0;
    for (const chunk of chunks) {
      whole.set(chunk, end);
      end += chunk.length;
    }
    return whole;
  } catch (error) {
    if (isPassedOver(error)) {
      if (error.kind === "journal_damaged") note(`Not searched: ${error.failure.message}`);
      return null;
    }
    throw error;
  }
}
