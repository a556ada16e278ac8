// Rows of several workspaces as a statement takes them: a list for each column.

/** What belongs to each of some workspaces, by their numbers. */
export type Of<T> = readonly (readonly [ws: number, of: T])[];

/** The numbers of the workspaces first, then each field of the rows. */
export function columns<T>(all: Of<readonly T[]>, ...fields: readonly ((row: T) => unknown)[]): unknown[][] {
  const rows = all.flatMap(([, of]) => of);
  return [all.flatMap(([ws, of]) => of.map(() => ws)), ...fields.map((field) => rows.map(field))];
}
