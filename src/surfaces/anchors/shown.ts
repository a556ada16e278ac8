// What an answer has shown of the version it speaks of: the anchors in it must mean these very lines in the next call.
import type { LineRange, Path, Sha } from "../../core/backend.ts";
import { Refusal } from "../../core/failure.ts";
import { type AnchorIndex, anchorIndex } from "../../edit/anchors/index.ts";
import { isShown } from "../../edit/anchors/lines.ts";
import { countLines } from "../../edit/text/lines.ts";
import type { Current } from "../../kernel/change/plan.ts";
import { type ReadResult, wholeLines } from "../../kernel/read/page.ts";
import type { CallOptions, Session } from "../../kernel/session.ts";
import type { SeenText } from "./versions.ts";

interface Answer {
  /** The whole text of the file now. */
  readonly after: string;
  /** The lines of it that the answer shows. */
  readonly shown: readonly number[];
  /** What the session had been shown before, where the file is not what its own change made of that. */
  readonly earlier?: SeenText | undefined;
  /** The numbers in it take the place of those that were read. */
  readonly isNumbered?: boolean;
}

/** The session stands on this version from now on; of the one it knew before, only lines that cannot be mistaken count. */
export async function rememberShown(
  session: Session,
  { path, sha }: { readonly path: Path; readonly sha: Sha },
  { after, shown, earlier, isNumbered = false }: Answer,
): Promise<void> {
  // Another call that was sent with this one may have changed the file again.
  const seen = await session.ledger.get(path);
  if (earlier === undefined && seen !== undefined && seen.sha !== sha) return;
  const total = countLines(after);
  const lasting = earlier === undefined ? [] : lastingLines(earlier, anchorIndex(after));
  const lines = [
    ...shown.map((line) => ({ from: line, to: line, isNumbered })),
    ...lasting.map((line) => ({ from: line, to: line })),
  ];
  // Of an empty file there is no line to show, and yet it is known.
  const ranges = total === 0 ? [{ from: 1, to: 0 }] : lines;
  await session.showed(path, { sha }, { total, shown: ranges });
}

/** The numbers and hashes that a read shows mean these lines from now on. */
export async function rememberRead(session: Session, read: ReadResult, hashes: readonly string[], call: CallOptions) {
  const { path, sha, shown } = read;
  if (shown.to < shown.from && read.lines > 0) return;
  const lines = [{ ...wholeLines(read), isNumbered: true }];
  await session.showed(path, { sha }, { total: read.lines, shown: lines, settled: new Set(hashes) }, call);
}

/** Lines that a refusal lists have been shown. Their numbers do not count: the call it refused may be sent again as it was. */
export async function rememberListed(
  session: Session,
  { path, text, version }: Current,
  error: unknown,
): Promise<void> {
  const seen = await session.ledger.get(path);
  const shown = listedIn(error, seen?.shown).map((line) => ({ from: line, to: line }));
  if (version === null || seen?.sha !== version.sha || shown.length === 0) return;
  await session.showed(path, version, { total: countLines(text.body), shown });
}

/** The lines that a refusal names with their anchors, as far as they are known whole. */
function listedIn(error: unknown, known: readonly LineRange[] = []): number[] {
  const { candidates = [] } = (error instanceof Refusal && error.failure.details) || {};
  return (candidates as readonly { line: number; preview: string }[]).flatMap(({ line, preview }) =>
    isShown(line, known) || !preview.endsWith("…") ? line : [],
  );
}

/** Lines that each version has once. */
function lastingLines({ text, shown }: SeenText, now: AnchorIndex): number[] {
  const known = text === undefined ? [] : anchorIndex(text).lines.filter(({ number }) => isShown(number, shown));
  const lasting = known.filter(({ occurrences }) => occurrences === 1).map(({ hash }) => now.find(hash));
  return lasting.flatMap((lines) => (lines.length === 1 ? lines : []));
}
