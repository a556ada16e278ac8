// Where the history of a root lies in a home: for tests that look into it, damage it or take it away.
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** The directories of all histories in a home. */
export function historiesIn(home: string): string[] {
  return readdirSync(home)
    .filter((name) => /^[0-9a-f]+-p?[0-9a-f]+$/.test(name))
    .map((name) => join(home, name));
}

/** Of the only one. */
export function historyIn(home: string): string {
  const [only, ...others] = historiesIn(home);
  if (only === undefined || others.length > 0) throw new Error(`${others.length + 1} histories in ${home}, not one`);
  return only;
}

/** The files that its log is cut into, the oldest first. */
export function segmentsIn(history: string): string[] {
  const log = join(history, "log");
  return readdirSync(log)
    .filter((name) => name.endsWith(".log"))
    .sort()
    .map((name) => join(log, name));
}

/** As if the machine had been started anew since. */
export function restarted(home: string): void {
  const boot = readFileSync("/proc/sys/kernel/random/boot_id", "latin1").trim();
  for (const mark of historiesIn(home).map((history) => join(history, "mark"))) {
    if (!existsSync(mark)) continue;
    writeFileSync(mark, readFileSync(mark, "latin1").replace(boot, "\0".repeat(boot.length)), "latin1");
  }
}
