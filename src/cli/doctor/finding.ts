// One line of a diagnosis; and those of a journal, wherever that is: do the newest entries chain, how large is the history.
import { leftUndone } from "../../backends/journal/draft.ts";
import { Refusal } from "../../core/failure.ts";
import type { Workspace } from "../../kernel/workspace.ts";
import { freedInWords, weightInWords } from "../commands/history/hints.ts";
import { RUN_VERIFY } from "../open/workspaces.ts";

export interface Finding {
  readonly about: string;
  readonly state: "ok" | "warn" | "fail";
  readonly what: string;
  /** What follows from it, or what to do. */
  readonly means?: string | undefined;
}

export function ok(about: string, what: string, means?: string): Finding {
  return { about, state: "ok", what, means };
}

export function warn(about: string, what: string, means: string): Finding {
  return { about, state: "warn", what, means };
}

export function fail(about: string, what: string, means: string): Finding {
  return { about, state: "fail", what, means };
}

/** Why nothing works like this. */
export function refused(about: string, { failure: { message, suggestedAction } }: Refusal): Finding {
  return fail(about, message, suggestedAction ?? "stet does not start like this.");
}

/** The newest entries must chain to each other; `stet verify` goes through all of them. */
export async function* journalFindings(workspace: Workspace): AsyncGenerator<Finding> {
  let newer: { readonly seq: number; readonly prev: string } | undefined;
  let count = 0;
  for await (const entry of workspace.log({ newestFirst: true, limit: TAIL })) {
    if (newer !== undefined && newer.prev !== entry.hash) {
      const what = `entry ${newer.seq} does not follow entry ${entry.seq}`;
      yield fail("journal", what, "It was changed by hand: run stet verify.");
      return;
    }
    const undone = leftUndone(entry);
    if (undone !== undefined)
      yield warn("journal", undone, `stet show ${entry.of?.[0] ?? entry.seq} tells what it was.`);
    newer = entry;
    count++;
  }
  const rest = count >= TAIL ? "stet verify checks all of it." : undefined;
  yield ok("journal", count === 0 ? "empty" : `the newest ${count} entries chain`, rest);
  const weight = await workspace.backend.weigh?.();
  if (weight) yield ok("history", weightInWords(weight), freedInWords(weight));
  for (const note of workspace.policy.notes) yield warn("policy", note, "It has no effect.");
}

/** Also beyond what a recovery found at each path that it could not finish. */
const TAIL = 1000;

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
