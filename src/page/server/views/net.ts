// Net changes of a session, an agent or a time, however many steps they took: one diff for each file.
import { netChanges } from "../../../kernel/history/net.ts";
import type { FileTold, NetAnswer } from "../../wire.ts";
import { textIn, whoseIn } from "../request.ts";
import { type Visit, workspaceOf } from "../visit.ts";
import { FIRST_BYTES, fileTold, MAX_READ, WHOLE_BYTES } from "./entry.ts";

const MAX_FILES = 500;
/** For all diffs together. */
const MAX_BYTES = 4 * 1024 * 1024;
/** A larger version is not compared, unless its file is asked for alone. */
const MAX_COMPARED_BYTES = 4 * 1024 * 1024;

/** With a path: only that file, with its whole diff. */
export async function net(visit: Visit): Promise<NetAnswer> {
  const path = textIn(visit.fields, "path");
  const whose = { ...whoseIn(visit.fields), until: textIn(visit.fields, "until") };
  const { files, entries, takenBack } = await netChanges(await workspaceOf(visit), whose, { signal: visit.signal });
  const wanted = files.filter((each) => path === undefined || each.path === path);
  const whole = { maxBytes: WHOLE_BYTES, largest: WHOLE_BYTES };
  const first = { maxBytes: FIRST_BYTES, largest: MAX_COMPARED_BYTES };
  const room = { bytes: MAX_READ };
  const told: FileTold[] = [];
  let left = MAX_BYTES;
  for (const { others, entries, ...file } of wanted.slice(0, MAX_FILES)) {
    const limits = { room, ...(path === undefined ? first : whole) };
    const { diff, ...names } = await fileTold(visit, { ...file, beforeSize: 0, afterSize: 0 }, limits);
    if ("text" in diff) left -= diff.text.length;
    if (left <= 0) room.bytes = 0;
    told.push({ ...names, diff, entries, others });
  }
  return { files: told, entries, takenBack, moreFiles: wanted.length - told.length };
}
