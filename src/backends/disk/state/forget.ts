// Drops kept versions, under the lock, but for those that came into use after they were looked at.
import type { Entry, Forgotten, LookedAt, Sha } from "../../../core/backend.ts";
import { toForget, usedSince } from "../../journal/to-forget.ts";
import type { State } from "./state.ts";

export async function forgetVersions(
  { journal, store }: Pick<State, "journal" | "store">,
  shas: readonly Sha[],
  looked: LookedAt | undefined,
): Promise<Forgotten> {
  const versions = [...new Set(shas)].flatMap((sha) => store.find(sha) ?? []);
  const since: Entry[] = [];
  if (looked !== undefined)
    for await (const entry of journal.log({ sinceSeq: looked.newest?.seq ?? 1 })) since.push(entry);
  const { gone, told } = toForget(versions, usedSince(since, looked), looked);
  for (const sha of gone) store.remove(sha);
  return told;
}
