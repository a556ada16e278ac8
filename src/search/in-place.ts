// A search counts only if the root was there before and after it: other programs go there by its path, the backend does not.
import type { Session } from "../kernel/session.ts";

/** A backend refuses to resolve its root when that is gone, which then is the reason for whatever else went wrong. */
export async function inPlace<T>({ workspace: { backend } }: Session, search: () => Promise<T>): Promise<T> {
  await backend.resolve(".");
  try {
    return await search();
  } finally {
    await backend.resolve(".");
  }
}
