// A file that others changed since the session saw it: its anchors are refused, with what the next call needs to be right.

import type { Path, Sha } from "../../core/backend.ts";
import { type FailureKind, Refusal } from "../../core/failure.ts";
import { LIMITS } from "../../core/limits.ts";
import { type AnchorEdit, type AnchorOperation, fileVersion } from "../../edit/anchors/index.ts";
import { READ_AGAIN } from "../../edit/anchors/resolve/stale.ts";
import { cutLine } from "../../edit/diff/unified.ts";
import type { Current } from "../../kernel/change/plan.ts";
import { remembering } from "../../kernel/change/remember.ts";
import { LOOK_BACK } from "../../kernel/change/stale.ts";
import { isLarge, runInWorker } from "../../kernel/run-in-worker.ts";
import type { CallOptions, Session } from "../../kernel/session.ts";
import { changesSince, tellingChanges } from "../answer/since-read.ts";
import { deadlineOf } from "../deadline-of.ts";
import { listedIn, rememberShown } from "./shown.ts";
import type { SeenText } from "./versions.ts";

interface Asked {
  readonly operations: readonly AnchorOperation[];
  /** What the session was shown, where that is another version than the current one. */
  readonly earlier: SeenText | undefined;
  /** The caller named the current version itself. */
  readonly named: boolean;
}

const GO_ON = `Go on with the anchors below, which are those of the file now; for other lines read the file again with hashes.`;

export async function onVersionSeen(
  session: Session,
  file: Current,
  { operations, earlier, named }: Asked,
  call: CallOptions,
  edit: () => Promise<AnchorEdit>,
): Promise<AnchorEdit> {
  if (earlier === undefined || (await isAllowed(session, file, earlier, named))) {
    return tellingChanges(session, file, call, edit);
  }
  const refusal = await anchorsRefused(edit);
  const { body } = file.text;
  const fresh = await runInWorker("freshAnchors", [body, operations, earlier.text], deadlineOf(session, call));
  const shown = [...fresh.shown, ...listedIn(refusal)];
  const known = shown.length > 0 || body === "";
  const details = {
    ...refusal?.failure.details,
    ...(await changesSince(session, file, earlier, call)),
    error_family: "anchor_stale",
    suggested_action: "re-read_file",
    file_version: fileVersion(body),
    ...(fresh.lines.length > 0 && { fresh_anchors: fresh.lines.map((line) => cutLine(line, LIMITS.staleDiffBytes)) }),
  };
  // What the refusal shows counts as shown: the next call may go on from it. Of large files only that.
  if (known) {
    const before = isLarge(body.length) ? undefined : earlier;
    const answer = { after: body, shown, earlier: before, isRead: true };
    const standing = { path: file.path, sha: file.version!.sha };
    for (const warning of await remembering(() => rememberShown(session, standing, answer))) call.warn?.(warning);
  }
  const said = refusal?.kind === "anchor_stale" ? refusal.failure : undefined;
  const changed = "The file has changed since these anchors were read.";
  const message = said?.message ?? [changed, ...(refusal === undefined ? [] : [refusal.failure.message])].join(" ");
  const { nearest, new_text_at: done } = said?.details ?? {};
  const isPlain = nearest === undefined && done === undefined && fresh.lines.length > 0;
  throw new Refusal("anchor_stale", message, {
    path: file.raw,
    next: isPlain ? GO_ON : (said?.suggestedAction ?? READ_AGAIN),
    details,
    cause: refusal,
  });
}

async function isAllowed(session: Session, file: Current, { sha }: SeenText, named: boolean): Promise<boolean> {
  const { onStale, strict } = session.workspace;
  if (strict) return false;
  return named || onStale === "rebase" || isOwnWork(session, file.path, sha, file.version!.sha);
}

/** Every change from the one version to the other is this session's: nothing in between can be news to it. */
async function isOwnWork(session: Session, path: Path, from: Sha, to: Sha): Promise<boolean> {
  let sha: Sha | null = to;
  const filter = { path, outcomes: ["applied", "external"], newestFirst: true, limit: LOOK_BACK } as const;
  for await (const { outcome, session: author, changes } of session.workspace.backend.log(filter)) {
    const change = changes.find((each) => each.path === path);
    if (outcome !== "applied" || author !== session.id || change === undefined || change.to !== sha) return false;
    sha = change.from;
    if (sha === from) return true;
  }
  return false;
}

/** What the anchors themselves are refused for; another refusal stands for itself. */
async function anchorsRefused(edit: () => Promise<AnchorEdit>): Promise<Refusal | undefined> {
  try {
    await edit();
    return undefined;
  } catch (error) {
    if (error instanceof Refusal && ABOUT_ANCHORS.has(error.kind)) return error;
    throw error;
  }
}

const ABOUT_ANCHORS: ReadonlySet<FailureKind> = new Set<FailureKind>([
  "anchor_stale",
  "anchor_ambiguous",
  "anchor_context_ambiguous",
  "anchor_low_entropy",
]);
