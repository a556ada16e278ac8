// The keys.
import { signal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { Button } from "../parts/button.tsx";

export const helping = signal(false);

const KEYS = [
  ["j k", "next, previous entry"],
  ["Enter", "read the entry"],
  ["u", "take back what is shown, after a preview"],
  ["r", "mark as reviewed, or not"],
  ["s", "side by side, or one column"],
  ["/", "search"],
  ["Esc", "close, or back to the timeline"],
  ["?", "these keys"],
] as const;

export function Help(): JSX.Element | null {
  const box = useRef<HTMLDialogElement>(null);
  const isOpen = helping.value;
  useEffect(() => {
    if (isOpen && box.current?.open === false) box.current.showModal();
  }, [isOpen]);
  if (!isOpen) return null;
  const close = (): void => {
    helping.value = false;
  };
  return (
    <dialog ref={box} class="help" aria-labelledby="help-title" onClose={close}>
      <h2 id="help-title">Keys</h2>
      <dl>
        {KEYS.map(([key, what]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      <Button autofocus onClick={close}>
        Close
      </Button>
    </dialog>
  );
}
