// The ripgrep process: found if it is installed, given no shell and no configuration, ended at the cap or the deadline.
import { type ChildProcess, spawn } from "node:child_process";
import { accessSync, constants } from "node:fs";
import type { SearchableCopy } from "../../core/backend.ts";
import { type Deadline, timerMs } from "../../core/deadline.ts";
import { Refusal } from "../../core/failure.ts";
import { startBound } from "../../processes/ends-with-us.ts";
import { cancelled, noneLeft, tookTooLong } from "../endings.ts";
import type { Scope } from "../scope.ts";
import { inTurn, type Searcher } from "../searches-at-once.ts";
import { appetiteOf, LOOK_MS } from "./memory-limit.ts";

export interface Ripgrep {
  readonly program: string;
  /** The way to the directory of the workspace. */
  readonly directory: string;
  /** It leads there even when the directory has another name by now. */
  readonly pinned: boolean;
  /** The directory is a copy, and this says whether nothing was missing there. */
  readonly isWhole?: SearchableCopy["isWhole"];
  /** Files with the rules to go by. It opens none by itself: in a workspace, anything may have such a name. */
  readonly ignoreFiles: readonly string[];
}

/** Undefined when the files are in no directory, or ripgrep cannot do it: then JavaScript does. */
export async function ripgrepFor(scope: Scope, deadline: Deadline): Promise<Ripgrep | undefined> {
  const { backend } = scope.session.workspace;
  const { directory, pinned } = backend;
  if (directory === undefined && backend.searchable === undefined) return;
  if (scope.followLinks || process.env.STET_SEARCH === "javascript") return;
  installed ??= locate();
  const program = await installed;
  if (program === undefined) return;
  const place = pinned ?? directory;
  if (place !== undefined) return { program, directory: place, pinned: pinned !== undefined, ignoreFiles: [] };
  const copy = await backend.searchable?.(deadline);
  if (copy === undefined) return;
  // no other user can exchange what is in a copy that is private
  return { program, directory: copy.directory, isWhole: copy.isWhole, pinned: true, ignoreFiles: [] };
}

let installed: Promise<string | undefined> | undefined;

/** The package throws at import where its binary was not installed. */
async function locate(): Promise<string | undefined> {
  try {
    const { rgPath } = await import("@vscode/ripgrep");
    accessSync(rgPath, constants.X_OK);
    return rgPath;
  } catch {
    return;
  }
}

/** What each thread may keep of a pattern's states. By itself it keeps 1000 MiB, and is no faster for it. */
const PATTERN_MEMORY = ["--dfa-size-limit", "4M"];

/** Which part of the tree: the same for every use. Paths come after "--" and start with "./", so none is an option. */
export function scopeArguments(
  scope: Scope,
  { ignoreFiles }: Ripgrep,
  paths: readonly string[] = [scope.at.path],
): string[] {
  const names = scope.type === undefined && scope.lastNames !== undefined ? scope.lastNames : [];
  return [
    "--no-config",
    ...PATTERN_MEMORY,
    "--no-ignore",
    "--no-ignore-messages",
    ...ignoreFiles.flatMap((file) => ["--ignore-file", file]),
    ...(scope.hidden ? ["--hidden"] : []),
    ...(Number.isFinite(scope.maxDepth) ? ["--max-depth", String(scope.maxDepth)] : []),
    ...(scope.type === undefined ? [] : ["--type", scope.type]),
    // A type, unlike --glob, does not bring back what .gitignore ignores.
    ...names.flatMap((name) => ["--type-add", `stet:${name}`]),
    ...(names.length > 0 ? ["--type", "stet"] : []),
    ...scope.excludedNames.flatMap((name) => ["--glob", `!${name}`]),
    ...(process.platform === "win32" ? ["--path-separator", "/"] : []),
    "--",
    ...paths.map((path) => `./${path}`),
  ];
}

/** Back to a path of the workspace. */
export function pathOf(printed: string): string {
  return printed.startsWith("./") ? printed.slice(2) : printed;
}

export interface Run extends Searcher {
  /** It is ended when it takes more memory than what it searches justifies. */
  readonly weighed?: boolean;
  /** Whatever comes; "stop" ends the process. */
  onOutput(chunk: Buffer): "stop" | undefined;
}

export interface Ended {
  readonly stopped: boolean;
  readonly code: number | null;
  readonly stderr: string;
}

/** It cannot do this search: a defect of its own, or more memory than its files justify. JavaScript does it instead. */
export class RipgrepUnable extends Error {
  override readonly name = "RipgrepUnable";
}

const MOST_STDERR = 64 * 1024;

export function run(ripgrep: Ripgrep, args: readonly string[], how: Run): Promise<Ended> {
  return inTurn(how, () => started(ripgrep, args, how));
}

function started(
  { program, directory }: Ripgrep,
  args: readonly string[],
  { deadline, signal, weighed = false, onOutput }: Run,
): Promise<Ended> {
  deadline.check();
  return new Promise((resolve, reject) => {
    const child = spawned(program, args, directory);
    let stderr = "";
    let stopped = false;
    let failed: unknown;
    const stop = (why?: unknown) => {
      failed ??= why;
      stopped = true;
      child.stdout?.removeAllListeners("data").resume();
      child.kill("SIGKILL");
    };
    const timer = setTimeout(() => stop(tookTooLong()), timerMs(deadline));
    const scales = weighed ? weighing(child, () => stop(new RipgrepUnable("it needs too much memory"))) : undefined;
    const cancel = () => stop(cancelled(signal!));
    signal?.addEventListener("abort", cancel);
    child.stdout?.on("data", (chunk: Buffer) => {
      try {
        if (onOutput(chunk) === "stop") stop();
      } catch (error) {
        stop(error);
      }
    });
    child.stderr?.on("data", (chunk: Buffer) => {
      if (stderr.length < MOST_STDERR) stderr += chunk.toString();
    });
    child.on("error", (error) => {
      failed ??= notStarted(error);
    });
    child.on("close", (code) => {
      clearTimeout(timer);
      clearInterval(scales);
      signal?.removeEventListener("abort", cancel);
      if (failed === undefined) resolve({ stopped, code, stderr });
      else reject(failed);
    });
  });
}

function weighing({ pid }: ChildProcess, stop: () => void): NodeJS.Timeout | undefined {
  if (pid === undefined) return;
  const tooMuch = appetiteOf(pid);
  return setInterval(() => {
    if (tooMuch()) stop();
  }, LOOK_MS);
}

/** Where too many files are open it has no output, and the error comes later; where memory is short it is thrown. */
function spawned(program: string, args: readonly string[], cwd: string): ChildProcess {
  try {
    return startBound(() => spawn(program, args, { cwd, stdio: ["ignore", "pipe", "pipe"], windowsHide: true }));
  } catch (error) {
    const code = codeOf(error as NodeJS.ErrnoException);
    throw NONE_LEFT.has(code) ? noneLeft(code, error) : error;
  }
}

function notStarted(error: NodeJS.ErrnoException): Refusal {
  const code = codeOf(error);
  if (NONE_LEFT.has(code)) return noneLeft(code, error);
  return new Refusal("io_error", `The search program could not be started (${code}).`, {
    next: "Install stet again if it happens every time.",
    cause: error,
  });
}

const NONE_LEFT: ReadonlySet<string> = new Set(["EMFILE", "ENFILE", "EAGAIN", "ENOMEM"]);

/** The message would tell where the program is installed. */
function codeOf(error: NodeJS.ErrnoException): string {
  return error.code ?? error.name;
}
