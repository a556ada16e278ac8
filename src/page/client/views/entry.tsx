// One entry: who, why, with which proof, what it did, what became of it, and the ways to take it back.
import { useSignal } from "@preact/signals";
import type { ComponentChildren, JSX } from "preact";
import { useLayoutEffect } from "preact/hooks";
import type { AboutIt, EntryAnswer, EntryLine, FileTold } from "../../wire.ts";
import { ask } from "../api.ts";
import { Button } from "../parts/button.tsx";
import { Diffs } from "../parts/diff.tsx";
import { WhileLoading } from "../parts/states.tsx";
import { kind, lines, longTime, name, plural, short } from "../shown.ts";
import { mayChange } from "../state/about.ts";
import { useLoaded } from "../state/loaded.ts";
import { deedOf } from "../state/news.ts";
import { mark } from "../state/review.ts";
import { filterBy, layout, open, route, toggleLayout } from "../state/route.ts";
import { complain } from "../state/said.ts";
import { previewOf } from "../state/takeback.ts";
import { opened, outdated } from "../state/timeline.ts";
import { ofWhom } from "../state/whose.ts";
import { choose } from "./timeline.tsx";

export function EntryView(): JSX.Element {
  const { ws = "", seq = "" } = route.value;
  const key = `${ws} ${seq}`;
  const loaded = useLoaded(key, (signal) => ask<EntryAnswer>("entry", { w: ws, seq }, signal), outdated.value);
  return (
    <section class="detail" id="detail" tabIndex={-1} aria-label="Detail">
      <WhileLoading loaded={loaded}>{(answer) => <Whole key={key} answer={answer} />}</WhileLoading>
    </section>
  );
}

function Whole({ answer }: { readonly answer: EntryAnswer }): JSX.Element {
  const { line } = answer;
  useLayoutEffect(() => {
    opened.value = line;
  }, [line]);
  const loadedWhole = useSignal<readonly FileTold[]>([]);
  const may = mayChange(line.w);
  const canUndo = may && (line.outcome === "applied" || line.outcome === "external");
  const title = `entry ${line.seq}`;
  const further = useSignal<Pick<EntryAnswer, "files" | "moreFiles">>({ files: [], moreFiles: answer.moreFiles });
  const all = [...answer.files, ...further.value.files];
  const files = all.map((file) => loadedWhole.value.find(({ path }) => path === file.path) ?? file);
  const loadFurther = async (): Promise<void> => {
    try {
      const next = await ask<EntryAnswer>("entry", { w: line.w, seq: line.seq, skip: all.length });
      further.value = { files: [...further.value.files, ...next.files], moreFiles: next.moreFiles };
    } catch (error) {
      complain(error);
    }
  };
  const loadAll = async ({ path }: FileTold): Promise<void> => {
    try {
      const whole = await ask<FileTold>("diff", { w: line.w, seq: line.seq, path });
      loadedWhole.value = [...loadedWhole.value, whole];
    } catch (error) {
      complain(error);
    }
  };
  return (
    <>
      <header class={`head ${line.outcome}`}>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard */}
        <div class="about" tabIndex={0}>
          <h2>{titleOf(line)}</h2>
          <Facts answer={answer} />
          {line.command === undefined ? null : <pre class="command">{lines(line.command)}</pre>}
          {line.outcome === "refused" ? <WhyRefused answer={answer} /> : null}
        </div>
        <div class="acts">
          {canUndo ? (
            <Button class="primary" onClick={() => previewOf(title, { w: line.w, entry: line.seq })}>
              Undo <kbd>u</kbd>
            </Button>
          ) : null}
          {may && line.outcome !== "note" ? (
            <Button pressed={line.reviewed} onClick={() => mark(line.w, [line.seq], !line.reviewed)}>
              {line.reviewed ? "✓ Reviewed" : "Mark reviewed"} <kbd>r</kbd>
            </Button>
          ) : null}
          {line.outcome === "external" ? null : (
            <Button onClick={() => open({ view: "net", ws: line.w, of: ofWhom({ session: line.session }) })}>
              All of this session
            </Button>
          )}
          {line.outcome === "external" || line.agent === undefined ? null : (
            <Button onClick={() => open({ view: "net", ws: line.w, of: ofWhom({ agent: line.agent }) })}>
              All of {name(line.agent)}
            </Button>
          )}
          {files.length === 0 ? null : (
            <Button pressed={layout.value === "split"} onClick={toggleLayout}>
              Side by side
            </Button>
          )}
        </div>
      </header>
      {files.length === 0 ? null : (
        <Diffs
          w={line.w}
          files={files}
          label={`Changes of entry ${line.seq}`}
          loadAll={loadAll}
          forFile={(file) => (
            <FileActs
              line={line}
              file={file}
              canUndo={canUndo && files.length > 1}
              isBack={answer.back.some(({ path, hunk }) => path === file.path && hunk === undefined)}
            />
          )}
          forHunk={(file, hunk) =>
            answer.back.some((part) => part.path === file.path && part.hunk === hunk) ? (
              <span class="tag">taken back</span>
            ) : canUndo && file.before !== null && file.after !== null && file.movedFrom === undefined ? (
              <Button
                class="small"
                onClick={() =>
                  void previewOf(`part ${hunk} of ${name(file.path)} in ${title}`, {
                    w: line.w,
                    entry: line.seq,
                    path: file.path,
                    hunk,
                  })
                }
              >
                Undo this part
              </Button>
            ) : null
          }
        />
      )}
      {further.value.moreFiles > 0 ? (
        <p class="foot">
          … and {plural(further.value.moreFiles, "more file")}.{" "}
          <Button class="small" onClick={() => loadFurther()}>
            Show more
          </Button>
        </p>
      ) : null}
    </>
  );
}

function FileActs(props: {
  readonly line: EntryLine;
  readonly file: FileTold;
  readonly canUndo: boolean;
  readonly isBack: boolean;
}): JSX.Element {
  const { line, file, isBack } = props;
  const what = { w: line.w, entry: line.seq, path: file.path };
  return (
    <>
      <Button class="small" onClick={() => open({ view: "file", ws: line.w, file: file.path })}>
        History
      </Button>
      {isBack ? <span class="tag">taken back</span> : null}
      {props.canUndo && !isBack ? (
        <Button class="small" onClick={() => previewOf(`${name(file.path)} of entry ${line.seq}`, what)}>
          Undo this file
        </Button>
      ) : null}
    </>
  );
}

function titleOf(line: EntryLine): string {
  const { outcome, error, tool, agent } = line;
  const did = deedOf(line);
  if (did !== undefined) return `${name(agent ?? "unnamed")} ${did}`;
  if (outcome === "refused") return `Refused: ${kind(error ?? "")}`;
  if (outcome === "external") return "Changed outside stet";
  if (outcome === "aborted") return "Never happened";
  return `${name(agent ?? "unnamed")}: ${name(tool)}`;
}

function WhyRefused({ answer }: { readonly answer: EntryAnswer }): JSX.Element {
  const { line } = answer;
  return (
    <div class="why">
      <p>
        Nothing was changed. {line.paths.length === 0 ? "" : "It was about "}
        {line.paths.map((path) => (
          <Button class="plain" key={path} onClick={() => open({ view: "file", ws: line.w, file: path })}>
            {name(path)}
          </Button>
        ))}
        {line.files > line.paths.length ? ` and ${line.files - line.paths.length} more` : ""}
      </p>
      {line.message === undefined ? null : (
        <p>
          Why: <q>{lines(line.message)}</q>
        </p>
      )}
      {answer.files.length === 0 ? null : <p>What had changed since the version that it named is below.</p>}
    </div>
  );
}

const HOW: Readonly<Record<AboutIt["how"], string>> = {
  undone: "taken back by",
  part: "a part taken back by",
  restored: "brought back by",
  reviewed: "reviewed in",
  named: "named in",
};

function Facts({ answer }: { readonly answer: EntryAnswer }): JSX.Element {
  const { line, hash, call, proofs, of, about, details } = answer;
  const link = (seq: number): JSX.Element => (
    <Button class="plain" key={seq} onClick={() => choose({ w: line.w, seq }, "push")}>
      {seq}
    </Button>
  );
  return (
    <dl>
      <Fact title="who">
        {line.outcome === "external" ? "another program, noticed by " : ""}
        {line.agent === undefined ? (
          line.outcome === "external" ? (
            ""
          ) : (
            "unnamed, "
          )
        ) : (
          <>
            <Button class="plain" onClick={() => filterBy({ agent: line.agent })}>
              {name(line.agent)}
            </Button>
            {", "}
          </>
        )}
        session{" "}
        <Button class="plain" onClick={() => filterBy({ session: line.session })}>
          {short(line.session)}
        </Button>
      </Fact>
      <Fact title="when">
        <time dateTime={line.at}>{longTime(line.at)}</time>
      </Fact>
      <Fact title="tool">
        {name(line.tool)}
        {call === undefined ? "" : `, call ${name(call)}`}
      </Fact>
      {proofs.length === 0 ? null : <Fact title="proof">{proofs.map(name).join(", ")}</Fact>}
      {of.length === 0 ? null : <Fact title="about">{of.slice(0, 20).map(link)}</Fact>}
      {about.map(({ seq, how, agent }) => (
        <Fact key={seq} title={HOW[how]}>
          {link(seq)}
          {agent === undefined ? "" : ` (${name(agent)})`}
        </Fact>
      ))}
      {line.outcome === "refused" || line.message === undefined ? null : (
        <Fact title="message">{name(line.message)}</Fact>
      )}
      {details.map(([key, value]) => (
        <Fact key={key} title={name(key)}>
          {name(value)}
        </Fact>
      ))}
      <Fact title="hash">
        <code title={hash}>{hash.slice(0, 16)}</code>
      </Fact>
    </dl>
  );
}

function Fact({ title, children }: { readonly title: string; readonly children: ComponentChildren }): JSX.Element {
  return (
    <div>
      <dt>{title}</dt>
      <dd>{children}</dd>
    </div>
  );
}
