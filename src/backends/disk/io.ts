// Reading and writing whole files by descriptor: short reads and writes handled, large files in slices.
import { createHash } from "node:crypto";
import fs from "node:fs";
import type { Sha, Version } from "../../core/backend.ts";
import { Refusal } from "../../core/failure.ts";
import { LIMITS } from "../../core/limits.ts";
import { bytesOf, sizeOf, versionOf } from "../../core/version.ts";
import { refuseLarger } from "../paths.ts";
import { errnoOf } from "./errno.ts";
import { NO_FOLLOW } from "./paths/pin.ts";

const SLICE = 1024 * 1024;

/** Flags for a new file: never an existing one, never through a link. */
export const CREATE_ONLY: number = fs.constants.O_WRONLY | fs.constants.O_CREAT | fs.constants.O_EXCL | NO_FOLLOW;

/** Reads to the end, whatever size the file was said to have, but never more than `maxBytes`. What is `likely` need not be held twice. */
export async function readVersion(
  fd: number,
  stat: { size: number; mode: number },
  maxBytes: number,
  path: string,
  likely?: Version,
): Promise<Version> {
  refuseLarger(path, stat.size, maxBytes);
  const mode = stat.mode & 0o7777;
  const isLarge = stat.size > LIMITS.sliceBytes;
  if (likely?.size === stat.size && (isLarge ? (await hashOf(fd)).sha === likely.sha : stillHolds(fd, likely)))
    return { ...likely, mode };
  if (!isLarge) {
    const bytes = Buffer.allocUnsafe(stat.size + 1);
    // One that has another size by now is read to its end, whatever that is.
    if (fs.readSync(fd, bytes, 0, bytes.length, 0) === stat.size) return versionOf([bytes.subarray(0, -1)], mode);
  }
  return readInSlices(fd, stat.size, maxBytes, mode, path);
}

/** Whether a file of no more than a slice has the bytes of this version, without hashing them. */
export function stillHolds(fd: number, version: Version): boolean {
  const size = version.size + 1;
  const spare = size < SPARE.length ? SPARE : Buffer.allocUnsafe(size);
  // Regular files give less than was asked for at their end only.
  return spare.subarray(0, fs.readSync(fd, spare, 0, size, 0)).equals(bytesOf(version));
}

/** For bytes that are looked at and forgotten: memory of their own would have to be cleared away again. */
const SPARE = Buffer.allocUnsafeSlow(64 * 1024);

/** Fewer than `length` bytes where the file ends. */
export function readFully(fd: number, offset: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafe(length);
  let done = 0;
  while (done < length) {
    const count = fs.readSync(fd, bytes, done, length - done, offset + done);
    if (count === 0) break;
    done += count;
  }
  return bytes.subarray(0, done);
}

async function readInSlices(fd: number, size: number, maxBytes: number, mode: number, path: string): Promise<Version> {
  const hash = createHash("sha256");
  const grown: Buffer[] = [];
  const first = Buffer.allocUnsafeSlow(size);
  let total = 0;
  for await (const slice of streamFile(fd, (at) => (at < size ? first.subarray(at, at + SLICE) : ownMemory()))) {
    hash.update(slice);
    total += slice.length;
    refuseLarger(path, total, maxBytes);
    if (total > size) grown.push(slice);
  }
  return {
    sha: hash.digest("hex") as Sha,
    size: total,
    parts: [first.subarray(0, Math.min(total, size)), ...grown],
    mode,
  };
}

const ownMemory = (): Buffer => Buffer.allocUnsafeSlow(SLICE);

/** For bytes that are used before the next ones come. */
function inOnePlace(): () => Buffer {
  const slice = Buffer.allocUnsafe(SLICE);
  return () => slice;
}

/** The bytes in slices that let other work in, each in memory of its own unless said otherwise. */
export async function* streamFile(fd: number, memoryAt: (at: number) => Buffer = ownMemory): AsyncGenerator<Buffer> {
  for (let at = 0; ; ) {
    const slice = memoryAt(at);
    // most files have one slice, which is read sooner than handed to another thread
    const got = at < SLICE ? fs.readSync(fd, slice, 0, slice.length, at) : await readAsync(fd, slice, at);
    if (got === 0) return;
    at += got;
    yield slice.subarray(0, got);
  }
}

/** Of an open file of any size. */
export async function hashOf(fd: number): Promise<{ readonly sha: Sha; readonly size: number }> {
  const hash = createHash("sha256");
  let size = 0;
  for await (const slice of streamFile(fd, inOnePlace())) {
    hash.update(slice);
    size += slice.length;
  }
  return { sha: hash.digest("hex") as Sha, size };
}

/** Writes every byte or throws: a full disk shows up as a short write before it shows up as an error. */
export async function writeParts(fd: number, parts: readonly Uint8Array[]): Promise<fs.Stats> {
  const large = sizeOf(parts) > LIMITS.sliceBytes;
  for (const part of parts) {
    for (let at = 0; at < part.length; ) {
      at += large
        ? await writeAsync(fd, part, at, Math.min(SLICE, part.length - at))
        : fs.writeSync(fd, part, at, part.length - at);
    }
  }
  const stat = fs.fstatSync(fd);
  if (stat.size === sizeOf(parts)) return stat;
  throw new Refusal("io_error", `Only ${stat.size} of ${sizeOf(parts)} bytes reached the disk.`, {
    next: "Look at the disk, then retry.",
  });
}

/** For descriptors that were only read, or whose bytes are known to be safe: a failing close says nothing then. */
export function closeQuietly(fd: number): void {
  try {
    fs.closeSync(fd);
  } catch {
    // The descriptor is gone either way.
  }
}

/** For files that are in the way at worst: what cannot be removed now is tried again by the next that sweeps. */
export function removeQuietly(path: string): void {
  try {
    fs.unlinkSync(path);
  } catch {
    // it is gone, or stays until then
  }
}

const promised = <T>(call: (done: (error: Error | null, result?: T) => void) => void): Promise<T> =>
  new Promise((resolve, reject) => call((error, result) => (error ? reject(error) : resolve(result as T))));

const readAsync = (fd: number, into: Buffer, at: number): Promise<number> =>
  promised((done) => fs.read(fd, into, 0, into.length, at, done));

const writeAsync = (fd: number, part: Uint8Array, at: number, length: number): Promise<number> =>
  promised((done) => fs.write(fd, part, at, length, done));

/** When it resolves, the disk has the bytes. */
export const flushData = (fd: number): Promise<void> => promised((done) => fs.fdatasync(fd, done));

/** False where the disk does not confirm it. */
export function isFlushed(fd: number): boolean {
  try {
    fs.fdatasyncSync(fd);
    return true;
  } catch {
    return false;
  }
}

/** So that the names in it are as safe as their files. */
export function flushDirectory(path: string): void {
  const fd = fs.openSync(path, "r");
  try {
    fs.fsyncSync(fd);
  } catch (error) {
    if (!NOT_SYNCABLE.has(errnoOf(error) ?? "")) throw error;
  } finally {
    closeQuietly(fd);
  }
}

/** Systems that keep directories safe by other means say so in one of these ways. */
const NOT_SYNCABLE: ReadonlySet<string> = new Set(["EINVAL", "ENOTSUP", "ENOSYS", "EPERM"]);
