// The editing engines on their own (`stet/edit`): pure functions from a text and a request to splices on that text.

export { anchoredDiff } from "./anchors/diff.ts";
export { anchorIndex } from "./anchors/line-index.ts";
export { parseOperations } from "./anchors/operations.ts";
export { renderAnchors } from "./anchors/render.ts";
export {
  ANCHOR_FORMAT_VERSION,
  type AnchoredDiff,
  type AnchorLine,
  type AnchorView,
  contextHash,
  editByAnchors,
  fileVersion,
  lineDigest,
  lineHash,
  type Quality,
} from "./anchors.ts";
export { diffLines } from "./diff.ts";
export { insertAtLine } from "./insert.ts";
export { type LadderOptions, type Landed, ladder, type Strategy } from "./ladder.ts";
export { splitLines } from "./lines.ts";
export { merge3 } from "./merge.ts";
export { omissionPlaceholders } from "./omission.ts";
export { parsePatch, planPatch } from "./patch.ts";
export { type AppliedEdit, type ExactEdit, type MatchRange, type ReplaceResult, replaceEdits } from "./replace.ts";
export { replaceFirst } from "./replace-first.ts";
export { type NotReplaced, type Replaced, type ReplaceTextOptions, replaceText } from "./replace-text.ts";
export { applySplices, reverseSplices, type Splice } from "./splice.ts";
export { type Candidate, nearestPlaces } from "./suggest.ts";
export { type UnifiedDiff, type UnifiedDiffOptions, unifiedDiff } from "./unified.ts";
