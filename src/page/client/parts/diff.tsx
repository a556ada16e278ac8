// Diffs of files below one another, in one list: unified or side by side, with colours and word marks.
import type { ComponentChildren, JSX } from "preact";
import { useMemo } from "preact/hooks";
import type { FileTold } from "../../wire.ts";
import { coloured, hasColours, tokensOf } from "../diff/colours.ts";
import { languageOf } from "../diff/languages.ts";
import { type DiffRow, rowsOf, type Side } from "../diff/parse.ts";
import { marksIn, piecesOf } from "../diff/words.ts";
import { lines } from "../shown.ts";
import { isNarrow, layout } from "../state/route.ts";
import { Button } from "./button.tsx";
import { FileHead } from "./file-head.tsx";
import { Pictures } from "./pictures.tsx";
import { Virtual } from "./virtual.tsx";

export interface DiffsProps {
  readonly w: string;
  readonly files: readonly FileTold[];
  readonly label: string;
  /** Buttons for a file, and for a hunk of it. */
  readonly forFile?: (file: FileTold) => ComponentChildren;
  readonly forHunk?: (file: FileTold, number: number) => ComponentChildren;
  /** Loads what was cut off. */
  readonly loadAll?: (file: FileTold) => void;
}

type Row =
  | { readonly row: "file"; readonly file: FileTold }
  | { readonly row: "pictures"; readonly file: FileTold }
  | { readonly row: "cut"; readonly file: FileTold }
  | (DiffRow & { readonly file: FileTold });

const HEIGHTS: Readonly<Record<Row["row"], number>> = { file: 44, pictures: 260, cut: 40, hunk: 28, one: 20, pair: 20 };

export function Diffs(props: DiffsProps): JSX.Element {
  const how = layout.value;
  const rows = useMemo(() => props.files.flatMap((file) => rowsFor(file)), [props.files, how]);
  const heights = isNarrow.value ? { ...HEIGHTS, file: 70 } : HEIGHTS;
  const height = useMemo(() => (index: number) => heights[rows[index]!.row], [rows, isNarrow.value]);
  const made = useMemo(() => new Map<number, JSX.Element>(), [rows]);
  /** The very same element is not looked at again: of what scrolls by, only what is new costs anything. */
  const lineAt = (index: number): JSX.Element => {
    const row = rows[index]!;
    const known = made.get(index);
    if (known !== undefined) return known;
    const element = <DiffLine key={index} row={row} {...props} />;
    if (row.row === "one" || row.row === "pair") made.set(index, element);
    return element;
  };
  return <Virtual class={`diff ${how}`} label={props.label} count={rows.length} height={height} row={lineAt} />;

  function rowsFor(file: FileTold): Row[] {
    const head: Row[] = [{ row: "file", file }];
    if ("left" in file.diff) {
      const isPicture = file.diff.left === "binary" && PICTURE.test(file.path);
      return [...head, { row: isPicture ? "pictures" : "cut", file }];
    }
    const cut: Row[] = file.diff.truncated ? [{ row: "cut", file }] : [];
    return [...head, ...rowsOf(file.diff.text, how).map((row) => ({ ...row, file })), ...cut];
  }
}

const PICTURE = /\.(?:png|jpe?g|gif|webp|bmp|avif)$/i;

function DiffLine({ row, ...props }: DiffsProps & { readonly row: Row }): JSX.Element {
  const { file } = row;
  switch (row.row) {
    case "file":
      return <FileHead file={file}>{props.forFile?.(file)}</FileHead>;
    case "pictures":
      return <Pictures w={props.w} file={file} />;
    case "cut":
      return (
        <div class="cut">
          {"left" in file.diff ? whyLeft(file) : "This diff is long and was cut off here."}
          {props.loadAll && mayLoad(file) ? <Button onClick={() => props.loadAll!(file)}>Load all of it</Button> : null}
        </div>
      );
    case "hunk":
      return (
        <div class="hunk">
          <span>{row.text}</span>
          {"left" in file.diff ? null : props.forHunk?.(file, row.number)}
        </div>
      );
    case "one":
      return (
        <div class="pair">
          <Line side={row.side} language={languageOf(file.path)} other={row.other} />
        </div>
      );
    default:
      return (
        <div class="pair">
          <Line side={row.left} language={languageOf(file.path)} />
          <Line side={row.right} language={languageOf(file.path)} />
        </div>
      );
  }
}

function mayLoad({ diff }: FileTold): boolean {
  return !("left" in diff) || diff.left === "not looked at" || diff.left === "too large";
}

const WHY: Readonly<Record<string, string>> = {
  binary: "Binary: there are no lines to compare.",
  "too large": "Too large to compare line by line.",
  "not kept": "These versions are no longer kept.",
  damaged: "A kept version cannot be read, or is not what its name says.",
  "not looked at": "Not loaded: there is too much to show all at once.",
  purged: "Left out: it tells of a file that was deleted for good.",
};

function whyLeft({ diff }: FileTold): string {
  if (!("left" in diff)) return "";
  return WHY[diff.left] ?? "Hidden by the policy.";
}

const SIGNS = { same: " ", add: "+", del: "−" } as const;

interface LineProps {
  readonly side: Side | undefined;
  readonly language: string | undefined;
  readonly other?: number | undefined;
}

function Line({ side, language, other }: LineProps): JSX.Element {
  if (side === undefined) return <span class="line none" />;
  const { kind, no, text, twin, noEnd } = side;
  const isPlain = lines(text) === text;
  // Looked at again when colours have come.
  if (!hasColours(text, language)) void coloured.value;
  const marks = twin === undefined || !isPlain ? [] : marksIn(text, twin);
  const tokens = isPlain ? tokensOf(text, language) : ([["", lines(text)]] as const);
  return (
    <span class={`line ${kind}`}>
      {layout.value === "split" ? null : (
        <span class="no" aria-hidden="true">
          {other ?? (kind === "del" ? no : "")}
        </span>
      )}
      <span class="no" aria-hidden="true">
        {kind === "del" && layout.value === "unified" ? "" : no}
      </span>
      <span class="sign">{SIGNS[kind]}</span>
      <code>
        {piecesOf(tokens, marks).map(({ text: piece, colour, marked }) =>
          marked ? (
            <mark class={colour}>{piece}</mark>
          ) : colour === undefined ? (
            piece
          ) : (
            <span class={colour}>{piece}</span>
          ),
        )}
        {noEnd ? (
          <span class="no-end" title="no line end at the end of the file">
            {" "}
            ⊘
          </span>
        ) : null}
      </code>
    </span>
  );
}
