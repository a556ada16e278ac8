// So many at once of something that all callers share: the others wait in line, and no owner takes what is there for all.

export interface Turns {
  /** For one of them. An owner may have as many as are left for the others; who has none gets the next that is free. */
  enter(owner: string | undefined): Place;
}

export interface Place {
  /** Resolves when it is its turn; undefined when it is at once. */
  readonly turn: Promise<void> | undefined;
  /** Gives it back, or leaves the line. */
  leave(): void;
}

export function createTurns(most: number): Turns {
  const held = new Map<string, number>();
  /** In the order in which they came. */
  const waiting = new Set<{ readonly owner: string | undefined; called(): void }>();
  let free = most;

  const fits = (owner: string | undefined): boolean =>
    free > 0 && (owner === undefined || (held.get(owner) ?? 0) < free);

  function count(owner: string | undefined, more: 1 | -1): void {
    free -= more;
    if (owner === undefined) return;
    const now = (held.get(owner) ?? 0) + more;
    if (now === 0) held.delete(owner);
    else held.set(owner, now);
  }

  function callNext(): void {
    for (const each of waiting) {
      if (free === 0) return;
      if (fits(each.owner)) each.called();
    }
  }

  return {
    enter(owner) {
      let has = false;
      const take = (): void => {
        has = true;
        count(owner, 1);
      };
      const giveBack = (): void => {
        if (!has) return;
        has = false;
        count(owner, -1);
        callNext();
      };
      if (fits(owner)) {
        take();
        return { turn: undefined, leave: giveBack };
      }
      let leave = giveBack;
      const turn = new Promise<void>((resolve) => {
        const inLine = {
          owner,
          called() {
            waiting.delete(inLine);
            take();
            resolve();
          },
        };
        waiting.add(inLine);
        leave = () => {
          waiting.delete(inLine);
          giveBack();
        };
      });
      return { turn, leave };
    },
  };
}
