// Counts how much of something limited each owner holds, so that none can use up what is there for all.

export interface Shares {
  /** False when the owner has as many as one may have. Else it holds one more, until it gives it back. */
  take(owner: string): boolean;
  giveBack(owner: string): void;
  held(owner: string): number;
}

export function createShares(most: number): Shares {
  const counts = new Map<string, number>();
  const held = (owner: string): number => counts.get(owner) ?? 0;
  return {
    take(owner) {
      if (held(owner) >= most) return false;
      counts.set(owner, held(owner) + 1);
      return true;
    },
    giveBack(owner) {
      if (held(owner) > 1) counts.set(owner, held(owner) - 1);
      else counts.delete(owner);
    },
    held,
  };
}
