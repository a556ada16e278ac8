// The tools of each surface as functions. The build writes these types out for editors, with the words of the tools and of
// their pages in docs/surfaces: scripts/tool-calls.mjs.
import type { AnchorsTools } from "./anchors/index.ts";
import type { Functions } from "./bind.ts";
import type { CompactTools } from "./compact/index.ts";
import type { FilesTools } from "./files/index.ts";
import type { FilesystemTools } from "./filesystem/index.ts";
import type { Surface } from "./tool.ts";
import type { TrackedTools } from "./tracked/index.ts";
import type { WorkspaceTools } from "./workspace/index.ts";

export type WorkspaceCalls = Functions<Surface<WorkspaceTools>>;
export type TrackedCalls = Functions<Surface<TrackedTools>>;
export type CompactCalls = Functions<Surface<CompactTools>>;
export type FilesCalls = Functions<Surface<FilesTools>>;
export type AnchorsCalls = Functions<Surface<AnchorsTools>>;
export type FilesystemCalls = Functions<Surface<FilesystemTools>>;
