// The keyboard: everything that is done often has a key, none of which is taken from a field that is typed in.

import type { EntryLine } from "../wire.ts";
import { mayChange } from "./state/about.ts";
import { mark } from "./state/review.ts";
import { open, route, toggleLayout } from "./state/route.ts";
import { asking, previewOf } from "./state/takeback.ts";
import { entries, opened } from "./state/timeline.ts";
import { helping } from "./views/help.tsx";
import { undoShown } from "./views/net.tsx";
import { chosenIndex, step } from "./views/timeline.tsx";

export function listenToKeys(): void {
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || asking.value !== undefined || helping.value) return;
    if (isTyping(event.target)) {
      if (event.key === "Escape") focusOn(".timeline");
      return;
    }
    const act = ACTS[event.key];
    if (act === undefined) return;
    if (event.key === "Enter" && event.target instanceof HTMLButtonElement) return;
    if (event.key.startsWith("Arrow") && !isInTimeline(event.target)) return;
    event.preventDefault();
    act();
  });
}

const ACTS: Readonly<Record<string, () => void>> = {
  j: () => step(1),
  ArrowDown: () => step(1),
  k: () => step(-1),
  ArrowUp: () => step(-1),
  Enter: () => focusOn("#detail"),
  Escape: toTimeline,
  u: undo,
  r: review,
  s: toggleLayout,
  "/": () => focusOn("#search"),
  "?": () => {
    helping.value = true;
  },
};

function undo(): void {
  if (route.value.view === "net") {
    undoShown();
    return;
  }
  const line = lineShown();
  if (line === undefined || !mayChange(line.w) || (line.outcome !== "applied" && line.outcome !== "external")) return;
  void previewOf(`entry ${line.seq}`, { w: line.w, entry: line.seq });
}

function review(): void {
  const line = lineShown();
  if (line !== undefined && line.outcome !== "note" && mayChange(line.w)) void mark(line.w, [line.seq], !line.reviewed);
}

/** The filters may leave out the entry that is open. */
function lineShown(): EntryLine | undefined {
  const { view, ws, seq } = route.value;
  const isOpen = view === "entry" && opened.value?.w === ws && String(opened.value?.seq) === seq;
  return entries.value[chosenIndex()] ?? (isOpen ? opened.value : undefined);
}

/** On a narrow screen it is hidden while something is open. */
function toTimeline(): void {
  const isHidden = document.querySelector<HTMLElement>(".timeline-side")?.offsetParent === null;
  if (isHidden) open({});
  else focusOn(".timeline");
}

function focusOn(selector: string): void {
  document.querySelector<HTMLElement>(selector)?.focus();
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.matches("input, select, textarea");
}

function isInTimeline(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.closest(".timeline") !== null || target === document.body);
}
