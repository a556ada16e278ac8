// What a session or an agent comes to, however many steps it took; and all of it taken back at once.
import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { ask } from "../api.ts";
import { Diffs } from "../parts/diff.tsx";
import { Empty, WhileLoading } from "../parts/states.tsx";
import { counted, longTime, name, short } from "../shown.ts";
import { mayChange } from "../state/about.ts";
import { layout, toggleLayout } from "../state/layout.ts";
import { useLoaded } from "../state/loaded.ts";
import { go, open, route } from "../state/route.ts";
import { complain } from "../state/said.ts";
import { done, previewOf } from "../state/takeback.ts";
import type { FileTold, NetAnswer } from "../wire.ts";

export function NetView(): JSX.Element {
  const { ws = "", of = "" } = route.value;
  const who = whoIn(of);
  const key = `${ws} ${of}`;
  const loaded = useLoaded(key, (signal) => ask<NetAnswer>("net", { w: ws, ...who.asked }, signal), done.value);
  return (
    <main class="detail" id="detail" tabIndex={-1}>
      <WhileLoading loaded={loaded}>{(answer) => <Net key={key} w={ws} who={who} answer={answer} />}</WhileLoading>
    </main>
  );
}

interface Whose {
  readonly title: string;
  readonly asked: { readonly session?: string; readonly agent?: string; readonly since?: string };
}

function whoIn(of: string): Whose {
  const value = of.slice(of.indexOf(":") + 1);
  if (of.startsWith("agent:")) return { title: `everything of ${name(value)}`, asked: { agent: value } };
  if (of.startsWith("since:")) return { title: `everything since ${longTime(value)}`, asked: { since: value } };
  return { title: `session ${short(value)}`, asked: { session: value } };
}

function Net(props: { readonly w: string; readonly who: Whose; readonly answer: NetAnswer }): JSX.Element {
  const { w, who, answer } = props;
  const wholes = useSignal<readonly FileTold[]>([]);
  const files = answer.files.map((file) => wholes.value.find(({ path }) => path === file.path) ?? file);
  const loadAll = async ({ path }: FileTold): Promise<void> => {
    try {
      const { files: found } = await ask<NetAnswer>("net", { w, ...who.asked, path });
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
        <h2>What {who.title} comes to</h2>
        <p>
          {counted(files.length, "file")}, <ins>+{sum("insertions")}</ins> <del>−{sum("deletions")}</del>, in{" "}
          {counted(answer.entries, "step")}
          {answer.takenBack > 0 ? `; ${counted(answer.takenBack, "step")} taken back since are left out` : ""}.
        </p>
        <div class="acts">
          {mayChange(w) && files.length > 0 ? (
            <button type="button" class="primary" onClick={() => void previewOf(who.title, { w, ...who.asked })}>
              Undo all of it <kbd>u</kbd>
            </button>
          ) : null}
          <button type="button" onClick={() => go({ ...who.asked, w, since: who.asked.since })}>
            Show its entries
          </button>
          <button type="button" aria-pressed={layout.value === "split"} onClick={toggleLayout}>
            Side by side
          </button>
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
          label={`Net changes of ${who.title}`}
          loadAll={loadAll}
          forFile={({ path }) => (
            <button type="button" class="small" onClick={() => open({ view: "file", ws: w, file: path })}>
              History
            </button>
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
  const who = whoIn(of);
  void previewOf(who.title, { w: ws, ...who.asked });
}
