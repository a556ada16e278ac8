// The preview of what would be taken back, and the yes to it; conflicts with both sides.
import type { JSX } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import type { Conflict, PreviewAnswer, Refused } from "../../wire.ts";
import { Button } from "../parts/button.tsx";
import { Diffs } from "../parts/diff.tsx";
import { Waiting } from "../parts/states.tsx";
import { lines, name, plural } from "../shown.ts";
import { type Asking, asking, closeAsking, previewAgain, previewMerged, takeBack } from "../state/takeback.ts";
import { choose } from "./timeline.tsx";

export function TakeBack(): JSX.Element | null {
  const now = asking.value;
  const box = useRef<HTMLDialogElement>(null);
  const isOpen = now !== undefined;
  useLayoutEffect(() => {
    if (isOpen && box.current?.open === false) box.current.showModal();
  }, [isOpen]);
  if (now === undefined) return null;
  return (
    <dialog ref={box} class="take-back" aria-labelledby="take-back-title" onClose={closeAsking}>
      <h2 id="take-back-title">Take back {now.title}</h2>
      <Body now={now} />
    </dialog>
  );
}

function Body({ now }: { readonly now: Asking }): JSX.Element {
  if (now.preview !== undefined) return <Preview w={now.what.w} preview={now.preview} busy={now.busy} />;
  if (now.refused !== undefined) return <No now={now} refused={now.refused} />;
  return <Waiting>Looking what would happen…</Waiting>;
}

function Preview(props: { readonly w: string; readonly preview: PreviewAnswer; readonly busy: boolean }): JSX.Element {
  const { preview, busy } = props;
  const { count, files, undone, warnings } = preview;
  return (
    <>
      <p>
        {count === 0
          ? "Nothing is left to take back: the files are as they were."
          : `${plural(count, "file")} would change, for ${plural(undone.length, "entry", "entries")}. This is itself an entry, and can be undone.`}
      </p>
      {warnings.map((warning) => (
        <p class="warn" key={warning}>
          {name(warning)}
        </p>
      ))}
      <Diffs w={props.w} files={files} label="What would change" />
      <div class="acts">
        <Yes disabled={busy} onClick={() => void takeBack()}>
          Take back
        </Yes>
        <Button onClick={closeAsking}>Cancel</Button>
      </div>
    </>
  );
}

function No({ now, refused }: { readonly now: Asking; readonly refused: Refused }): JSX.Element {
  const { message, next, path, later = [], conflicts = [], kind } = refused;
  const mayMerge = refused.later !== undefined && now.what.merge !== true && now.what.hunk === undefined;
  const mayLookAgain = kind === "stale_file" && refused.later === undefined && refused.isTakenBack !== true;
  return (
    <>
      <div role="alert" class="why">
        <p>
          <b>Nothing was changed.</b> {name(message)}
        </p>
        {mayMerge || next === undefined ? null : <p>{name(next)}</p>}
      </div>
      {later.length === 0 ? null : (
        <p>
          Later entries:{" "}
          {later.slice(-10).map((seq) => (
            <Button
              class="plain"
              key={seq}
              onClick={() => {
                closeAsking();
                choose({ w: now.what.w, seq }, "push");
              }}
            >
              {seq}
            </Button>
          ))}
        </p>
      )}
      {conflicts.map((conflict, n) => (
        <Sides key={n} path={path ?? ""} conflict={conflict} />
      ))}
      <div class="acts">
        {mayMerge ? (
          <Yes disabled={now.busy} onClick={() => void previewMerged()}>
            Keep later changes, take back only these lines
          </Yes>
        ) : null}
        {mayLookAgain ? (
          <Yes disabled={now.busy} onClick={() => void previewAgain()}>
            Look at the preview again
          </Yes>
        ) : null}
        <Button onClick={closeAsking}>Close</Button>
      </div>
    </>
  );
}

interface YesProps {
  readonly disabled: boolean;
  readonly children: string;
  onClick(): void;
}

/** Has the focus as soon as it is there: Enter is the yes. */
function Yes({ disabled, children, onClick }: YesProps): JSX.Element {
  const button = useRef<HTMLButtonElement>(null);
  useLayoutEffect(() => button.current?.focus(), []);
  return (
    <button type="button" ref={button} class="primary" disabled={disabled} onClick={onClick}>
      {children}
    </button>
  );
}

function Sides({ path, conflict }: { readonly path: string; readonly conflict: Conflict }): JSX.Element {
  const side = (title: string, text: string): JSX.Element => (
    <figure>
      <figcaption>{title}</figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard */}
      <pre tabIndex={0}>{text === "" ? "(no lines)" : lines(text)}</pre>
    </figure>
  );
  return (
    <div class="sides">
      <p>
        {name(path)}, line {conflict.line}
      </p>
      {side("as it is now", conflict.inFile)}
      {side("as it would be again", conflict.wanted)}
    </div>
  );
}
