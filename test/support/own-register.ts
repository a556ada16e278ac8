// Where tests remember the states that they made: a directory of their own, so that nothing is left with the user.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

let made: string | undefined;

/** Before the processes are started that run the tests: they and what they start inherit it. */
export function setup(): void {
  if (process.env.STET_REGISTER !== undefined) return;
  made = mkdtempSync(join(tmpdir(), "stet-test-register-"));
  process.env.STET_REGISTER = made;
}

export function teardown(): void {
  if (made !== undefined) rmSync(made, { recursive: true, force: true });
}
