// Makes the N-th file-system call of a piece of work fail, as a failing disk would.
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";

const SYNC = [
  "openSync",
  "closeSync",
  "readSync",
  "writeSync",
  "fstatSync",
  "lstatSync",
  "statSync",
  "renameSync",
  "linkSync",
  "unlinkSync",
  "rmSync",
  "rmdirSync",
  "mkdirSync",
  "readdirSync",
  "fchmodSync",
  "fchownSync",
  "fsyncSync",
  "fdatasyncSync",
  "ftruncateSync",
  "symlinkSync",
  "readlinkSync",
  "writeFileSync",
  "readFileSync",
  "statfsSync",
] as const;

export interface Fault {
  readonly failAt: number;
  readonly code: "EIO" | "ENOSPC";
  /** From the N-th call on everything fails, as on a disk that is gone. */
  readonly lasting?: boolean;
}

/** Runs `work` with the fault in place. `hit` names the call that failed; undefined when there were not that many. */
export async function withFault<T>(
  fault: Fault,
  work: () => Promise<T>,
): Promise<{ hit?: string; result: PromiseSettledResult<T> }> {
  const originals = new Map<string, unknown>();
  const target = fs as unknown as Record<string, (...args: never[]) => unknown>;
  let calls = 0;
  let hit: string | undefined;

  const due = (name: string): boolean => {
    calls++;
    const fails = calls === fault.failAt || (fault.lasting === true && calls > fault.failAt);
    if (fails) hit ??= `${name} (call ${calls})`;
    return fails;
  };
  const failure = (name: string): Error =>
    Object.assign(new Error(`${fault.code}: injected, ${name}`), {
      code: fault.code,
      errno: fault.code === "EIO" ? -5 : -28,
      syscall: name,
    });

  for (const name of SYNC) {
    const original = target[name]!;
    originals.set(name, original);
    target[name] = (...args: never[]) => {
      if (!due(name)) return original(...args);
      if (name === "closeSync") original(...args);
      throw failure(name);
    };
  }
  const flush = fs.fdatasync;
  originals.set("fdatasync", flush);
  target.fdatasync = ((fd: number, done: (error: Error | null) => void) => {
    if (due("fdatasync")) setImmediate(() => done(failure("fdatasync")));
    else flush(fd, done);
  }) as never;
  syncBuiltinESMExports();
  try {
    const [result] = await Promise.allSettled([work()]);
    return { result: result!, ...(hit !== undefined && { hit }) };
  } finally {
    for (const [name, original] of originals) target[name] = original as never;
    syncBuiltinESMExports();
  }
}
