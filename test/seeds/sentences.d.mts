export interface Sentence {
  readonly quote: string;
  readonly tests: readonly string[];
  readonly why: string | undefined;
}
export const SEEDS: readonly string[];
export function sentencesOf(seed: string): readonly Sentence[];
export function seedText(seed: string): string | undefined;
export function titlesOf(seed: string): ReadonlySet<string>;
export function squeezed(text: string): string;
