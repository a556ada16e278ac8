// The journal of a workspace, wherever that is: do the newest entries chain, how large is the history.
import { leftUndone, RECOVERY } from "../../backends/journal/draft.ts";
import { Refusal } from "../../core/failure.ts";
import type { Workspace } from "../../kernel/workspace.ts";
import { freedInWords, weightInWords } from "../history/weight.ts";
import { RUN_VERIFY } from "../open/workspaces.ts";
import { type Finding, fail, ok, warn } from "./finding.ts";

/** The newest entries must chain to each other; `stet verify` goes through all of them. */
export async function* journalFindings(workspace: Workspace): AsyncGenerator<Finding> {
  let newer: { readonly seq: number; readonly prev: string } | undefined;
  let count = 0;
  let ofRecovery = 0;
  for await (const entry of workspace.log({ newestFirst: true, limit: TAIL + MAX_OF_RECOVERY })) {
    if (newer !== undefined && newer.prev !== entry.hash) {
      yield fail(
        "journal",
        `entry ${newer.seq} does not follow entry ${entry.seq}`,
        "It was changed by hand: run stet verify.",
      );
      return;
    }
    const undone = leftUndone(entry);
    if (undone !== undefined)
      yield warn("journal", undone, `stet show ${entry.of?.[0] ?? entry.seq} tells what it was.`);
    newer = entry;
    count++;
    if (entry.outcome === "external" && entry.session === RECOVERY.session) ofRecovery++;
    if (count - ofRecovery === TAIL) break;
  }
  yield ok(
    "journal",
    count === 0 ? "empty" : `the newest ${count} entries chain`,
    count >= TAIL ? "stet verify checks all of it." : undefined,
  );
  const weight = (await workspace.backend.weigh?.()) ?? null;
  if (weight !== null) yield ok("history", weightInWords(weight), freedInWords(weight));
  for (const note of workspace.policy.notes) yield warn("policy", note, "It has no effect.");
}

const TAIL = 200;
/** What a recovery found at each path that it could not finish comes after its word on them, and hides nothing. */
const MAX_OF_RECOVERY = 10_000;

/** What the system refuses is found here, not thrown: there is more to examine. */
export function journalFailure(error: unknown): Finding {
  if (error instanceof Refusal) {
    const { kind, message, suggestedAction } = error.failure;
    return fail("journal", message, kind === "journal_damaged" ? RUN_VERIFY : (suggestedAction ?? RUN_VERIFY));
  }
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (code === undefined || syscall === undefined) throw error;
  return fail("journal", `it cannot be opened (${code})`, "Run stet as the owner of the state.");
}
