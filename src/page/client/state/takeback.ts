// Taking back: asked for, previewed, and then done just so; or refused, with both sides where lines conflict.
import { signal } from "@preact/signals";
import type { AppliedAnswer, PreviewAnswer, Refused, UndoAsked } from "../../wire.ts";
import { tell } from "../api.ts";
import { plural } from "../shown.ts";
import { complain, heed, refusedOf, say } from "./said.ts";

export interface Asking {
  readonly what: UndoAsked;
  /** "entry 12", "everything of codex". */
  readonly title: string;
  readonly preview?: PreviewAnswer;
  readonly refused?: Refused;
  readonly busy: boolean;
}

/** Grows whenever something was taken back: sums of changes are another. */
export const done = signal(0);

export const asking = signal<Asking | undefined>(undefined);

export async function previewOf(title: string, what: UndoAsked): Promise<void> {
  asking.value = { what, title, busy: true };
  try {
    const preview = await tell<PreviewAnswer>("preview", what);
    if (asking.value?.what === what) asking.value = { what, title, preview, busy: false };
  } catch (error) {
    refuse({ what, title }, error);
  }
}

export async function previewAgain(): Promise<void> {
  const now = asking.value;
  if (now !== undefined) await previewOf(now.title, { ...now.what });
}

/** Later changes stay: only the lines in question go back. */
export async function previewMerged(): Promise<void> {
  const now = asking.value;
  if (now !== undefined) await previewOf(now.title, { ...now.what, merge: true });
}

export async function takeBack(): Promise<void> {
  const now = asking.value;
  if (now?.preview === undefined || now.busy) return;
  asking.value = { ...now, busy: true };
  const { preview, undone } = now.preview;
  try {
    const { entry, files, warnings } = await tell<AppliedAnswer>("undo", { ...now.what, preview, undone });
    if (asking.value?.what === now.what) asking.value = undefined;
    done.value++;
    const how = entry === undefined ? "Nothing was left to take back" : `Taken back as entry ${entry}`;
    say([`${how}: ${now.title}, ${plural(files, "file")}.`, ...warnings].join(" "));
  } catch (error) {
    refuse(now, error);
  }
}

export function closeAsking(): void {
  asking.value = undefined;
}

/** Said in the dialog; where that was closed or is about another thing meanwhile, aloud. */
function refuse({ what, title }: Pick<Asking, "what" | "title">, error: unknown): void {
  if (heed(error)) return;
  if (asking.value?.what !== what) complain(error);
  else asking.value = { what, title, refused: refusedOf(error), busy: false };
}
