// One file through time: its history, any version, and the difference of any two.
import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import type { EntryLine, FileAnswer, FileTold, VersionAnswer, VersionLine } from "../../wire.ts";
import { ask } from "../api.ts";
import { Button } from "../parts/button.tsx";
import { Diffs } from "../parts/diff.tsx";
import { Empty, WhileLoading } from "../parts/states.tsx";
import { lines, name, shortTime, size } from "../shown.ts";
import { useLoaded } from "../state/loaded.ts";
import { go, route } from "../state/route.ts";
import { complain } from "../state/said.ts";
import { useNews } from "../state/timeline.ts";
import { choose } from "./timeline.tsx";

export function FileView(): JSX.Element {
  const { ws = "", file = "" } = route.value;
  const key = `${ws} ${file}`;
  const turn = useNews(key, (line) => line.w === ws && mayName(line, file));
  const loaded = useLoaded(key, (signal) => ask<FileAnswer>("file", { w: ws, path: file }, signal), turn);
  return (
    <section class="detail" id="detail" tabIndex={-1} aria-label="Detail">
      <header class="head">
        <h2>{name(file)}</h2>
      </header>
      <WhileLoading loaded={loaded}>{(answer) => <History key={file} w={ws} answer={answer} />}</WhileLoading>
    </section>
  );
}

/** A line has the first of its files only. */
function mayName({ outcome, paths, files }: EntryLine, file: string): boolean {
  return (outcome === "applied" || outcome === "external") && (paths.includes(file) || files > paths.length);
}

function History({ w, answer }: { readonly w: string; readonly answer: FileAnswer }): JSX.Element {
  const older = useSignal<readonly VersionLine[]>([]);
  const before = useSignal(answer.before);
  const all = [...answer.versions, ...older.value];
  const [newest] = all;
  const oldest = all.at(-1);
  const from = route.value.from ?? beforeNewest(all);
  const to = route.value.to ?? (newest === undefined ? "none" : nameOf(newest));
  const more = async (): Promise<void> => {
    try {
      const page = await ask<FileAnswer>("file", { w, path: answer.path, before: before.value });
      older.value = [...older.value, ...page.versions];
      before.value = page.before;
    } catch (error) {
      complain(error);
    }
  };
  if (newest === undefined) {
    return (
      <Empty>
        <p>The journal knows no change of this file. {answer.now === null ? "There is none of this name." : ""}</p>
      </Empty>
    );
  }
  return (
    <div class="history">
      <div class="versions">
        <table>
          <caption>
            {answer.now === null ? "The file is not there any more." : `The file has ${size(answer.now.size)} now.`}
          </caption>
          <thead>
            <tr>
              <th scope="col">from</th>
              <th scope="col">to</th>
              <th scope="col">when</th>
              <th scope="col">who</th>
              <th scope="col">entry</th>
            </tr>
          </thead>
          <tbody>
            {all.map((line) => (
              <VersionRow key={line.seq} w={w} line={line} version={nameOf(line)} from={from} to={to} />
            ))}
            {before.value === undefined ? (
              <VersionRow w={w} line={oldest!} version={nameOf(oldest!, true)} from={from} to={to} isBefore />
            ) : null}
          </tbody>
        </table>
        {before.value === undefined ? null : <Button onClick={() => more()}>Older versions</Button>}
      </div>
      {from === to ? (
        <OneVersion w={w} path={answer.path} sha={shaIn(to)} />
      ) : shaIn(from) === shaIn(to) ? (
        <Empty>Both versions have the same content.</Empty>
      ) : (
        <Two w={w} path={answer.path} from={shaIn(from)} to={shaIn(to)} />
      )}
    </div>
  );
}

/** Among those that are shown, where that is what the newest change began with. */
function beforeNewest([newest, second]: readonly VersionLine[]): string {
  if (newest === undefined) return "none";
  if (second === undefined) return nameOf(newest, true);
  return second.to === newest.from ? nameOf(second) : (newest.from ?? "none");
}

/** In the address: the entry, and the content that it left, or found. Two versions may have the same content. */
function nameOf({ seq, from, to }: VersionLine, isBefore = false): string {
  return isBefore ? `before${seq}.${from ?? "none"}` : `${seq}.${to ?? "none"}`;
}

function shaIn(version: string): string {
  return version.slice(version.indexOf(".") + 1);
}

interface VersionRowProps {
  readonly w: string;
  readonly line: VersionLine;
  readonly version: string;
  readonly from: string;
  readonly to: string;
  /** What was there before the oldest change that is known. */
  readonly isBefore?: true;
}

function VersionRow({ w, line, version, from, to, isBefore }: VersionRowProps): JSX.Element {
  const radio = (end: "from" | "to", now: string): JSX.Element => (
    <input
      type="radio"
      name={`version-${end}`}
      aria-label={`${end === "from" ? "compare from" : "compare to"} the version ${isBefore ? "before" : "of"} entry ${line.seq}`}
      checked={now === version}
      onChange={() => go({ from, to, [end]: version }, "replace")}
    />
  );
  return (
    <tr>
      <td>{radio("from", from)}</td>
      <td>{radio("to", to)}</td>
      <td>
        <Button class="plain" onClick={() => go({ from: version, to: version }, "replace")}>
          {isBefore ? "before" : shortTime(line.at)}
        </Button>
      </td>
      <td class="who">
        {isBefore ? "" : line.outcome === "external" ? "another program" : name(line.agent ?? line.tool)}
        {shaIn(version) === "none" ? " (no file)" : ""}
      </td>
      <td>
        <Button class="plain" onClick={() => choose({ w, seq: line.seq }, "push")}>
          {line.seq}
        </Button>
      </td>
    </tr>
  );
}

interface TwoProps {
  readonly w: string;
  readonly path: string;
  readonly from: string;
  readonly to: string;
}

function Two({ w, path, from, to }: TwoProps): JSX.Element {
  const loaded = useLoaded(`${w} ${path} ${from} ${to}`, (signal) =>
    ask<FileTold>("compare", { w, path, from, to }, signal),
  );
  return (
    <WhileLoading loaded={loaded}>
      {(file) => <Diffs w={w} files={[file]} label={`Difference of two versions of ${name(path)}`} />}
    </WhileLoading>
  );
}

function OneVersion({
  w,
  path,
  sha,
}: {
  readonly w: string;
  readonly path: string;
  readonly sha: string;
}): JSX.Element {
  const key = sha === "none" ? undefined : `${w} ${path} ${sha}`;
  const loaded = useLoaded(key, (signal) => ask<VersionAnswer>("version", { w, path, sha }, signal));
  if (key === undefined) return <Empty>There was no file then.</Empty>;
  return (
    <WhileLoading loaded={loaded}>
      {({ text, truncated, size: bytes }) =>
        text === undefined ? (
          <Empty>Binary, {size(bytes)}.</Empty>
        ) : (
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard
          <pre class="version" tabIndex={0}>
            {lines(text)}
            {truncated ? "\n… cut off here: the file is longer." : ""}
          </pre>
        )
      }
    </WhileLoading>
  );
}
