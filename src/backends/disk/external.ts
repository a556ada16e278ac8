// Records what other programs changed: keeps what is there now, and appends the entries that say so.
import type { Author, CommitNote, Entry } from "../../core/backend.ts";
import { type Asked, type Observed, observe, observedDrafts } from "../journal/draft.ts";
import type { Disk } from "./commit.ts";
import { closeOld, type Old, openOld } from "./current-file.ts";
import { refusalOf } from "./errno.ts";
import { keepBlobs } from "./history.ts";
import type { Root } from "./paths/root.ts";

type Looked = Asked & { readonly now: Pick<Old, "sha" | "size" | "mode" | "read"> | null };

/** Under the lock. Gives the last entry; null when the journal has all of it already. Nothing is flushed. */
export async function recordOthers(
  { history, durability }: Pick<Disk, "history" | "durability">,
  looked: Iterable<Looked> | AsyncIterable<Looked>,
  author: Author,
  note?: CommitNote,
): Promise<Entry | null> {
  const { log, blobs } = history;
  const observed: Observed[] = [];
  const versions = async function* () {
    for await (const each of looked) {
      // Without its bytes, which are kept and need not be held.
      const now = each.now && { sha: each.now.sha, size: each.now.size, mode: each.now.mode };
      const news = observe(each, { head: log.head(each.path), now, find: (sha) => blobs.find(sha) });
      if (news === null) continue;
      observed.push(news);
      if (each.now !== null) yield await each.now.read();
    }
  };
  const kept = await keepBlobs(history, versions(), durability);
  const drafts = observedDrafts(observed, author, note);
  if (drafts.length === 0) return null;
  const entries = log.append(drafts.map((draft, n) => ({ draft, blobs: n === 0 ? kept : [] })));
  for (const entry of entries) if (entry instanceof Error) throw entry;
  return entries.at(-1) as Entry;
}

/** One file is open at a time. Paths that cannot be read are left out. */
export async function* lookAt<T extends Asked>(root: Root, asked: Iterable<T>): AsyncGenerator<T & Looked> {
  for (const each of asked) {
    const now = await openOld(root, each.path).catch((error) => noFile(error, each.path));
    try {
      if (now !== undefined) yield { ...each, now };
    } finally {
      closeOld(now ?? null);
    }
  }
}

/** Where a directory is by now, or none on the way, the file is gone. */
function noFile(error: unknown, path: string): null | undefined {
  const { kind } = refusalOf(error, path, "read");
  return kind === "not_a_file" || kind === "not_a_directory" ? null : undefined;
}
