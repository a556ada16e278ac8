// Token buckets, one for each key: so many at once, so many per second in the long run.

export interface RateLimit {
  /** Takes `cost` out of the bucket; undefined when it was there, else after how many seconds it will be. */
  take(key: string, cost?: number): number | undefined;
  /** Whether the bucket is empty, without taking from it. */
  isEmpty(key: string): boolean;
}

export interface RateLimitOptions {
  readonly perSecond: number;
  readonly burst: number;
  /** In milliseconds; only differences count. */
  readonly now?: () => number;
}

/** Full buckets are forgotten; above this many keys the oldest one goes, so that addresses cannot fill the memory. */
const MAX_KEYS = 10_000;

export function createRateLimit({ perSecond, burst, now = () => performance.now() }: RateLimitOptions): RateLimit {
  const buckets = new Map<string, { level: number; at: number }>();

  function levelOf(key: string): number {
    const bucket = buckets.get(key);
    return bucket === undefined ? burst : Math.min(burst, bucket.level + ((now() - bucket.at) / 1000) * perSecond);
  }

  return {
    take(key, cost = 1) {
      const level = levelOf(key);
      if (level < cost) return Math.max(1, Math.ceil((Math.min(cost, burst) - level) / perSecond));
      buckets.delete(key);
      buckets.set(key, { level: level - cost, at: now() });
      if (buckets.size > MAX_KEYS) buckets.delete(buckets.keys().next().value!);
      return undefined;
    },

    isEmpty: (key) => levelOf(key) < 1,
  };
}
