// A file that others changed since the session saw it: its anchors are refused, with what the next call needs to be right.

import type { Path, Sha } from "../../core/backend.ts";
import { Refusal } from "../../core/failure.ts";
import { LIMITS } from "../../core/limits.ts";
import { type AnchorEdit, type AnchorOperation, fileVersion } from "../../edit/anchors/index.ts";
import { FILL_EMPTY, READ_AGAIN } from "../../edit/anchors/refuse.ts";
import { cutLine } from "../../edit/diff/unified.ts";
import type { Current } from "../../kernel/change/plan.ts";
import { remembering } from "../../kernel/change/remember.ts";
import { LOOK_BACK } from "../../kernel/change/stale.ts";
import { isLarge, runInWorker } from "../../kernel/run-in-worker.ts";
import type { CallOptions, Session } from "../../kernel/session.ts";
import { changesSince, tellingChanges } from "../answer/since-read.ts";
import { deadlineOf } from "../deadline-of.ts";
import { rememberShown } from "./shown.ts";
import type { SeenText } from "./versions.ts";

interface Asked {
  readonly operations: readonly AnchorOperation[];
  /** The version that the session was shown, where that is not the current one. */
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
  const { body } = file.text;
  const fresh = await runInWorker("freshAnchors", [body, operations, earlier.text], deadlineOf(session, call));
  const { shown, missing } = fresh;
  const lines = fresh.lines.map((line) => cutLine(line, LIMITS.staleDiffBytes));
  const details = {
    ...(await changesSince(session, file, earlier, call)),
    error_family: "anchor_stale",
    suggested_action: "re-read_file",
    file_version: fileVersion(body),
    ...(missing.length > 0 && { missingHashes: missing }),
    ...(lines.length > 0 && { fresh_anchors: lines }),
  };
  // The next call may go on from the lines that the refusal shows. Of large files only from those.
  if (shown.length > 0 || body === "") {
    const before = isLarge(body.length) ? undefined : earlier;
    const answer = { after: body, shown, earlier: before, isRead: true };
    const standing = { path: file.path, sha: file.version!.sha };
    for (const warning of await remembering(() => rememberShown(session, standing, answer))) call.warn?.(warning);
  }
  const none = missing.length === 0 ? "" : `: no line of it has the hash ${missing.join(" or ")} now`;
  throw new Refusal("anchor_stale", `The file has changed since these anchors were read${none}.`, {
    path: file.raw,
    next: body === "" ? FILL_EMPTY : lines.length > 0 ? GO_ON : READ_AGAIN,
    details,
  });
}

async function isAllowed(session: Session, file: Current, { sha }: SeenText, named: boolean): Promise<boolean> {
  if (session.workspace.strict) return false;
  return named || isOwnWork(session, file.path, sha, file.version!.sha);
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
