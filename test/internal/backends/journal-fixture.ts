// Journals for tests: in directories of their own, with entries whose content is easy to predict.
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import type { EntryDraft, Path, Sha } from "stet";
import { afterEach } from "vitest";
import { type Journal, openJournal } from "../../../src/backends/disk/journal/journal.ts";
import type { JournalOptions } from "../../../src/backends/disk/options.ts";

const left: (() => void)[] = [];

afterEach(() => {
  for (const clean of left.splice(0).reverse()) clean();
});

export function temporaryDirectory(): string {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), "stet-journal-"));
  left.push(() => fs.rmSync(dir, { recursive: true, force: true }));
  return dir;
}

export function journalIn(dir: string, options: JournalOptions = {}): Journal {
  const journal = openJournal(dir, options);
  left.push(() => journal.close());
  return journal;
}

export const sha = (name: string) => Buffer.from(name).toString("hex").padEnd(64, "0").slice(0, 64) as Sha;
export const at = (name: string) => name as Path;

export function change(path: string, from: string | null, to: string | null): EntryDraft {
  const version = (name: string | null) => (name === null ? null : sha(name));
  const changes = [{ path: at(path), from: version(from), to: version(to), proof: "session" }];
  return { session: "s1", tool: "edit", outcome: "applied", changes };
}

/** A journal of `count` entries, each writing one of three files. */
export function filledJournal(count: number, options: JournalOptions = {}): { dir: string; journal: Journal } {
  const dir = temporaryDirectory();
  const journal = journalIn(dir, options);
  for (let i = 1; i <= count; i++) journal.append(change(`file-${i % 3}`, i <= 3 ? null : `v${i - 3}`, `v${i}`));
  return { dir, journal };
}

export function segmentsOf(dir: string): string[] {
  const names = fs.readdirSync(dir).filter((name) => /^\d+\.jsonl$/.test(name));
  return names.sort().map((name) => path.join(dir, name));
}

export function linesOf(file: string): string[] {
  return fs.readFileSync(file, "utf8").split("\n").slice(0, -1);
}

export function writeLines(file: string, lines: readonly string[]): void {
  fs.writeFileSync(file, lines.map((line) => `${line}\n`).join(""));
}
