// One entry in the timeline: which file, how many lines, when; below it how, and of a refusal why.
import type { JSX } from "preact";
import type { EntryLine, Lines } from "../../wire.ts";
import { kind, lines, longTime, name, shortTime } from "../shown.ts";
import { deedOf } from "../state/news.ts";

const SIGNS: Readonly<Record<EntryLine["outcome"], readonly [sign: string, word: string]>> = {
  applied: ["●", "changed"],
  refused: ["✕", "refused"],
  external: ["◆", "changed outside stet"],
  aborted: ["○", "never happened"],
  note: ["·", "note"],
};

export interface RowProps {
  readonly line: EntryLine;
  readonly chosen: boolean;
  readonly several: boolean;
  onChoose(): void;
}

export function Row({ line, chosen, several, onChoose }: RowProps): JSX.Element {
  const [sign, word] = SIGNS[line.outcome];
  const did = deedOf(line);
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: the list has the focus, and names its active option
    // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are heard for the whole page
    <div
      id={idOf(line)}
      role="option"
      aria-selected={chosen}
      class={`entry ${line.outcome}${line.takenBackBy === undefined ? "" : " taken-back"}${line.reviewed ? " reviewed" : ""}`}
      onClick={onChoose}
    >
      <span class="first">
        <span class="sign" aria-hidden="true">
          {sign}
        </span>
        <b class="paths">{whatOf(line)}</b>
        <span class="hidden">
          {word} {line.outcome === "external" ? "" : `by ${name(line.agent ?? "unnamed")}`}
        </span>
        <Counts lines={line.lines} />
        {line.takenBackBy === undefined ? null : <span class="tag">taken back</span>}
        {line.takenBackBy === undefined && line.partsBack !== undefined ? (
          <span class="tag">a part taken back</span>
        ) : null}
        {line.reviewed ? (
          <span class="tag good" title="reviewed">
            ✓<span class="hidden"> reviewed</span>
          </span>
        ) : null}
        <time dateTime={line.at} title={longTime(line.at)}>
          {shortTime(line.at)}
        </time>
      </span>
      <span class="second">
        {several ? <span class="place">{name(line.w)}</span> : null}
        {line.error === undefined ? null : <em>{kind(line.error)}</em>}
        {did === undefined ? <code>{name(line.command ?? line.tool)}</code> : <span>{did}</span>}
        <span class="seq">{line.seq}</span>
      </span>
    </div>
  );
}

export function Counts({ lines: counted }: { readonly lines: Lines | undefined }): JSX.Element | null {
  if (counted === undefined) return null;
  return (
    <span class="stat">
      <ins>+{counted.insertions}</ins> <del>−{counted.deletions}</del>
    </span>
  );
}

export function idOf({ w, seq }: Pick<EntryLine, "w" | "seq">): string {
  return `e-${encodeURIComponent(w)}-${seq}`;
}

function whatOf({ paths, files, message, of, outcome }: EntryLine): string {
  const more = files > paths.length ? ` and ${files - paths.length} more` : "";
  if (paths.length > 0) return `${paths.map(name).join(", ")}${more}`;
  if (message !== undefined) return name(lines(message));
  return outcome === "note" && of !== undefined
    ? `about ${of.length === 1 ? "entry" : "entries"} ${of.slice(0, 20).join(", ")}`
    : "";
}
