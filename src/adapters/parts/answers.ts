// Answers a call of a storage or an editor: a refusal is said in words for the model, and recorded.
import { Refusal } from "../../core/failure.ts";
import type { RefusedTarget } from "../../kernel/change/refused.ts";
import type { CallOptions, Session } from "../../kernel/session.ts";
import { refusalText } from "./words.ts";

/** What a framework asked for. */
export interface Asked {
  /** For the journal: the framework's name of the tool that does it. */
  readonly tool: string;
  /** What did not happen, when it is refused. */
  readonly refused: string;
  /** Of a change, which is written down whatever it is refused for; in the workspace. */
  readonly targets?: readonly RefusedTarget[];
  /** Those of `refusalText` unless given. */
  readonly words?: (refusal: Refusal) => string;
}

export type Answer<T> = { readonly done: T } | { readonly refusal: Refusal; readonly text: string };

export async function answerOf<T>(
  session: Session,
  { tool, refused, targets = [], words = (refusal) => refusalText(refusal, refused) }: Asked,
  work: (call: CallOptions) => Promise<T>,
): Promise<Answer<T>> {
  const call: CallOptions = { tool, warn: () => {} };
  try {
    return { done: await work(call) };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    if (targets.length > 0) await session.recordRefusal(error, targets, call);
    return { refusal: error, text: words(error) };
  }
}
