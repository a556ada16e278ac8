// Snapshots of the journal's last words, written where a segment begins, so that opening need not read the whole journal.
import { hash } from "node:crypto";
import fs from "node:fs";
import type { Head, Path, Sha } from "../backend.ts";
import type { Heads } from "../heads.ts";
import { paddedSeq } from "./segment.ts";

export interface Snapshot {
  /** The state just before this entry, which is the first of a segment. */
  readonly firstSeq: number;
  /** The hash of the entry before: a snapshot of another journal, or of entries since replaced, does not fit. */
  readonly prev: Sha;
  readonly heads: readonly (readonly [Path, Head])[];
}

/** A snapshot can always be made again from the entries, so failing to keep one is no failure. */
export function writeSnapshot(dir: string, firstSeq: number, prev: Sha, heads: Heads): void {
  const body = JSON.stringify([...heads.all()].map(([path, { seq, sha }]) => [path, seq, sha]));
  const header = JSON.stringify({ firstSeq, prev, sha256: hash("sha256", body) });
  const temporary = `${dir}/${paddedSeq(firstSeq)}.heads.tmp`;
  try {
    fs.writeFileSync(temporary, `${header}\n${body}\n`, { mode: 0o600 });
    fs.renameSync(temporary, `${dir}/${paddedSeq(firstSeq)}.heads.json`);
    for (const old of snapshotNames(dir).slice(KEPT)) fs.unlinkSync(`${dir}/${old}`);
  } catch {
    removeQuietly(temporary);
  }
}

/** Those that can be read, newest first. */
export function* readSnapshots(dir: string): Generator<Snapshot> {
  for (const name of snapshotNames(dir)) {
    const snapshot = readSnapshot(`${dir}/${name}`);
    if (snapshot !== null) yield snapshot;
  }
}

/** The newest, and one more in case a crash left that one incomplete. */
const KEPT = 2;
const NAME = /^\d{16}\.heads\.json$/;

function removeQuietly(path: string): void {
  try {
    fs.rmSync(path, { force: true });
  } catch {
    // it stays until the next snapshot replaces it
  }
}

function snapshotNames(dir: string): string[] {
  const names = fs.readdirSync(dir).filter((name) => NAME.test(name));
  return names.sort().reverse();
}

function readSnapshot(path: string): Snapshot | null {
  try {
    const [header = "", body = ""] = fs.readFileSync(path, "utf8").split("\n");
    const { firstSeq, prev, sha256 } = JSON.parse(header) as { firstSeq: number; prev: Sha; sha256: string };
    if (hash("sha256", body) !== sha256) return null;
    const rows = JSON.parse(body) as [Path, number, Sha | null][];
    return { firstSeq, prev, heads: rows.map(([path, seq, sha]) => [path, { seq, sha }]) };
  } catch {
    return null;
  }
}
