// The journal in memory: the same sealed lines as on disk, in an array.
import type { Entry, EntryDraft, Head, Path, Sha, Verification, VerifyOptions } from "../backend.ts";
import { GENESIS, readLine, seal } from "../entry.ts";
import { Heads, lastWord } from "../heads.ts";

export interface Chain {
  readonly entries: readonly Entry[];
  append(draft: EntryDraft): Entry;
  head(path: Path): Head | null;
  verify(options?: VerifyOptions): Verification;
}

export function createChain(): Chain {
  const entries: Entry[] = [];
  const lines: string[] = [];
  const heads = new Heads([], (path) => lastWord(entries.toReversed(), path));
  const tail = (): { seq: number; hash: Sha } => entries.at(-1) ?? { seq: 0, hash: GENESIS };

  return {
    entries,
    append(draft) {
      const { seq, hash } = tail();
      const { entry, line } = seal(draft, { seq: seq + 1, at: new Date().toISOString(), prev: hash });
      entries.push(entry);
      lines.push(line);
      heads.apply(entry);
      return entry;
    },
    head: (path) => heads.get(path),
    verify({ expectedHead } = {}) {
      const problems: { seq: number; problem: string }[] = [];
      let prev = GENESIS;
      for (const [i, line] of lines.entries()) {
        const { entry, intact } = readLine(Buffer.from(line));
        if (!intact || entry?.prev !== prev) problems.push({ seq: i + 1, problem: "the entry was altered" });
        prev = entry?.hash ?? prev;
      }
      const wanted = expectedHead?.split(":").at(-1);
      if (wanted !== undefined && wanted !== GENESIS && !entries.some(({ hash }) => hash === wanted)) {
        problems.push({ seq: tail().seq, problem: "the expected head is not in the journal" });
      }
      const { seq, hash } = tail();
      return { ok: problems.length === 0, entries: entries.length, head: { seq, hash }, problems, checkpoints: 0 };
    },
  };
}
