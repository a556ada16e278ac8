// A journal with entries that its own writers never made: well hashed, well chained, and saying what a test likes.
import { createHash } from "node:crypto";
import { appendFileSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { openRegister, registerDirectory } from "../../src/backends/disk/trust/register.ts";

/** Appends an entry to the journal of the state in `root`; what is given takes the place of what an entry usually says. */
export function plantEntry(root: string, said: Readonly<Record<string, unknown>>): number {
  const segment = newestSegment(root);
  const last = JSON.parse(readFileSync(segment, "utf8").trimEnd().split("\n").at(-1)!);
  const usual = { at: last.at, outcome: "applied", session: "planted", tool: "planted", changes: [] };
  const { at, ...rest } = { ...usual, ...said };
  const open = JSON.stringify({ seq: last.seq + 1, at, prev: last.hash, ...rest }).slice(0, -1);
  appendFileSync(segment, `${open},"hash":"${createHash("sha256").update(open).digest("hex")}"}\n`);
  return last.seq + 1;
}

/** What the journal says now, as it lies on the disk. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into it as they like
export function entriesIn(root: string): any[] {
  return readFileSync(newestSegment(root), "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
}

/** Entries up to `seq` count as history of another place, as if the owner had taken it over. */
export function takeOver(root: string, seq: number): void {
  const register = openRegister(registerDirectory(), { flush: false });
  const record = register.find(readFileSync(join(root, ".stet", "id"), "utf8").trim());
  register.write({ ...record!, elsewhere: seq });
}

function newestSegment(root: string): string {
  const journal = join(root, ".stet", "journal");
  const names = readdirSync(journal).filter((name) => name.endsWith(".jsonl"));
  return join(journal, names.sort().at(-1)!);
}
