// The public API, as the built package has it: exactly these names, and words for each of them where an editor shows them.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseSync } from "oxc-parser";
import { expect, it } from "vitest";
import { exportedFrom } from "./support/declarations.ts";

const root = fileURLToPath(new URL("..", import.meta.url));

/** A name more is a promise more: it is added here on purpose, or it is a leak. */
const NAMES: Readonly<Record<string, string>> = {
  stet: `
    Action Aspect Author Backend CallOptions Cancellation Change ChangeOptions Changed ChangedBy ChangedFile
    Checkpoint CollectOptions Collected CommitNote CommitOptions Committed CreateOptions Current Decision
    DroppedVersions Edit Entry EntryChange EntryDraft EolStyle Failure FailureKind Forgotten FurtherOptions Head
    HistoryWeight HunkWhat KeptVersion Kind Knows LIMITS LINK_MODE Ledger Limits LineRange LineSpan Listed LogFilter LookedAt
    MayChange MergeConflict ModeBack MoveOptions NetChanges NetFile NetOf Next OpenOptions Outcome OwnerAction Path
    Policy PolicyInput Progress Proof ProtectChanges ProtectRule Purged PurgedAll ReadOptions ReadResult Refusal
    RefusalContext RefusalDetails ResolveOptions Resolved RetentionPolicy ReviewedSet SearchableCopy Seen Session
    Sha Shown SinceVersion Splice SpliceText Target Text Trashed UndoOptions UndoWhat Undone Use Verification VerifyOptions
    Version When Who Witnessed Workspace WorkspaceOptions bytesOf closeCheckpoint collectGarbage findTrashed
    generateSigningKeys isSha listTrash markReviewed netChanges openCheckpoint openCheckpoints
    openWorkspace purge purgeAll restore reviewedEntries rollBackTo shaOf undoHunk versionOf`,
  "stet/edit": `
    ANCHOR_FORMAT_VERSION AnchorEdit AnchorEditOptions AnchorLine AnchorView AnchoredDiff AppliedEdit Candidate ExactEdit LadderOptions Landed
    MatchRange NotReplaced Quality ReplaceResult ReplaceTextOptions Replaced Splice Strategy UnifiedDiff
    UnifiedDiffOptions anchorIndex anchoredDiff applySplices contextHash diffLines editByAnchors fileVersion insertAtLine
    ladder lineDigest lineHash merge3 nearestPlaces omissionPlaceholders parseOperations parsePatch planPatch
    renderAnchors replaceEdits replaceFirst replaceText reverseSplices splitLines unifiedDiff`,
  "stet/check": "LintItem Warning checkEdit examineEdit lint syntaxErrors warningText",
  "stet/search":
    "FindRequest FindResult FoundFile GrepHit GrepRequest GrepResult ListRequest ListResult ListedEntry SearchRequest findFiles grep listDirectory",
  "stet/serve": `
    CallEvent FAILURE_META_KEY FactoryOptions GivenToken HttpLimits HttpOptions HttpPage HttpServing Log Lookup
    MAX_MESSAGE_BYTES Metrics MetricsOptions NamedWorkspace RequestEvent Results RootsOpener ServeOptions ServerFactory
    SessionIn SessionScope Sessions StdioOptions StdioServing createMetrics createServerFactory readTokens serveOnStdio
    serveOverHttp`,
  "stet/surfaces": `
    AnyTool Bound CompactOptions FilesOptions FixedResult JsonSchema Linter Surface Tool ToolContext ToolImage
    ToolResult anchors anchorsGuidance anchorsSurface bind call compact compactSurface defineTool
    files filesystem inputSchema joinSurfaces joinable offeredTools outputSchema strictSchema surfaceNamed
    surfaceNames tracked workspace workspaceBySession z`,
  "stet/adapters":
    "AdaptedTool Approve Effect RunOptions SURFACE_RULES SurfaceRule ToolRun ToolsOptions instructionsOf surfaceFor toolsOf",
  "stet/adapters/ai": "AiOutput AiTool aiTools",
  "stet/adapters/anthropic": `
    AnthropicContent AnthropicMemory AnthropicRunnable AnthropicTextEditor AnthropicTool anthropicMemory anthropicTextEditor
    anthropicTools`,
  "stet/adapters/claude": "ClaudeOptions ClaudeServer ClaudeTools claudeTools",
  "stet/adapters/deepagents": "DeepagentsBackend DeepagentsOptions deepagentsBackend",
  "stet/adapters/langchain": "LangchainTool langchainApprovals langchainTools",
  "stet/adapters/mastra": "MastraTool mastraTools",
  "stet/adapters/openai": `
    OpenaiEdited OpenaiEditor OpenaiOptions OpenaiOutput OpenaiParameters OpenaiTool openaiEditor openaiTools`,
  "stet/testing": "Case Runner SuiteOptions cases testBackend",
  "stet/backends/disk": "DiskOptions disk",
  "stet/backends/memory": "MemoryOptions memory",
  "stet/backends/parts": `
    Asked Ending Found GENESIS Journal JournalOptions Observed Place appliedDraft createJournal matches noSuchDirectory
    notADirectory notAFile observe observedDrafts parseLine refuseNested resolvePath seal signedNote toForget untilClosed
    usedSince verifyLines`,
  "stet/backends/postgres": "Pool PoolOptions PostgresOptions migrate openPool postgres",
};

const entryPoints = entryPointsOf(JSON.parse(readFileSync(join(root, "package.json"), "utf8")).exports);

it("has these entry points", () => {
  expect([...entryPoints.keys()].sort()).toEqual(Object.keys(NAMES).sort());
  // By name, not by a pattern, which would also lead to files that are not there.
  expect([...entryPoints].filter(([, { types, code }]) => !existsSync(types) || !existsSync(code))).toEqual([]);
  const backends = readdirSync(join(root, "src/backends")).filter((name) =>
    existsSync(join(root, "src/backends", name, "index.ts")),
  );
  expect(backends.filter((name) => !entryPoints.has(`stet/backends/${name}`))).toEqual([]);
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

function entryPointsOf(exported: Readonly<Record<string, string | Record<string, string>>>): Map<string, EntryPoint> {
  const points = Object.entries(exported).flatMap(([path, target]) => {
    if (typeof target === "string") return [];
    const point = { types: join(root, target.types!), code: join(root, target.default!) };
    return [[path.replace(/^\./, "stet"), point] as const];
  });
  return new Map(points);
}
