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
  const kept = join(cache, keptName(program));
  const cachedData = readKept(kept);
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
  if (cachedData === undefined || script.cachedDataRejected) keepLater(kept, script, require);
  else setTimeout(keepHeapSmall, STARTED_MS, require).unref();
}

/** The servers and the short commands run different parts, so each keeps its own. */
function keptName(program: string): string {
  const { size, mtimeMs } = fs.statSync(program);
  const [, , command = ""] = process.argv;
  const kind = command === "mcp" || command === "serve" ? command : "command";
  return `${[kind, process.version, process.arch, STET_BUILD, size, Math.floor(mtimeMs)].join("-")}.v8`;
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
function keepLater(file: string, script: Script, require: NodeJS.Require): void {
  const keep = () => {
    clearTimeout(timer);
    process.off("exit", keep);
    try {
      writeKept(file, script.createCachedData());
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
