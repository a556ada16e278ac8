// How commands print: colour where a person looks, columns that line up, sizes in words.
import { styleText } from "node:util";
import type { Terminal } from "../options/command.ts";
import { safeJson } from "./safe.ts";

export type Style = Parameters<typeof styleText>[0];

export function paint({ colour }: Pick<Terminal, "colour">, style: Style, text: string): string {
  return colour ? styleText(style, text, { validateStream: false }) : text;
}

/** Rows of cells, each column as wide as its widest cell, two spaces apart; the last column is not padded. */
export function columns(rows: readonly (readonly string[])[]): string {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [at, cell] of row.entries()) widths[at] = Math.max(widths[at] ?? 0, visibleWidth(cell));
  }
  return rows
    .map((row) =>
      row
        .map((cell, at) => (at === row.length - 1 ? cell : cell + " ".repeat(widths[at]! - visibleWidth(cell))))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

export function printJson(terminal: Terminal, value: unknown): void {
  terminal.out(`${safeJson(value, 2)}\n`);
}

export function sizeInWords(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  const power = Math.min(4, Math.floor(Math.log2(bytes) / 10));
  return `${(bytes / 1024 ** power).toFixed(1)} ${["", "KiB", "MiB", "GiB", "TiB"][power]}`;
}

function visibleWidth(text: string): number {
  return [...text.replaceAll(/\u001b\[[0-9;]*m/g, "")].length;
}
