// The editing engines on their own (`stet/edit`): pure functions from a text and a request to splices on that text.

export {
  ANCHOR_FORMAT_VERSION,
  type AnchorEdit,
  type AnchorEditOptions,
  type AnchoredDiff,
  type AnchorLine,
  type AnchorView,
  anchorIndex,
  contextHash,
  editByAnchors,
  fileVersion,
  lineDigest,
  lineHash,
  type Quality,
} from "./anchors/index.ts";
export { parseOperations } from "./anchors/operations.ts";
export { anchoredDiff, renderAnchors } from "./anchors/render.ts";
export { diffLines } from "./diff/diff.ts";
export { merge3 } from "./diff/merge.ts";
export { type UnifiedDiff, type UnifiedDiffOptions, unifiedDiff } from "./diff/unified.ts";
export { type LadderOptions, type Landed, ladder, type Strategy } from "./ladder/index.ts";
export { parsePatch, planPatch } from "./patch/index.ts";
export {
  type AppliedEdit,
  type ExactEdit,
  insertAtLine,
  type MatchRange,
  type ReplaceResult,
  replaceEdits,
  replaceFirst,
} from "./replace/replace.ts";
export { type NotReplaced, type Replaced, type ReplaceTextOptions, replaceText } from "./replace/replace-text.ts";
export { type Candidate, nearestPlaces } from "./replace/suggest.ts";
export { splitLines } from "./text/lines.ts";
export { omissionPlaceholders } from "./text/omission.ts";
export { applySplices, reverseSplices, type Splice } from "./text/splice.ts";
