// Refusals of what comes before a change: journalled like those of the change itself.
import { Refusal } from "../../../core/failure.ts";
import type { Action } from "../../policy/policy.ts";
import type { CallOptions, ChangeOptions, Session } from "../../session.ts";

export async function journallingRefusals<T>(
  session: Session,
  { path: asked, action }: { readonly path?: string | undefined; readonly action: Action },
  options: CallOptions & Pick<ChangeOptions, "dryRun">,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Refusal) {
      const path = error.failure.path ?? asked;
      await session.recordRefusal(error, path === undefined ? [] : [{ path, action }], options);
    }
    throw error;
  }
}
