// A small linearizability checker for one compare-and-swap register: is there an order of the calls that explains all results?

export interface Call {
  readonly start: number;
  readonly end: number;
  readonly action:
    | { readonly read: string }
    | { readonly swap: readonly [from: string, to: string]; readonly done: boolean };
}

/** Wing and Gong's search: some call that nobody else preceded must come first; the rest must be explainable after it. */
export function isLinearizable(calls: readonly Call[], initial: string): boolean {
  const seen = new Set<string>();
  const search = (left: readonly Call[], state: string): boolean => {
    if (left.length === 0) return true;
    const key = `${state}|${left.map((call) => calls.indexOf(call)).join()}`;
    if (seen.has(key)) return false;
    seen.add(key);
    const firstEnd = Math.min(...left.map((call) => call.end));
    return left
      .filter((call) => call.start <= firstEnd)
      .some((call) => {
        const next = apply(state, call);
        return (
          next !== null &&
          search(
            left.filter((other) => other !== call),
            next,
          )
        );
      });
  };
  return search(calls, initial);
}

/** The state after the call, or null when its result does not fit this state. */
function apply(state: string, { action }: Call): string | null {
  if ("read" in action) return action.read === state ? state : null;
  const [from, to] = action.swap;
  if (action.done) return from === state ? to : null;
  return from === state ? null : state;
}
