// The public API, as the built package has it: exactly these names, and words for each of them where an editor shows them.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseSync } from "oxc-parser";
import { expect, it } from "vitest";
import { exportedFrom } from "./support/declarations.ts";

const root = fileURLToPath(new URL("..", import.meta.url));

/** A name more is a promise more: it is added here on purpose, or it is a leak. */
const NAMES: Readonly<Record<string, string>> = {
  stet: `
    Action Aspect Author Backend CallOptions Cancellation Change ChangeOptions Changed ChangedFile Checkpoint CollectOptions
    Collected CommitNote CommitOptions Committed CreateOptions Current Decision DroppedVersions Edit Entry EntryChange EntryDraft
    EolStyle Failure FailureKind FurtherOptions Head HistoryWeight KeptVersion Kind Knows LIMITS LINK_MODE Ledger Limits
    LineRange Listed LogFilter MayChange ModeBack MoveOptions Next OpenOptions Outcome OwnerAction Path Policy PolicyInput Progress
    Proof ProtectChanges ProtectRule Purged PurgedAll ReadOptions ReadResult Refusal RefusalContext ReplayedState ResolveOptions Resolved
    RetentionPolicy Seen Session Sha Splice SpliceText Target Text Trashed UndoOptions UndoWhat Undone Use Verification
    VerifyOptions Version When Who Workspace WorkspaceOptions bytesOf closeCheckpoint collectGarbage findTrashed
    generateSigningKeys isSha lastWriter listTrash openCheckpoint openCheckpoints openWorkspace purge purgeAll replay
    restore rollBackTo shaOf versionOf`,
  "stet/edit": `
    ANCHOR_FORMAT_VERSION AnchorEdit AnchorEditOptions AnchorLine AnchorView AnchoredDiff AppliedEdit Candidate ExactEdit LadderOptions Landed
    MatchRange NotReplaced Quality ReplaceResult ReplaceTextOptions Replaced Splice Strategy UnifiedDiff
    UnifiedDiffOptions anchorIndex anchoredDiff applySplices contextHash diffLines editByAnchors fileVersion insertAtLine
    ladder lineDigest lineHash merge3 nearestPlaces omissionPlaceholders parseOperations parsePatch planPatch
    renderAnchors replaceEdits replaceFirst replaceText reverseSplices splitLines unifiedDiff`,
  "stet/check": "LintItem Warning checkEdit examineEdit lint syntaxErrors warningText",
  "stet/serve": `
    CallEvent Caller FAILURE_META_KEY FactoryOptions GivenToken HandleLimits HttpLimits HttpOptions HttpServing Keying Log
    Lookup MOST_MESSAGE_BYTES Metrics MetricsOptions RequestEvent Results RootsOpener ServeOptions Served ServerFactory
    SessionIn Sessions StdioOptions StdioServing WatchLimits Watches createMetrics createServerFactory readTokens
    serveOnStdio serveOverHttp`,
  "stet/surfaces": `
    AnyTool Bound CompactOptions FileCheckpoints FilesOptions JsonSchema Linter Surface Tool ToolContext ToolImage
    ToolResult WriteTracker anchors anchorsGuidance anchorsSurface bind call compact compactSurface defineTool
    fileCheckpoints files inputSchema joinSurfaces joinable offeredTools outputSchema strictSchema surfaceNamed
    surfaceNames tracked workspace workspaceBySession writeTracker z`,
  "stet/testing": "Case Runner SuiteOptions cases testBackend",
  "stet/backends/disk": "DiskOptions disk",
  "stet/backends/memory": "MemoryOptions memory",
  "stet/backends/postgres": "Pool PoolOptions PostgresOptions migrate openPool postgres",
};

const entryPoints = entryPointsOf(JSON.parse(readFileSync(join(root, "package.json"), "utf8")).exports);

it("has these entry points", () => {
  expect([...entryPoints.keys()].sort()).toEqual(Object.keys(NAMES).sort());
});

it.each([...entryPoints])("%s exports what is listed, and nothing else", (name, { types, code }) => {
  const listed = NAMES[name]!.trim().split(/\s+/);
  expect(exportedFrom(types).map((each) => each.name)).toEqual(listed);
  const values = valuesIn(code);
  expect(values.length).toBeGreaterThan(0);
  expect(values.filter((each) => !listed.includes(each))).toEqual([]);
});

/** What is there when the program runs, as its code says: to load everything would take seconds. */
function valuesIn(code: string): string[] {
  const { staticExports } = parseSync(code, readFileSync(code, "utf8")).module;
  return staticExports.flatMap(({ entries }) => entries.map(({ exportName }) => exportName.name ?? "*"));
}

it.each([...entryPoints])("%s has a documentation comment on every name and every member", (_name, { types }) => {
  expect(exportedFrom(types).flatMap(({ undocumented }) => undocumented)).toEqual([]);
});

interface EntryPoint {
  readonly types: string;
  readonly code: string;
}

/** With a star: one for each folder of that name that has such a file. */
function entryPointsOf(exported: Readonly<Record<string, string | Record<string, string>>>): Map<string, EntryPoint> {
  const points = Object.entries(exported).flatMap(([path, target]) => {
    if (typeof target === "string") return [];
    const names = path.includes("*") ? backends() : [""];
    return names.map((name) => {
      const at = (file: string): string => join(root, file.replace("*", name));
      const point = { types: at(target.types!), code: at(target.default!) };
      return [path.replace(/^\./, "stet").replace("*", name), point] as const;
    });
  });
  return new Map(points);
}

function backends(): string[] {
  const folder = join(root, "dist/backends");
  const folders = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return folders.map(({ name }) => name).filter((name) => readdirSync(join(folder, name)).includes("index.js"));
}
