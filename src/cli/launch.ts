#!/usr/bin/env node
// The program `stet`: runs the bundled command line that lies beside it, with the code V8 compiled at an earlier start.
import fs from "node:fs";
import { createRequire } from "node:module";
import { homedir } from "node:os";
import { dirname, isAbsolute, join } from "node:path";
import type { setFlagsFromString } from "node:v8";
import { Script } from "node:vm";

/** Which program this is: set by the build. */
declare const STET_BUILD: string;

/** Long enough for a server to have answered its first calls: what they compiled is kept as well. */
const SETTLED_MS = 2000;
/** By then V8 has grown to what the start needs. */
const STARTED_MS = 150;
const OLD_MS = 30 * 24 * 3600 * 1000;

const program = join(import.meta.dirname, "program.cjs");
const require = createRequire(program);
const cache = privateCache();

if (cache === undefined) require(program);
else runKept(join(cache, keptName()));

/** The servers and the short commands run different parts, so each keeps its own. */
function keptName(): string {
  const [, , command = ""] = process.argv;
  const kind = command === "mcp" || command === "serve" ? command : "command";
  return `${kind}-${process.version}-${process.arch}-${STET_BUILD}.v8`;
}

/** Also on Node 22 and newer: what Node itself can keep there holds less of what the first calls need. */
function runKept(file: string): void {
  const cachedData = fs.existsSync(file) ? fs.readFileSync(file) : undefined;
  // The bundler leaves no character beyond ASCII, and Latin-1 is read faster.
  const source = fs.readFileSync(program, "latin1");
  const script = new Script(`(function (exports, require, module, __filename, __dirname) {${source}\n})`, {
    filename: program,
    cachedData,
  });
  // Compiled code that was kept has lost its own way to import.
  const module = { exports: {}, stetImport: (name: string) => import(name) };
  script.runInThisContext()(module.exports, require, module, program, dirname(program));
  if (cachedData === undefined || script.cachedDataRejected) keepLater(file, script);
  else setTimeout(keepHeapSmall, STARTED_MS).unref();
}

/** Once, after the first calls or at the end of the process, whichever comes first. */
function keepLater(file: string, script: Script): void {
  const keep = () => {
    clearTimeout(timer);
    process.off("exit", keep);
    try {
      writeKept(file, script.createCachedData());
    } catch {
      // The next start is as slow as this one.
    }
    keepHeapSmall();
  };
  const timer = setTimeout(keep, SETTLED_MS).unref();
  process.once("exit", keep);
}

/** Whole or not at all, and on the disk before it has its name: V8 does not notice damaged code. */
function writeKept(file: string, data: Buffer): void {
  const temporary = `${file}.${process.pid}`;
  fs.writeFileSync(temporary, data, { mode: 0o600, flush: true });
  fs.renameSync(temporary, file);
  for (const name of fs.readdirSync(dirname(file))) {
    const other = join(dirname(file), name);
    if (Date.now() - fs.lstatSync(other).mtimeMs > OLD_MS) fs.rmSync(other, { force: true });
  }
}

/**
 * Not before compiled code was read or written: V8 takes it only under the flags that it was made under. And `node:v8` itself
 * is loaded no sooner, because it takes a tenth of the start.
 */
function keepHeapSmall(): void {
  const v8 = require("node:v8") as { readonly setFlagsFromString: typeof setFlagsFromString };
  // What a call leaves behind is old by the time it is garbage, so the old space is what grows: half, not four times.
  v8.setFlagsFromString("--heap-growing-percent=50");
  v8.setFlagsFromString("--semi-space-growth-factor=1");
}

/** Undefined where there is no place that is this user's alone, or STET_NO_COMPILE_CACHE is set: then stet starts slower. */
function privateCache(): string | undefined {
  if (process.env.STET_NO_COMPILE_CACHE) return;
  const { XDG_CACHE_HOME, LOCALAPPDATA } = process.env;
  const named = process.platform === "win32" ? LOCALAPPDATA : XDG_CACHE_HOME;
  try {
    const user = named !== undefined && isAbsolute(named) ? named : join(homedir(), ".cache");
    // Anything else would lie wherever stet happens to be started; and a home that does not exist is not made.
    if (!isAbsolute(user) || !fs.existsSync(dirname(user))) return;
    // No tool reaches below a directory of this name, not even in a workspace that holds the home directory.
    const directory = join(user, "stet", ".stet");
    fs.mkdirSync(directory, { recursive: true, mode: 0o700 });
    return isOurs(dirname(directory)) && isOurs(directory) ? directory : undefined;
  } catch {
    return;
  }
}

function isOurs(path: string): boolean {
  const found = fs.lstatSync(path);
  if (!found.isDirectory()) return false;
  return process.getuid === undefined || (found.uid === process.getuid() && (found.mode & 0o077) === 0);
}
