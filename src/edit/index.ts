// The editing engines on their own (`stet/edit`): pure functions from a text and a request to splices on that text.

export { anchoredDiff } from "./anchors/diff.ts";
export { anchorIndex } from "./anchors/line-index.ts";
export { parseOperations } from "./anchors/operations.ts";
export { renderAnchors } from "./anchors/render.ts";
export {
  ANCHOR_FORMAT_VERSION,
  contextHash,
  editByAnchors,
  fileVersion,
  lineDigest,
  lineHash,
} from "./anchors.ts";
export { diffLines } from "./diff.ts";
export { ladder } from "./ladder.ts";
export { splitLines } from "./lines.ts";
export { merge3 } from "./merge.ts";
export { omissionPlaceholders } from "./omission.ts";
export { parsePatch, planPatch } from "./patch.ts";
export { replaceText } from "./replace-text.ts";
export { applySplices, reverseSplices, type Splice } from "./splice.ts";
export { nearestPlaces } from "./suggest.ts";
export { unifiedDiff } from "./unified.ts";
