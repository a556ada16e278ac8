// What replays real edits, and what it counts.

export interface RealEngines {
  /** Undefined: refused. */
  replaceText(
    text: string,
    oldText: string,
    newText: string,
    options: { readonly replaceAll?: boolean; readonly seen?: boolean },
  ): string | undefined;
  replaceEdits(
    text: string,
    edit: { readonly old: string; readonly new: string; readonly all: boolean },
  ): string | undefined;
  parsePatch(text: string): { readonly sections: readonly RealSection[] };
  // biome-ignore lint/suspicious/noExplicitAny: plans of several kinds, of which only the texts matter
  planPatch(patch: any, read: (path: string) => string | null): readonly any[];
  relativeTo(spellings: readonly (readonly string[])[], raw: string, platform: "win32" | "linux"): string | undefined;
}

interface RealSection {
  readonly path: string;
  readonly hunks?: readonly { readonly lines: readonly { readonly sign: string }[] }[];
}

export interface RealFigures {
  readonly applied: { readonly calls: number; readonly differing: readonly string[] };
  readonly patches: {
    readonly calls: number;
    readonly parsed: number;
    readonly applied: number;
    /** With recorded files before and after. */
    readonly known: number;
    /** With a hunk of context only. */
    readonly locators: number;
    readonly not: readonly string[];
  };
  readonly refused: { readonly calls: number; readonly right: readonly string[]; readonly wrong: readonly string[] };
}

export const realEditsMissing: boolean;
export function replayRealEdits(engines: RealEngines): RealFigures;
