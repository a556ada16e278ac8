// A workspace with a long history, written down faster than it could be made.
import { hash } from "node:crypto";
import { readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { GENESIS } from "../../src/backends/journal/entry.ts";
import { forgetHead, opened } from "../support/forged.ts";
import { directoryWith } from "../support/workspace.ts";

const AGENTS = ["claude", "codex", "planner", "tester"];
const IN_SEGMENT = 12_000;

/** Every ninth was refused. */
export async function longHistory(count: number, files: Readonly<Record<string, string>>): Promise<string> {
  const root = directoryWith(files);
  const workspace = opened(root);
  await workspace.session({ agent: "claude" }).create("first.txt", "x\n");
  await workspace.close();
  forgetHead(root);
  const journal = join(root, ".stet/journal");
  for (const name of readdirSync(journal)) rmSync(join(journal, name));
  let prev: string = GENESIS;
  for (let first = 1; first <= count; first += IN_SEGMENT) {
    const lines: string[] = [];
    for (let seq = first; seq < first + IN_SEGMENT && seq <= count; seq++) {
      const open = lineOf(seq, prev);
      prev = hash("sha256", open);
      lines.push(`${open},"hash":"${prev}"}\n`);
    }
    writeFileSync(join(journal, `${String(first).padStart(16, "0")}.jsonl`), lines.join(""));
  }
  return root;
}

function lineOf(seq: number, prev: string): string {
  const at = new Date(Date.UTC(2026, 0, 1) + seq * 1000).toISOString();
  const who = `"session":"bulk-${seq % 7}","agent":"${AGENTS[seq % 4]}","tool":"edit_file"`;
  const what = seq % 9 === 0 ? `"outcome":"refused","error":"stale_file"` : `"outcome":"external"`;
  const paths = `"details":{"paths":["src/module-${seq % 900}/file-${seq % 31}.ts"]}`;
  return `{"seq":${seq},"at":"${at}",${who},${what},"changes":[],${paths},"prev":"${prev}"`;
}
