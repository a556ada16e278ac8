// Diffs for the audit log, of the kept versions.
import type { Backend, Entry } from "../../core/backend.ts";
import { filesOf, type Room, toldDiff } from "../../kernel/history/entry.ts";
import type { AuditRecord } from "./audit-record.ts";

/** Of kept versions for one answer; what is beyond has no diff. */
export const roomForAudit = (): Room => ({ bytes: 32 * 1024 * 1024 });

/** `maxBytes` is for all files of the entry together. */
export async function withDiffs(
  backend: Backend,
  entry: Entry,
  records: readonly AuditRecord[],
  { room, maxBytes }: { readonly room: Room; readonly maxBytes: number },
): Promise<AuditRecord[]> {
  const files = new Map(filesOf(entry).map((file) => [file.path as string, file]));
  const done: AuditRecord[] = [];
  let left = maxBytes;
  for (const record of records) {
    const file = files.get(record.toPath ?? record.path);
    if (file === undefined || left <= 0) {
      done.push(record);
      continue;
    }
    const { diff } = await toldDiff(backend, file, { room, maxBytes: left, quick: true });
    if ("left" in diff) done.push(record);
    else {
      left -= Buffer.byteLength(diff.text);
      done.push({ ...record, diff: diff.text });
    }
  }
  return done;
}
