export interface Mutant {
  readonly file: string;
  readonly line: number;
  readonly start: number;
  readonly end: number;
  readonly text: string;
  readonly what: string;
}

export function mutantsOf(file: string, source: string): Mutant[];
