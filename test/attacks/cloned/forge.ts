// Journals as a forger would write them: every entry well hashed and well chained, whatever it says.
import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { shaOf } from "../../../src/core/version.ts";

export const sha = (text: string): string => shaOf([Buffer.from(text)]);

export interface Forged {
  readonly [field: string]: unknown;
}

/** An entry that says that these changes were made. */
export function applied(changes: readonly unknown[], more: Forged = {}): Forged {
  return { outcome: "applied", session: "friend", agent: "claude", tool: "write_file", changes, ...more };
}

export function created(path: string, text: string, toMode = 0o755): Forged {
  return { path, from: null, to: sha(text), toSize: text.length, toMode, proof: "absence" };
}

export function deleted(path: string, from: string): Forged {
  return { path, from, to: null, fromSize: 10, fromMode: 0o644, proof: "sha256" };
}

/** `raw`: text to stand in the place of an entry's body, already JSON. */
export function journalOf(entries: readonly (Forged | { readonly raw: (place: string) => string })[]): string {
  let prev = "0".repeat(64);
  let text = "";
  for (const [n, entry] of entries.entries()) {
    const place = `{"seq":${n + 1},"at":"2026-01-01T00:00:00.000Z","prev":"${prev}"`;
    const body =
      "raw" in entry && typeof entry.raw === "function"
        ? entry.raw(place)
        : JSON.stringify({ seq: n + 1, at: "2026-01-01T00:00:00.000Z", prev, ...entry }).slice(0, -1);
    const hash = createHash("sha256").update(body).digest("hex");
    text += `${body},"hash":"${hash}"}\n`;
    prev = hash;
  }
  return text;
}

/** A state as stet makes one, with this journal, these kept versions and these unfinished files. */
export function plantState(
  repository: string,
  { journal = "", objects = {}, pending = {}, lock = {} }: PlantedState,
): void {
  const state = join(repository, ".stet");
  for (const dir of ["journal", "objects", "pending", "lock"]) mkdirSync(join(state, dir), { recursive: true });
  writeFileSync(join(state, "format"), "1\n");
  if (journal !== "") writeFileSync(join(state, "journal/0000000000000001.jsonl"), journal);
  for (const [name, text] of Object.entries(objects)) writeFileSync(join(state, "objects", name), text);
  for (const [name, text] of Object.entries(pending)) writeFileSync(join(state, "pending", name), text);
  for (const [name, text] of Object.entries(lock)) writeFileSync(join(state, "lock", name), text);
}

export interface PlantedState {
  readonly journal?: string;
  readonly objects?: Readonly<Record<string, string>>;
  readonly pending?: Readonly<Record<string, string>>;
  readonly lock?: Readonly<Record<string, string>>;
}
