// What is told of one call: its refusals, held back until it is known in which words the caller hears of them, and warnings.
import type { Refusal } from "../../core/failure.ts";
import type { RefusedTarget } from "./refused.ts";

/** Writes one refusal down, with the words of the answer where these are known. */
type Write = (told?: string) => Promise<void>;

/** Made for a call by code that answers it, and ended by `answered`. */
export class Telling {
  #held: { readonly refusal: Refusal; readonly write: Write }[] | undefined = [];

  readonly #warnings = new Set<string>();

  readonly #targets: readonly RefusedTarget[];

  /** `targets`: all that the call is about, where one step of it may name only a part. */
  constructor(targets: readonly RefusedTarget[] = []) {
    this.#targets = targets;
  }

  /** What a refusal of this step is written down with: all that the call is about, if the step is about a part of that. */
  targetsOf(step: readonly RefusedTarget[]): readonly RefusedTarget[] {
    const all = this.#targets;
    if (!step.every(({ path }) => all.some((each) => each.path === path))) return step;
    return all.map((each) => ({ ...each, ...step.find(({ path }) => path === each.path) }));
  }

  /** What the caller should know although the call succeeds; the same one only once. */
  warn(message: string): void {
    this.#warnings.add(message);
  }

  get warnings(): readonly string[] {
    return [...this.#warnings];
  }

  /** False: the call is answered already, and nothing is held back any more. */
  hold(refusal: Refusal, write: Write): boolean {
    this.#held?.push({ refusal, write });
    return this.#held !== undefined;
  }

  /** `words` are the answer for `refusal` and for what caused it; other refusals, which the call got over, have none. */
  async answered(refusal?: Refusal, words?: string): Promise<void> {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const { refusal: one, write } of held) await write(isBehind(one, refusal) ? words : undefined);
  }
}

function isBehind(one: Refusal, refusal: unknown): boolean {
  return refusal instanceof Error && (refusal === one || isBehind(one, refusal.cause));
}
