// Runs a CommonJS program with compiled code kept in a private directory; without it, or when it does not fit, just runs it.
import * as fs from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { Script } from "node:vm";
import { keepHeapSmall } from "./small-heap.ts";

/** Long enough for a server to have answered its first calls: what they compiled is kept as well. */
const SETTLED_MS = 2000;
/** By then V8 has grown to what the start needs. */
const STARTED_MS = 150;
const OLD_MS = 30 * 24 * 3600 * 1000;

/** Also on Node 22 and newer: what Node itself can keep there holds less of what the first calls need. */
export function runKept(program: string, cache: string): void {
  const kept = keptIn(cache, program);
  const cachedData = kept === undefined ? undefined : readKept(kept);
  // The bundler leaves no character beyond ASCII, and Latin-1 is read faster.
  const source = fs.readFileSync(program, "latin1");
  const script = new Script(`(function (exports, require, module, __filename, __dirname) {${source}\n})`, {
    filename: program,
    ...(cachedData !== undefined && { cachedData }),
  });
  // Compiled code that was kept has lost its own way to import.
  const module = { exports: {}, stetImport: (name: string) => import(name) };
  const require = createRequire(program);
  script.runInThisContext()(module.exports, require, module, program, dirname(program));
  if (cachedData === undefined || script.cachedDataRejected) keepLater({ cache, program }, script, require);
  else setTimeout(keepHeapSmall, STARTED_MS, require).unref();
}

/**
 * Undefined where it cannot be told which directory this is. Code that is run unseen must not be found in one that came
 * with a project, as where a home lies in a workspace: who ships a directory cannot know its number and its birth.
 * The servers and the short commands run different parts, so each keeps its own.
 */
function keptIn(cache: string, program: string): string | undefined {
  const { ino, birthtimeNs, ctimeNs } = fs.statSync(cache, { bigint: true });
  // A system that does not know births gives none, or the time of the last change.
  if (birthtimeNs === 0n || birthtimeNs === ctimeNs) return;
  const { size, mtimeMs } = fs.statSync(program);
  const [, , command = ""] = process.argv;
  const kind = command === "mcp" || command === "serve" ? command : "command";
  const parts = [kind, process.version, process.arch, STET_BUILD, size, Math.floor(mtimeMs), ino, birthtimeNs];
  return join(cache, `${parts.join("-")}.v8`);
}

/** Which program this is: set by the build. */
declare const STET_BUILD: string;

function readKept(file: string): Buffer | undefined {
  let fd: number | undefined;
  try {
    fd = fs.openSync(file, fs.constants.O_RDONLY | (fs.constants.O_NOFOLLOW ?? 0));
    const { uid, mode } = fs.fstatSync(fd);
    const ours = process.getuid === undefined || (uid === process.getuid() && (mode & 0o077) === 0);
    return ours ? fs.readFileSync(fd) : undefined;
  } catch {
    return;
  } finally {
    if (fd !== undefined) fs.closeSync(fd);
  }
}

/** Once, after the first calls or at the end of the process, whichever comes first. */
function keepLater(
  { cache, program }: { readonly cache: string; readonly program: string },
  script: Script,
  require: NodeJS.Require,
): void {
  const keep = () => {
    clearTimeout(timer);
    process.off("exit", keep);
    try {
      // One that was made a moment ago has not changed since its birth; now it has.
      fs.chmodSync(cache, 0o700);
      const file = keptIn(cache, program);
      if (file !== undefined) writeKept(file, script.createCachedData());
    } catch {
      // The next start is as slow as this one.
    }
    keepHeapSmall(require);
  };
  const timer = setTimeout(keep, SETTLED_MS).unref();
  process.once("exit", keep);
}

/** Whole or not at all, and on the disk before it has its name: V8 does not notice damaged code. */
function writeKept(file: string, data: Buffer): void {
  const temporary = `${file}.${process.pid}`;
  try {
    const fd = fs.openSync(temporary, "wx", 0o600);
    try {
      fs.writeFileSync(fd, data);
      fs.fsyncSync(fd);
    } finally {
      fs.closeSync(fd);
    }
    fs.renameSync(temporary, file);
  } finally {
    fs.rmSync(temporary, { force: true });
  }
  removeOld(dirname(file));
}

function removeOld(directory: string): void {
  for (const name of fs.readdirSync(directory)) {
    const file = join(directory, name);
    if (Date.now() - fs.lstatSync(file).mtimeMs > OLD_MS) fs.rmSync(file, { force: true });
  }
}
