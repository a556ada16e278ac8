// The files that the servers work on: each server gets a copy of its own, made in the same way.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** 1 KB of text, and the line that edits change. */
export function makeSmall(root, files) {
  mkdirSync(root, { recursive: true });
  for (let n = 0; n < files; n++) writeFileSync(join(root, `file-${n}.txt`), smallText(0));
}

export function lineOf(n) {
  return `count = ${String(n).padStart(6, "0")}`;
}

function smallText(n) {
  const line = "The quick brown fox jumps over the lazy dog, and nobody minds.\n";
  return `${line.repeat(8)}${lineOf(n)}\n${line.repeat(7)}`;
}

/** As wide as a real tree: 20 files in a directory, three levels; one file in 250 is looked for. */
export function makeWide(root, files) {
  for (let n = 0; n < files; n++) {
    const unit = Math.floor(n / 20);
    const folder = join(
      root,
      `area-${unit % 10}`,
      `part-${Math.floor(unit / 10) % 25}`,
      `unit-${Math.floor(unit / 250)}`,
    );
    if (n % 20 === 0) mkdirSync(folder, { recursive: true });
    const name = n % 250 === 7 ? `needle-${n}.txt` : `file-${n}.js`;
    writeFileSync(join(folder, name), `export const value = ${n};\n`);
  }
  return "**/needle-*.txt";
}
