// How much of something that is limited each owner holds, so that none of them can use up what is there for all.

export interface Shares {
  /** False when the owner has as many as one may have. Else it holds one more, until it gives it back. */
  take(owner: string): boolean;
  giveBack(owner: string): void;
}

export function createShares(most: number): Shares {
  const held = new Map<string, number>();
  return {
    take(owner) {
      const count = held.get(owner) ?? 0;
      if (count >= most) return false;
      held.set(owner, count + 1);
      return true;
    },
    giveBack(owner) {
      const count = (held.get(owner) ?? 0) - 1;
      if (count > 0) held.set(owner, count);
      else held.delete(owner);
    },
  };
}
