// Programs that end with this process, however it ends: a shell waits for our end of a pipe to close, and kills them then.
import { type ChildProcess, spawn } from "node:child_process";

/** Takes "+ 123" and "- 123", a line each. What is for the whole group of processes, as Ctrl-C, is not for this one. */
const SCRIPT = `
trap '' HUP INT TERM
running=
while read -r change pid; do
  others=
  for each in $running; do [ "$each" = "$pid" ] || others="$others $each"; done
  running=$others
  [ "$change" = - ] || running="$running $pid"
done
[ -z "$running" ] || kill -9 $running
`;

let watcher: ChildProcess | undefined;

/**
 * Starts a program. One that waits for a pipe to be opened would not notice that its output has no reader any more.
 * Windows has no such files, and where there is no shell it has to do without.
 */
export function startBound(start: () => ChildProcess): ChildProcess {
  if (process.platform === "win32") return start();
  // First, because it takes longer to start than to be told.
  watcher ??= startWatcher();
  const child = start();
  const { pid } = child;
  if (pid === undefined) return child;
  tell(`+ ${pid}`);
  return child.on("exit", () => tell(`- ${pid}`));
}

function tell(line: string): void {
  watcher?.stdin?.write(`${line}\n`);
}

function startWatcher(): ChildProcess | undefined {
  try {
    const shell = spawn("/bin/sh", ["-c", SCRIPT], { cwd: "/", env: {}, stdio: ["pipe", "ignore", "ignore"] });
    const gone = (): void => {
      if (watcher === shell) watcher = undefined;
    };
    shell.on("error", gone).on("exit", gone);
    shell.stdin.on("error", gone);
    shell.unref();
    (shell.stdin as unknown as { unref(): void }).unref();
    return shell;
  } catch {
    return;
  }
}
