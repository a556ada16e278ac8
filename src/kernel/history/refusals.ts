// Refusals of what comes before a change: journalled like those of the change itself.
import { Refusal } from "../failure.ts";
import type { CallOptions, Session } from "../session.ts";

export async function journallingRefusals<T>(
  session: Session,
  asked: { readonly path?: string | undefined },
  options: CallOptions,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Refusal) {
      const path = error.failure.path ?? asked.path;
      await session.recordRefusal(error, path === undefined ? [] : [{ path }], options);
    }
    throw error;
  }
}
