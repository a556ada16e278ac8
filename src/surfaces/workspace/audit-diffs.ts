// Diffs for the audit log: of the kept versions, and only where these are not to be had what the journal says, marked so.
import type { Backend, Entry } from "../../core/backend.ts";
import { sectionsIn } from "../../kernel/history/journal/diff-sections.ts";
import { type Room, toldDiff } from "../../kernel/history/journal/entry-diff.ts";
import { type EntryFile, filesOf } from "../../kernel/history/journal/entry-files.ts";
import type { AuditRecord } from "./audit-record.ts";

/** Of kept versions for one answer; what is beyond is told as the journal says. */
export const roomForAudit = (): Room => ({ bytes: 32 * 1024 * 1024 });

/** Also of entries that carry no diff, such as those of other programs' changes. `maxBytes` is for all files of the entry together. */
export async function withDiffs(
  backend: Backend,
  entry: Entry,
  records: readonly AuditRecord[],
  { room, maxBytes }: { readonly room: Room; readonly maxBytes: number },
): Promise<AuditRecord[]> {
  const files = new Map(filesOf(entry).map((file) => [file.path as string, file]));
  const sections = sectionsIn(entry.diff ?? "");
  const done: AuditRecord[] = [];
  let left = maxBytes;
  for (const record of records) {
    const file = files.get(record.toPath ?? record.path);
    if (file === undefined || left <= 0) {
      done.push(record);
      continue;
    }
    const told = await shownOf(backend, file, { room, maxBytes: left, quick: true, section: sections.get(file.path) });
    left -= told.diff?.length ?? 0;
    done.push({ ...record, ...told });
  }
  return done;
}

async function shownOf(
  backend: Backend,
  file: EntryFile,
  asked: Parameters<typeof toldDiff>[2],
): Promise<Pick<AuditRecord, "diff" | "diffFrom">> {
  const { diff, diffFrom } = await toldDiff(backend, file, asked);
  if (!("left" in diff)) return { diff: diff.text, diffFrom };
  const said = diff.asJournalSays?.text;
  return said === undefined ? {} : { diff: said.slice(0, asked.maxBytes), diffFrom };
}
