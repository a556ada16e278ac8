// Prints data for programs and words for people: colour on a terminal, columns that line up, sizes in words.
import { styleText } from "node:util";
import { printable } from "../../core/printable.ts";
import type { Given, Terminal } from "../options/command.ts";
import { safeJson } from "./safe.ts";

export type Style = Parameters<typeof styleText>[0];

/** Data where --json asks for it, else words; returns the exit code of what is done. */
export function answer(terminal: Terminal, { json }: Pick<Given, "json">, data: unknown, words: string): number {
  terminal.out(json ? `${safeJson(data, 2)}\n` : words);
  return 0;
}

export function paint({ colour }: Pick<Terminal, "colour">, style: Style, text: string): string {
  return colour ? styleText(style, text, { validateStream: false }) : text;
}

/** Rows of cells, each column as wide as its widest cell, two spaces between; the last column is not padded. */
export function columns(rows: readonly (readonly string[])[]): string {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [at, cell] of row.entries()) widths[at] = Math.max(widths[at] ?? 0, visibleWidth(cell));
  }
  const padded = (row: readonly string[]): readonly string[] =>
    row.map((cell, at) => (at === row.length - 1 ? cell : cell + " ".repeat(widths[at]! - visibleWidth(cell))));
  return rows.map((row) => `${padded(row).join("  ").trimEnd()}\n`).join("");
}

/** Columns under dim headings. */
export function table(terminal: Terminal, headings: readonly string[], rows: readonly (readonly string[])[]): string {
  return columns([headings.map((name) => paint(terminal, "dim", name)), ...rows]);
}

/** One a line, two spaces in; beyond `max` how many more there are. */
export function shortList<T>(all: readonly T[], words: (each: T) => string, max = 10): string {
  const lines = all.slice(0, max).map((each) => `  ${words(each)}\n`);
  if (all.length > max) lines.push(`  … and ${all.length - max} more\n`);
  return lines.join("");
}

export function printWarnings(terminal: Terminal, warnings: readonly string[]): void {
  for (const warning of warnings) terminal.err(`${paint(terminal, "yellow", "warning:")} ${printable(warning)}\n`);
}

export function sizeInWords(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  const power = Math.min(4, Math.floor(Math.log2(bytes) / 10));
  return `${(bytes / 1024 ** power).toFixed(1)} ${["", "KiB", "MiB", "GiB", "TiB"][power]}`;
}

function visibleWidth(text: string): number {
  return [...text.replaceAll(/\u001b\[[0-9;]*m/g, "")].length;
}
