// A file that others changed since the session saw it: its anchors are refused, with what the next call needs to be right.
import { Refusal } from "../../core/failure.ts";
import { LIMITS } from "../../core/limits.ts";
import { type AnchorOperation, fileVersion } from "../../edit/anchors/index.ts";
import { cutLine } from "../../edit/diff/unified.ts";
import type { Current } from "../../kernel/change/plan.ts";
import { remembering } from "../../kernel/change/remember.ts";
import { deadlineOf } from "../../kernel/progress.ts";
import { isLarge, runInWorker } from "../../kernel/run-in-worker.ts";
import type { CallOptions, Session } from "../../kernel/session.ts";
import { FILL_EMPTY, READ_AGAIN } from "../../words/anchors.ts";
import { changesSince } from "../shared/change.ts";
import { rememberShown } from "./shown.ts";
import type { SeenText } from "./versions.ts";

const GO_ON = "Go on with the anchors below, a repeated line by its ctx; for cut and other lines read the file again.";

/** Of the version that the session was shown last no anchor is followed through the changes of others. */
export async function changedByOthers(
  session: Session,
  file: Current,
  { operations, earlier }: { readonly operations: readonly AnchorOperation[]; readonly earlier: SeenText },
  call: CallOptions,
): Promise<Refusal> {
  const { body } = file.text;
  const fresh = await runInWorker("freshAnchors", [body, operations, earlier.text], deadlineOf(session, call));
  const lines = fresh.lines.map((line) => cutLine(line, LIMITS.staleDiffBytes));
  // A line that is cut does not count as shown: what others changed may be in the rest of it.
  const cut = lines.filter((line, n) => line !== fresh.lines[n]).map((line) => Number.parseInt(line, 10));
  const { shown, missing } = { ...fresh, shown: fresh.shown.filter((number) => !cut.includes(number)) };
  const changes = await changesSince(session, file, earlier, call);
  const details = {
    ...changes,
    error_family: "anchor_stale",
    suggested_action: "re-read_file",
    ...(changes.currentSha256 !== undefined && { file_version: fileVersion(body) }),
    ...(missing.length > 0 && { missingHashes: missing }),
    ...(lines.length > 0 && { fresh_anchors: lines }),
  };
  // The next call may go on from the lines that the refusal shows. Of large files only from those.
  if (shown.length > 0 || body === "") {
    const answer = { after: body, shown, earlier: { ...earlier, ...(isLarge(body.length) && { text: undefined }) } };
    const standing = { path: file.path, sha: file.version!.sha };
    for (const warning of await remembering(() => rememberShown(session, standing, answer))) call.warn?.(warning);
  }
  const none = missing.length === 0 ? "" : `: no line of it has the hash ${missing.join(" or ")} now`;
  return new Refusal("anchor_stale", `The file has changed since these anchors were read${none}.`, {
    path: file.raw,
    next: body === "" ? FILL_EMPTY : shown.length > 0 ? GO_ON : READ_AGAIN,
    details,
  });
}
