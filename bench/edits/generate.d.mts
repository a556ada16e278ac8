// What the trial generator gives, for the benchmark and its tests.
export type Trial = {
  readonly cls: string;
  readonly id: string | number;
  readonly lang: string;
  readonly content: string;
  readonly old: string;
  readonly new: string;
  /** null: the edit must be refused. */
  readonly expected: string | null;
  /** The region of `content` that may change, from `rs` up to `re`. */
  readonly rs: number;
  readonly re: number;
};
export function generateTrials(options: { nodeModules: string; seed?: number; hunks?: number }): Trial[];
