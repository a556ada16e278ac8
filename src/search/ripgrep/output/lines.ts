// Reads `path NUL line ":" text newline`, as ripgrep prints lines: for plain words, whose places JavaScript finds at once.
// JSON takes twice as many bytes to say it, and a note of every match to make it.
import { isAscii, isUtf8 } from "node:buffer";
import type { Path } from "../../../core/backend.ts";
import { charactersIn } from "../../../kernel/read/columns.ts";
import { LARGEST } from "../../fallback/grep.ts";
import type { GrepHit } from "../../grep.ts";
import type { FileHits, Wanted } from "../../results.ts";
import type { Scope } from "../../scope.ts";
import { decoded } from "../files.ts";
import type { Accepts, Collector } from "../grep.ts";
import { RipgrepUnable } from "../process.ts";

export const LINE_ARGUMENTS: readonly string[] = [
  "--null",
  "--with-filename",
  "--line-number",
  "--no-heading",
  "--color=never",
];

/** One hit a line, of a word whose first place is the first place of its characters. Named files are not told to be binary. */
export function isPlain({ at }: Scope, { pattern, mode, firstPerLine, before, after, ends, paths }: Wanted): boolean {
  if (mode !== "lines" || !firstPerLine || before + after > 0 || ends !== undefined) return false;
  if (at.kind === "file" || paths !== undefined || pattern.multiline || !pattern.caseSensitive) return false;
  return PRINTABLE.test(pattern.text) && (pattern.literal || !MEANING.test(pattern.text));
}

const PRINTABLE = /^[\x20-\x7e]+$/;
const MEANING = /[\\^$.|?*+()[\]{}]/;

export function hitsFromLines({ pattern: { text: word }, enough }: Wanted, accepts: Accepts): Collector {
  const files: FileHits[] = [];
  let number = 0;
  let held: Buffer[] = [];
  let size = 0;
  /** Of the file whose lines come: as it is printed, and its hits if they are wanted. */
  let name = "";
  let prefix = "\0";
  let current: { readonly path: Path; readonly hits: GrepHit[] } | undefined;

  function begin(printed: string): void {
    end();
    name = printed;
    prefix = `${printed}\0`;
    const path = decoded(printed);
    current = path !== undefined && accepts(path) ? { path, hits: [] } : undefined;
  }

  function end(): void {
    if (current === undefined || current.hits.length === 0) return;
    files.push({ path: current.path, count: current.hits.length, hits: current.hits });
    number += current.hits.length;
    current = undefined;
  }

  /** Where it goes on behind what was said of the file in words; -1 when nothing was. */
  function afterWarning(output: string, from: number): number {
    if (name === "" || !output.startsWith(name, from) || !output.startsWith(BINARY, from + name.length)) return -1;
    current = undefined;
    return output.indexOf("\n", from) + 1;
  }

  /** How much of the output was taken: all that is whole. */
  function records(bytes: Buffer): { readonly taken: number; readonly enough: boolean } {
    const output = bytes.toString("latin1");
    const plain = isAscii(bytes);
    for (let from = 0; ; ) {
      let line = from + prefix.length;
      if (!output.startsWith(prefix, from)) {
        const next = afterWarning(output, from);
        if (next > 0) {
          from = next;
          continue;
        }
        const nul = output.indexOf("\0", from);
        if (next === 0 || nul === -1) return { taken: from, enough: false };
        begin(output.slice(from, nul));
        if (number >= enough) return { taken: from, enough: true };
        line = nul + 1;
      }
      const start = output.indexOf(":", line) + 1;
      const stop = start === 0 ? -1 : output.indexOf("\n", start);
      if (stop === -1) return { taken: from, enough: false };
      current?.hits.push(hitAt(bytes, output, current.path, { line, start, stop, plain }));
      from = stop + 1;
    }
  }

  function hitAt(bytes: Buffer, output: string, path: Path, at: Place): GrepHit {
    const { line, start, stop } = at;
    const raw = output.slice(start, stop);
    const text = at.plain || !BEYOND_ASCII.test(raw) ? raw : textOf(bytes.subarray(start, stop), raw);
    const place = text.indexOf(word);
    const column = (text === raw ? place : charactersIn(text.slice(0, place))) + 1;
    return { path, line: Number.parseInt(output.slice(line, start), 10), column, text, before: NONE, after: NONE };
  }

  function hold(bytes: Buffer): void {
    held.push(bytes);
    size += bytes.length;
    if (size > LARGEST) throw new RipgrepUnable("a line is too long to be held");
  }

  return {
    take(chunk) {
      if (!chunk.includes(LF)) {
        hold(chunk);
        return undefined;
      }
      const bytes = held.length === 0 ? chunk : Buffer.concat([...held, chunk]);
      held = [];
      size = 0;
      const { taken, enough: isEnough } = records(bytes);
      if (isEnough || (current?.hits.length ?? 0) >= enough) return "stop";
      hold(bytes.subarray(taken));
      return undefined;
    },
    number: () => number,
    found() {
      end();
      return { files, cut: false };
    },
  };
}

interface Place {
  readonly line: number;
  readonly start: number;
  readonly stop: number;
  /** All around is ASCII. */
  readonly plain: boolean;
}

const LF = 10;
const NONE: readonly [] = [];
const BINARY = ": WARNING: stopped searching binary file";
const BEYOND_ASCII = /[\x80-\xff]/;

/** A line that is not UTF-8 is shown as Latin-1: nothing gets lost. */
function textOf(bytes: Buffer, latin1: string): string {
  return isUtf8(bytes) ? bytes.toString() : latin1;
}
