// Parts for a backend of your own (`stet/backends/parts`): its journal, its paths, its end.

export { type Ending, untilClosed } from "../closing.ts";
export { verifyLines } from "../journal/chain.ts";
export { type Asked, appliedDraft, type Observed, observe, observedDrafts, refuseNested } from "../journal/draft.ts";
export { GENESIS, type Place, parseLine, seal } from "../journal/entry.ts";
export { matches } from "../journal/entry-filter.ts";
export { createJournal, type Journal, type JournalOptions } from "../journal/in-memory.ts";
export { signedNote } from "../journal/signed-heads.ts";
export { toForget, usedSince } from "../journal/to-forget.ts";
export { type Found, noSuchDirectory, notADirectory, notAFile, resolvePath } from "../paths.ts";
