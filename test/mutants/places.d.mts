export interface Place {
  readonly start: number;
  readonly end: number;
  readonly how: "before" | "block" | "comma";
}

export function placesOf(file: string, source: string): Place[];
export function marked(source: string, places: readonly Place[], first: number): string;
export function placeOf(places: readonly Place[], start: number): number;
