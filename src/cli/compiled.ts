// Runs a CommonJS program with compiled code kept in a private directory; without it, or when it does not fit, just runs it.
import * as fs from "node:fs";
import { createRequire } from "node:module";
import { homedir } from "node:os";
import { dirname, isAbsolute, join } from "node:path";
import type { setFlagsFromString } from "node:v8";
import { Script } from "node:vm";

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
 * Undefined where nothing identifies this directory. Code that is run unseen must not be found in one that came
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

/** No other user gets at what lies there, whatever its mode. */
function readKept(file: string): Buffer | undefined {
  try {
    return fs.readFileSync(file);
  } catch {
    return;
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

/**
 * Not before compiled code was read or written: V8 takes it only under the flags that it was made under. And `node:v8` itself
 * is loaded no sooner, because it takes a tenth of the start.
 */
export function keepHeapSmall(require: NodeJS.Require): void {
  const v8 = require("node:v8") as { readonly setFlagsFromString: typeof setFlagsFromString };
  // What a call leaves behind is old by the time it is garbage, so the old space is what grows: half, not four times.
  v8.setFlagsFromString("--heap-growing-percent=50");
  v8.setFlagsFromString("--semi-space-growth-factor=1");
}

/** Undefined where there is no such place, or STET_NO_COMPILE_CACHE is set: then stet starts slower. */
export function privateCache(): string | undefined {
  if (process.env.STET_NO_COMPILE_CACHE) return;
  try {
    const user = userCache();
    // Anything else would lie wherever stet happens to be started.
    if (!isAbsolute(user)) return;
    // No tool reaches below a directory of this name, not even in a workspace that holds the home directory.
    const directory = join(user, "stet", ".stet");
    for (const each of [user, dirname(directory), directory]) makeBelow(each);
    return [dirname(directory), directory].every(isOurs) ? directory : undefined;
  } catch {
    return;
  }
}

/** Throws where the machine does not know a home for this user. */
function userCache(): string {
  const { XDG_CACHE_HOME, LOCALAPPDATA } = process.env;
  const named = process.platform === "win32" ? LOCALAPPDATA : XDG_CACHE_HOME;
  return named !== undefined && isAbsolute(named) ? named : join(homedir(), ".cache");
}

/** What it lies in must be there: a home that does not exist is not made. */
function makeBelow(directory: string): void {
  try {
    fs.mkdirSync(directory, { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}

function isOurs(path: string): boolean {
  const found = fs.lstatSync(path);
  if (!found.isDirectory()) return false;
  return process.getuid === undefined || (found.uid === process.getuid() && (found.mode & 0o077) === 0);
}
