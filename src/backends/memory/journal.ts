// The journal in memory: the same sealed lines as on disk, in an array.
import type { Entry, EntryDraft, Head, Path, Sha, Verification, VerifyOptions } from "../../core/backend.ts";
import { verifyLines } from "../journal/chain.ts";
import { GENESIS, seal } from "../journal/entry.ts";
import { Heads, lastWord } from "../journal/last-words.ts";
import { formatSignedHead, signedHeadNote, signHead } from "../journal/signed-heads.ts";

export interface Chain {
  readonly entries: readonly Entry[];
  append(draft: EntryDraft): Entry;
  /** Refuses what cannot be an entry; what it gives appends it, if it is the next one. */
  prepare(draft: EntryDraft): () => Entry;
  head(path: Path): Head | null;
  verify(options?: VerifyOptions): Verification;
  sign(privateKey: string): { readonly text: string; readonly entry: Entry };
}

export function createChain(): Chain {
  const entries: Entry[] = [];
  const lines: string[] = [];
  const heads = new Heads([], (path) => lastWord(entries.toReversed(), path));
  const tail = (): { seq: number; hash: Sha } => entries.at(-1) ?? { seq: 0, hash: GENESIS };

  function prepare(draft: EntryDraft): () => Entry {
    const { seq, hash } = tail();
    const { entry, line } = seal(draft, { seq: seq + 1, at: new Date().toISOString(), prev: hash });
    return () => {
      entries.push(entry);
      lines.push(line);
      heads.apply(entry);
      return entry;
    };
  }

  const append = (draft: EntryDraft): Entry => prepare(draft)();

  return {
    entries,
    append,
    prepare,
    head: (path) => heads.get(path),
    verify: (options) =>
      verifyLines(
        lines.map((line) => Buffer.from(line)),
        options,
      ),
    sign(privateKey) {
      const { seq, hash } = tail();
      const signedHead = signHead({ seq, head: hash, at: new Date().toISOString() }, privateKey);
      return { text: formatSignedHead(signedHead), entry: append(signedHeadNote(signedHead)) };
    },
  };
}
