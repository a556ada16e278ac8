// How many there are of what a cut list shows only the first of.

interface Amount {
  readonly total?: number | undefined;
  /** Where the search ended before everything was read. */
  readonly atLeast?: number | undefined;
}

/** "12", or "at least 12"; undefined where nothing is known. */
export function howMany({ total, atLeast }: Amount): string | undefined {
  if (total !== undefined) return `${total}`;
  return atLeast === undefined ? undefined : `at least ${atLeast}`;
}

/** " of 12", to stand behind how many are shown. */
export function ofHowMany(amount: Amount): string {
  const many = howMany(amount);
  return many === undefined ? "" : ` of ${many}`;
}
