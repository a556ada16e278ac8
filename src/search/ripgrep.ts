// Searches with ripgrep: all threads until there is enough, and only if there is, once more in order for the first hits.
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Refusal } from "../core/failure.ts";
import { refuse } from "../words/index.ts";
import { inTurn, onEnd, type SearchCall } from "./call.ts";
import { binaryNote, comparePaths, type Found, type Wanted } from "./engine.ts";
import { linesFromRoot, rulesAbove } from "./gitignore.ts";
import { outputArguments, readOutput } from "./ripgrep-output.ts";
import type { Scope } from "./scope.ts";

let installed: Promise<string | undefined> | undefined;

/** The program, unless it is not to be used or not installed: then its package throws at import. */
export async function findRipgrep(): Promise<string | undefined> {
  if (process.env.STET_SEARCH === "javascript") return undefined;
  installed ??= import("@vscode/ripgrep").then(
    ({ rgPath }) => (existsSync(rgPath) ? rgPath : undefined),
    () => undefined,
  );
  return installed;
}

export async function grepByRipgrep(
  program: string,
  directory: string,
  scope: Scope,
  wanted: Wanted,
  call: SearchCall,
): Promise<Found> {
  const { at } = scope;
  if (at.kind === "file" && !scope.accepts(at.path)) return { files: [], cut: false };
  const rules = scope.gitignore && at.kind === "directory" ? linesFromRoot(await rulesAbove(scope, at.path)) : [];
  return withRulesFile(rules, async (rulesFile) => {
    const args = [...outputArguments(wanted), ...patternArguments(wanted), ...scopeArguments(scope, rulesFile)];
    const unordered = await pass(args);
    if (!unordered.cut) {
      const files = [...unordered.files].sort((a, b) => comparePaths(a.path, b.path));
      return { ...unordered, files };
    }
    // Which hits come first from several threads is chance, and a next page has to go on where this one ends.
    return pass(["--sort", "path", ...args]);
  });

  async function pass(args: readonly string[]): Promise<Found> {
    const reader = readOutput(wanted, scope);
    const ended = await run(program, args, directory, call, (chunk) => {
      const verdict = reader.take(chunk);
      call.tally.matches = Math.max(call.tally.matches, reader.number);
      return verdict;
    });
    if (!ended.stopped) refuseIfFailed(ended, wanted.pattern.text);
    const files = reader.end();
    if (at.kind === "file" && reader.sawBinary) scope.note(binaryNote(at.path));
    return { files, cut: ended.stopped || reader.number >= wanted.enough };
  }
}

function patternArguments({ pattern, maxFileBytes }: Wanted): string[] {
  return [
    pattern.literal ? "--fixed-strings" : "--engine=auto",
    pattern.caseSensitive ? "--case-sensitive" : "--ignore-case",
    ...(pattern.multiline ? ["--multiline", ...ACROSS_LINES] : []),
    ...(maxFileBytes === undefined ? [] : ["--max-filesize", String(maxFileBytes)]),
    ...["--crlf", "--no-mmap", "--regexp", pattern.text],
  ];
}

/** Matches nothing, but could match the end of a line: otherwise ripgrep goes back to searching line by line. */
const ACROSS_LINES = ["--regexp", "\\n\\b\\B"];

/** Of all ignore files only .gitignore, below the start: those above it are in `rulesFile`, none above the workspace. */
const OTHER_IGNORE_FILES = ["dot", "exclude", "global", "parent"].map((kind) => `--no-ignore-${kind}`);

/** Paths come after "--" and start with "./", so none is an option. */
function scopeArguments(scope: Scope, rulesFile: string | undefined): string[] {
  const names = scope.type === undefined ? (scope.lastNames ?? []) : [];
  return [
    ...["--no-config", "--no-messages", "--no-ignore-messages"],
    // What each thread keeps of a pattern's states: 1000 MiB unless given, and no faster for it.
    ...["--dfa-size-limit", "4M"],
    ...(scope.gitignore ? ["--no-require-git", ...OTHER_IGNORE_FILES] : ["--no-ignore"]),
    ...(rulesFile === undefined ? [] : ["--ignore-file", rulesFile]),
    ...(scope.hidden ? ["--hidden"] : []),
    ...(Number.isFinite(scope.maxDepth) ? ["--max-depth", String(scope.maxDepth)] : []),
    ...(scope.type === undefined ? [] : ["--type", scope.type]),
    // A type, unlike --glob, does not bring back what .gitignore ignores.
    ...names.flatMap((name) => ["--type-add", `stet:${name}`]),
    ...(names.length > 0 ? ["--type", "stet"] : []),
    ...scope.excludedNames.flatMap((name) => ["--glob", `!${name}`]),
    ...(process.platform === "win32" ? ["--path-separator", "/"] : []),
    ...["--", `./${scope.at.path}`],
  ];
}

/** Rules in a file that only this user can read, and that is gone afterwards. */
async function withRulesFile<T>(
  rules: readonly string[],
  search: (file: string | undefined) => Promise<T>,
): Promise<T> {
  if (rules.length === 0) return search(undefined);
  const directory = mkdtempSync(join(tmpdir(), "stet-rules-"));
  try {
    const file = join(directory, "rules");
    writeFileSync(file, `${rules.join("\n")}\n`, { flag: "wx", mode: 0o600 });
    return await search(file);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

interface Ended {
  readonly stopped: boolean;
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stderr: string;
}

const MAX_STDERR = 64 * 1024;

function run(
  program: string,
  args: readonly string[],
  directory: string,
  call: SearchCall,
  onOutput: (chunk: Buffer) => "stop" | undefined,
): Promise<Ended> {
  const started = (): Promise<Ended> =>
    new Promise((resolve, reject) => {
      const child = start(program, args, directory);
      let stderr = "";
      let stopped = false;
      let failed: unknown;
      const stop = (why?: unknown) => {
        failed ??= why;
        stopped = true;
        child.stdout?.removeAllListeners("data").resume();
        child.kill("SIGKILL");
      };
      const stopListening = onEnd(call, stop);
      child.stdout?.on("data", (chunk: Buffer) => {
        try {
          if (onOutput(chunk) === "stop") stop();
        } catch (error) {
          stop(error);
        }
      });
      child.stderr?.on("data", (chunk: Buffer) => {
        if (stderr.length < MAX_STDERR) stderr += chunk.toString();
      });
      child.on("error", (error) => {
        failed ??= notStarted(error);
      });
      child.on("close", (code, signal) => {
        stopListening();
        if (failed === undefined) resolve({ stopped, code, signal, stderr });
        else reject(failed);
      });
    });
  return inTurn(call, started);
}

/** A .gitignore that is a link to a device, or an endless line, would take all memory there is. */
const MAX_MEMORY_GIB = 1;
const WITH_LIMIT = `ulimit -d ${MAX_MEMORY_GIB * 1024 ** 2} 2>/dev/null; exec "$0" "$@"`;
const SHELL = "/bin/sh";

/** Where too many files are open it has no output, and the error comes later; where memory is short it is thrown. */
function start(program: string, args: readonly string[], cwd: string): ChildProcess {
  const hasShell = process.platform !== "win32" && existsSync(SHELL);
  const [command, all] = hasShell ? [SHELL, ["-c", WITH_LIMIT, program, ...args]] : [program, args];
  try {
    return spawn(command, all, { cwd, stdio: ["ignore", "pipe", "pipe"], windowsHide: true });
  } catch (error) {
    throw notStarted(error as NodeJS.ErrnoException);
  }
}

const NONE_LEFT: ReadonlySet<string> = new Set(["EMFILE", "ENFILE", "EAGAIN", "ENOMEM"]);

/** By its code: the message would tell where the program is installed. */
function notStarted(error: NodeJS.ErrnoException): Refusal {
  const code = error.code ?? error.name;
  if (NONE_LEFT.has(code)) return refuse("search_machine_busy", { code }, error);
  return refuse("ripgrep_not_started", { code }, error);
}

/** Files that cannot be opened are skipped, with exit code 2 and no message. */
function refuseIfFailed({ code, signal, stderr }: Ended, pattern: string): void {
  if (signal !== null) {
    throw refuse("ripgrep_killed", /memory allocation/.test(stderr) ? { memoryGib: MAX_MEMORY_GIB } : {});
  }
  const message = stderr.trim();
  if (code === 0 || code === 1 || message === "") return;
  if (/PCRE2: error matching|size limit/.test(message)) throw refuse("pattern_too_complex", { pattern, by: "engine" });
  if (/regex|PCRE2/.test(message)) throw refuse("pattern_invalid", { error: complaintIn(message) });
  throw refuse("ripgrep_failed", { error: message.slice(0, 500) });
}

/** Both engines complain when neither takes the pattern; the first one's word counts unless it only lacks a feature. */
function complaintIn(message: string): string {
  const first = /^error: (.+)/m.exec(message)?.[1];
  const second = /PCRE2: error compiling pattern at offset \d+: (.+)/.exec(message)?.[1];
  const isLacking = /(?:is|are) not supported/.test(first ?? "");
  return (isLacking ? second : first) ?? second ?? message.slice(0, 500);
}
