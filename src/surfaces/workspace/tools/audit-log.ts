// audit_log: who changed what, and what was refused, newest first.
import * as z from "zod";
import type { Entry, Outcome } from "../../../core/backend.ts";
import { CALL_LIMITS } from "../../../core/limits.ts";
import { printable } from "../../../core/printable.ts";
import { filesOf, toldDiff } from "../../../kernel/history/entry.ts";
import { followPurged, trashTeller } from "../../../kernel/history/trash.ts";
import { deadlineOf } from "../../../kernel/progress.ts";
import type { Session } from "../../../kernel/session.ts";
import { listed } from "../../../words/plural.ts";
import { legibleDiff } from "../../shared/legible.ts";
import { USUAL_HITS } from "../../shared/search.ts";
import { defineTool } from "../../tool.ts";
import { type AuditRecord, auditRecord, pathsOf, recordsOf } from "../audit-record.ts";
import { PATH_ALIASES, pathIn } from "../fields.ts";

export const audit_log = defineTool({
  name: "audit_log",
  title: "Audit log",
  description: "Show every change and every refused change in this workspace, newest first, one record per file.",
  effect: "read",
  actions: ["read"],
  input: z.object({
    path: z.string().optional().describe("Only this file"),
    sessionId: z.string().optional(),
    success: z.boolean().optional().describe("true: only changes; false: only refusals"),
    includeDiff: z.boolean().default(false),
    beforeSeq: z.int().min(1).optional().describe("Only records older than this seq"),
    maxResults: z.int().min(1).default(50).describe("Most records; the files of one change stay together, up to 250."),
  }),
  aliases: { ...PATH_ALIASES, session: "sessionId", limit: "maxResults", max_results: "maxResults" },
  output: z.object({ entries: z.array(auditRecord), truncated: z.boolean(), filesLeft: z.int().optional() }),
  refused: "Nothing was listed.",
  async run({ session, call }, { path: raw, includeDiff, ...filter }) {
    const { backend } = session.workspace;
    const maxResults = Math.min(filter.maxResults, CALL_LIMITS.results);
    const path =
      raw === undefined ? undefined : (await backend.resolve(pathIn(session, raw), { link: true, existed: true })).path;
    const entries: AuditRecord[] = [];
    const deadline = deadlineOf(session, call);
    const room = { bytes: ROOM_BYTES };
    let left = DIFF_BYTES;
    for await (const { entry, asked, withDiff } of records(session, filter)) {
      deadline.check();
      const wanted = asked.filter((record) => path === undefined || pathsOf(record).includes(path));
      if (wanted.length === 0) continue;
      // A page ends between two entries: `beforeSeq` could not go on in the middle of one.
      const isFull = entries.length + wanted.length > maxResults || left <= 0;
      if (entries.length > 0 && isFull) return { entries, truncated: true };
      const files = new Map(includeDiff && withDiff ? filesOf(entry).map((file) => [file.path as string, file]) : []);
      for (const record of wanted.slice(0, Math.max(maxResults, USUAL_HITS))) {
        const file = left > 0 ? files.get(record.toPath ?? record.path) : undefined;
        const told = file && (await toldDiff(backend, file, { room, maxBytes: left }));
        const diff = told && "text" in told.diff ? told.diff.text : undefined;
        left -= Buffer.byteLength(diff ?? "");
        entries.push(diff === undefined ? record : { ...record, diff });
      }
      // Only an entry that has no room on a page of its own is cut.
      const filesLeft = wanted.length - Math.max(maxResults, USUAL_HITS);
      if (filesLeft > 0) return { entries, truncated: true, filesLeft };
    }
    return { entries, truncated: false };
  },
  text({ entries, truncated, filesLeft }, { maxResults }) {
    if (entries.length === 0) return "The audit log has no such records.";
    const lines = entries.map((record, n) => lineOf(record, entries[n - 1]));
    const { seq } = entries.at(-1)!;
    const all = Math.max(entries.length + (filesLeft ?? 0), USUAL_HITS + 1);
    const raise = maxResults < all ? ` or set maxResults=${all}` : "";
    const cut = `Entry ${seq} has ${filesLeft} more files: name a path${raise}. Older records: beforeSeq=${seq}.`;
    const more = filesLeft === undefined ? `There are more: ask with beforeSeq=${seq}.` : cut;
    return [...lines, ...(truncated ? [more] : [])].join("\n");
  },
});

/** Of kept versions that one answer reads for its diffs; what is beyond has none. */
const ROOM_BYTES = 32 * 1024 * 1024;
/** Of the diffs on one page of 64 KiB. */
const DIFF_BYTES = 60 * 1024;

function lineOf(record: AuditRecord, before: AuditRecord | undefined): string {
  const { seq, timestamp, agentName, sessionId, toolName, operation, path, toPath, success, errorKind } = record;
  const arrow = toPath === undefined ? "" : ` -> ${printable(toPath)}`;
  // The id is what a question for one session needs; once is enough for what one session did.
  const known = sessionId === undefined || before?.sessionId === sessionId;
  const session = known ? "" : ` (session ${printable(sessionId)})`;
  const who = `${agentName === undefined ? "" : `${printable(agentName)} `}${printable(toolName)}${session}`;
  const outcome = success ? "" : ` REFUSED ${printable(errorKind ?? "")}`;
  const what = `${operation} ${path === "" ? "(no file named)" : printable(path)}${arrow}${outcome}`;
  return `${seq} ${printable(timestamp)} ${who}: ${what}${remarks(record)}${diffInWords(record)}`;
}

/** Where the old version is, and what else sets a record apart. */
function remarks(record: AuditRecord): string {
  const { path, toPath, success, proof, trashedTo, overwroteSha256, overwroteTrashedTo } = record;
  const others = [...new Set(pathsOf(record))].filter((each) => each !== path && each !== toPath);
  const replaced = overwroteTrashedTo === undefined ? "" : `, which is in the trash as ${overwroteTrashedTo}`;
  const said = [
    others.length > 0 && `also for ${listed(others.map(printable), 10)}`,
    success && proof === "waived" && "without proof",
    trashedTo !== undefined && `in the trash as ${trashedTo}`,
    overwroteSha256 !== undefined && `over a file${replaced}`,
  ].filter((each) => each !== false);
  return said.length === 0 ? "" : ` (${said.join("; ")})`;
}

function diffInWords({ path, diff }: AuditRecord): string {
  return diff === undefined ? "" : `\n${legibleDiff(diff, path)}`;
}

interface Filter {
  readonly sessionId?: string | undefined;
  readonly success?: boolean | undefined;
  readonly beforeSeq?: number | undefined;
}

interface Recorded {
  readonly entry: Entry;
  readonly asked: readonly AuditRecord[];
  /** A diff may be shown: it speaks of no file that was purged, and all files of the entry may be seen. */
  readonly withDiff: boolean;
}

/** Entry by entry, each with its records. */
async function* records(session: Session, { sessionId, success, beforeSeq }: Filter): AsyncGenerator<Recorded> {
  const { backend, policy } = session.workspace;
  const neverHappened = new Set<number>();
  const purged = followPurged();
  const stillTrashed = trashTeller();
  for await (const entry of backend.log({ newestFirst: true })) {
    const { left, deleted } = purged(entry);
    if (entry.outcome === "aborted") for (const seq of entry.of ?? []) neverHappened.add(seq);
    if (neverHappened.has(entry.seq)) continue;
    const trashed = stillTrashed(entry);
    if (!TOLD.has(entry.outcome)) continue;
    if (sessionId !== undefined && (entry.session !== sessionId || entry.outcome === "external")) continue;
    if (beforeSeq !== undefined && entry.seq >= beforeSeq) continue;
    const all = recordsOf(entry, trashed);
    const visible = all.filter((each) => mayShow(policy, each));
    const asked = visible.filter((record) => success === undefined || record.success === success);
    yield { entry, asked, withDiff: left.size + deleted.size === 0 && visible.length === all.length };
  }
}

const TOLD: ReadonlySet<Outcome> = new Set<Outcome>(["applied", "refused", "external"]);

/** What a path rule hides is hidden here too, except that access was tried. */
function mayShow(policy: Session["workspace"]["policy"], record: AuditRecord): boolean {
  if (record.errorKind === "permission_denied" || record.errorKind === "outside_workspace") return true;
  return pathsOf(record).every((path) => policy.allows(path, "read"));
}
