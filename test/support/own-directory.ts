// Directories for everything that a run of the tests makes: nothing is left behind, neither in the system's nor with the user.
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statfsSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const made: string[] = [];
const MEMORY = "/dev/shm";
const MEMORY_NEEDED = 2 ** 31;

/** Before the processes are started that run the tests: they and what they start inherit it. */
export function setup(): void {
  if (made.length > 0) return;
  const onDisk = makeIn(tmpdir());
  process.env.TMPDIR = onDisk;
  process.env.STET_STATE = join(onDisk, "state");
  if (!process.env.STET_HEAVY && hasRoomInMemory()) process.env.TESTS_IN_MEMORY = makeIn(MEMORY);
}

export function teardown(): void {
  for (const directory of made.splice(0)) {
    endServersIn(directory);
    rmSync(directory, { recursive: true, force: true });
  }
}

/** A worker ends without a word, and leaves the PostgreSQL server that its files shared. */
function endServersIn(directory: string): void {
  // Each project has directories of its own, and one may lie in another that is gone.
  if (!existsSync(directory)) return;
  for (const name of readdirSync(directory).filter((each) => each.startsWith("stet-postgres-"))) {
    const file = join(directory, name, "data/postmaster.pid");
    const pid = existsSync(file) ? Number.parseInt(readFileSync(file, "utf8"), 10) : 0;
    if (pid > 0) process.kill(pid, "SIGQUIT");
  }
}

function makeIn(parent: string): string {
  const directory = realpathSync(mkdtempSync(join(parent, "stet-")));
  // Some tests act as another user.
  chmodSync(directory, 0o755);
  mkdirSync(join(directory, "state"), { mode: 0o700 });
  made.push(directory);
  return directory;
}

function hasRoomInMemory(): boolean {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    return bavail * bsize > MEMORY_NEEDED;
  } catch {
    return false;
  }
}
