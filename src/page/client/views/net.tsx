// What a session, an agent or a time comes to, however many steps it took; and all of it taken back at once.
import { signal } from "@preact/signals";
import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import type { EntryLine, FileTold, NetAnswer } from "../../wire.ts";
import { ask } from "../api.ts";
import { Button } from "../parts/button.tsx";
import { Diffs } from "../parts/diff.tsx";
import { Empty, Failed, WhileLoading } from "../parts/states.tsx";
import { TimeField } from "../parts/time-field.tsx";
import { name, plural } from "../shown.ts";
import { mayChange } from "../state/about.ts";
import { useLoaded } from "../state/loaded.ts";
import { filterBy, layout, open, route, toggleLayout } from "../state/route.ts";
import { complain } from "../state/said.ts";
import { done, previewOf } from "../state/takeback.ts";
import { useNews } from "../state/timeline.ts";
import { ofWhom, titleOf, type Whose, whoseIn } from "../state/whose.ts";

export function NetView(): JSX.Element {
  const { ws = "", of = "" } = route.value;
  const whose = whoseIn(of);
  const key = `${ws} ${of}`;
  const loaded = useLoaded(key, (signal) => ask<NetAnswer>("net", { w: ws, ...whose }, signal), done.value);
  const { value, error, again } = loaded;
  const news = useNews(key, (line) => line.w === ws && isStep(line, whose));
  const seen = useMemo(() => news, [value]);
  const isTooMuch = error?.kind === "too_many_files";
  return (
    <section class="detail" id="detail" tabIndex={-1} aria-label="Detail">
      {isTooMuch ? (
        <Failed why={error}>
          <Shorter ws={ws} whose={whose} />
        </Failed>
      ) : (
        <WhileLoading loaded={loaded}>
          {(answer) => <Net key={key} w={ws} whose={whose} answer={answer} isOlder={news > seen} again={again} />}
        </WhileLoading>
      )}
    </section>
  );
}

/** Whether the sum would be another with it. */
function isStep({ outcome, agent, session, tool }: EntryLine, whose: Whose): boolean {
  if (whose.until !== undefined || (outcome !== "applied" && outcome !== "external") || tool === "page") return false;
  return (whose.agent ?? agent) === agent && (whose.session ?? session) === session;
}

/** More steps than are added up: fewer of them are. */
function Shorter({ ws, whose }: { readonly ws: string; readonly whose: Whose }): JSX.Element {
  const pick = (field: "since" | "until") => (value: string | undefined) =>
    open({ view: "net", ws, of: ofWhom({ ...whose, [field]: value }) });
  return (
    <div class="fields">
      <TimeField label="From" value={whose.since} onTaken={pick("since")} />
      <TimeField label="To" value={whose.until} onTaken={pick("until")} />
    </div>
  );
}

interface NetProps {
  readonly w: string;
  readonly whose: Whose;
  readonly answer: NetAnswer;
  readonly isOlder: boolean;
  again(): void;
}

function Net({ w, whose, answer, isOlder, again }: NetProps): JSX.Element {
  const title = titleOf(whose);
  const wholes = useMemo(() => signal<readonly FileTold[]>([]), [answer]);
  const files = answer.files.map((file) => wholes.value.find(({ path }) => path === file.path) ?? file);
  const loadAll = async ({ path }: FileTold): Promise<void> => {
    try {
      const { files: found } = await ask<NetAnswer>("net", { w, ...whose, path });
      wholes.value = [...wholes.value, ...found];
    } catch (error) {
      complain(error);
    }
  };
  const sum = (of: "insertions" | "deletions"): number =>
    files.reduce((all, { diff }) => all + ("left" in diff ? 0 : diff[of]), 0);
  return (
    <>
      <header class="head">
        <h2>What {title} comes to</h2>
        <p>
          {plural(files.length, "file")}, <ins>+{sum("insertions")}</ins> <del>−{sum("deletions")}</del>, in{" "}
          {plural(answer.entries, "step")}
          {answer.takenBack > 0 ? `; ${plural(answer.takenBack, "step")} taken back since left out` : ""}.
        </p>
        {isOlder ? (
          <p role="status">
            There are newer steps.{" "}
            <Button class="small" onClick={again}>
              Add them up too
            </Button>
          </p>
        ) : null}
        <div class="acts">
          {mayChange(w) && files.length > 0 ? (
            <Button class="primary" onClick={() => previewOf(title, { w, ...whose })}>
              Undo all of it <kbd>u</kbd>
            </Button>
          ) : null}
          <Button
            onClick={() =>
              filterBy({ w, agent: whose.agent, session: whose.session, since: whose.since, until: whose.until })
            }
          >
            Show its entries
          </Button>
          <Button pressed={layout.value === "split"} onClick={toggleLayout}>
            Side by side
          </Button>
        </div>
      </header>
      {files.length === 0 ? (
        <Empty>
          <p>Nothing is left of it: every file is as it was.</p>
        </Empty>
      ) : (
        <Diffs
          w={w}
          files={files}
          label={`Net changes of ${title}`}
          loadAll={loadAll}
          forFile={({ path }) => (
            <>
              <Button class="small" onClick={() => open({ view: "file", ws: w, file: path })}>
                History
              </Button>
              {mayChange(w) && files.length > 1 ? (
                <Button class="small" onClick={() => previewOf(`${name(path)} of ${title}`, { w, ...whose, path })}>
                  Undo this file
                </Button>
              ) : null}
            </>
          )}
        />
      )}
      {answer.moreFiles > 0 ? <p class="state">… and {answer.moreFiles} more files.</p> : null}
    </>
  );
}

/** For the keyboard: what is shown is what is meant. */
export function undoShown(): void {
  const { ws, of } = route.value;
  if (ws === undefined || of === undefined || !mayChange(ws)) return;
  const whose = whoseIn(of);
  void previewOf(titleOf(whose), { w: ws, ...whose });
}
