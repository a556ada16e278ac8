export interface Sentence {
  readonly quote: string;
  readonly stories: readonly string[];
  readonly why: string | undefined;
}
export const SEEDS: readonly string[];
export function sentencesOf(seed: string): readonly Sentence[];
export function proofsOf(seed: string): readonly { readonly story: string; readonly said: string }[];
export function seedText(seed: string): string | undefined;
export function squeezed(text: string): string;
