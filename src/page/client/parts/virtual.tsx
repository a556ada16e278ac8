// A long list of which only what is in sight is in the document.
import { useSignal } from "@preact/signals";
import type { ComponentChildren, JSX } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef } from "preact/hooks";

export interface VirtualProps {
  readonly count: number;
  /** Of one row, in pixels. */
  height(index: number): number;
  row(index: number): ComponentChildren;
  readonly class: string;
  readonly label: string;
  readonly role?: "listbox" | "region";
  readonly active?: string | undefined;
  /** Kept in sight. */
  readonly shown?: number | undefined;
  /** Entries that were put in front of all others: what is in sight stays where it is. */
  readonly before?: number;
  /** The row of an entry, where headings stand between them. */
  readonly rowOf?: (entry: number) => number;
  onEnd?(): void;
}

const AROUND = 400;
/** So far the list is scrolled before it is drawn anew. */
const STEP = 160;

export function Virtual(props: VirtualProps): JSX.Element {
  const { count, height, row, label, role = "region", active, shown, before = 0, rowOf = (entry) => entry } = props;
  const box = useRef<HTMLDivElement>(null);
  const top = useSignal(0);
  const view = useSignal(1000);
  const tops = useMemo(() => topsOf(count, height), [count, height]);
  const first = Math.max(0, indexAt(tops, top.value - AROUND));
  const last = Math.min(count, indexAt(tops, top.value + view.value + AROUND) + 1);

  useEffect(() => {
    const watch = new ResizeObserver(([seen]) => {
      view.value = seen!.contentRect.height;
    });
    watch.observe(box.current!);
    return () => watch.disconnect();
  }, []);
  const known = useRef(before);
  useLayoutEffect(() => {
    const added = before - known.current;
    known.current = before;
    if (added > 0 && top.value > 0) box.current!.scrollTop += tops[rowOf(added)]! - tops[rowOf(0)]!;
  }, [before]);
  useLayoutEffect(() => {
    const node = box.current!;
    if (shown === undefined || shown < 0 || shown >= count) return;
    const [from, to] = [tops[shown]!, tops[shown + 1]!];
    if (from < node.scrollTop) node.scrollTop = from;
    else if (to > node.scrollTop + node.clientHeight) node.scrollTop = to - node.clientHeight;
  }, [shown, count]);
  useEffect(() => {
    if (last >= count) props.onEnd?.();
  }, [last, count]);

  const rows: ComponentChildren[] = [];
  for (let index = first; index < last; index++) rows.push(row(index));
  return (
    // biome-ignore lint/a11y/useAriaPropsSupportedByRole: only a listbox is given an active option
    <div
      class={`virtual ${props.class}`}
      ref={box}
      tabIndex={0}
      role={role}
      aria-label={label}
      aria-activedescendant={active}
      onScroll={({ currentTarget }) => {
        top.value = Math.ceil(currentTarget.scrollTop / STEP) * STEP;
      }}
    >
      <div class="spacer" role="presentation" style={{ height: `${tops[count]}px` }}>
        <div class="rows" role="presentation" style={{ transform: `translateY(${tops[first] ?? 0}px)` }}>
          {rows}
        </div>
      </div>
    </div>
  );
}

function topsOf(count: number, height: (index: number) => number): Float64Array {
  const tops = new Float64Array(count + 1);
  for (let index = 0; index < count; index++) tops[index + 1] = tops[index]! + height(index);
  return tops;
}

/** The last row that begins at or above this place. */
function indexAt(tops: Float64Array, place: number): number {
  let [low, high] = [0, tops.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (tops[middle]! <= place) low = middle;
    else high = middle - 1;
  }
  return low;
}
