// A directory for everything that a run of the tests makes: nothing is left behind, neither in the system's nor with the user.
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

let made: string | undefined;

/** Before the processes are started that run the tests: they and what they start inherit it. */
export function setup(): void {
  if (made !== undefined) return;
  made = realpathSync(mkdtempSync(join(tmpdir(), "stet-")));
  // Some tests act as another user.
  chmodSync(made, 0o755);
  process.env.TMPDIR = made;
  process.env.STET_REGISTER = join(made, "register");
  mkdirSync(process.env.STET_REGISTER, { mode: 0o700 });
}

export function teardown(): void {
  if (made !== undefined) rmSync(made, { recursive: true, force: true });
  made = undefined;
}
